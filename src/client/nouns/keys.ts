import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf } from '../connection/pages.ts';
import type {
  ApiKey,
  ApiKeyChange,
  IssuedApiKeyAnswer,
  NewApiKey,
  NewProviderKey,
  ProviderKey,
  SignedInAnswer,
  SignedInOrNobody,
  SignedOutAnswer,
} from '../types/settings.ts';

export interface KeyListOptions extends CallOptions {
  /** True adds keys that are revoked. */
  readonly includeRevoked?: boolean | undefined;
}

/** Keys of the organisation, with which callers use gateway and API. */
export class Keys {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** The oldest first. */
  async list({ includeRevoked, ...options }: KeyListOptions = {}): Promise<Answer<readonly ApiKey[]>> {
    return answerOf(await this.connection.call('GET /v1/api-keys', { query: { include_revoked: includeRevoked }, ...options }));
  }

  /** Creates a key; `apiKey` of the answer is shown this once. */
  async create(key: NewApiKey, options: CallOptions = {}): Promise<Answer<IssuedApiKeyAnswer>> {
    return answerOf(await this.connection.call('POST /v1/api-keys', { body: key, ...options }));
  }

  async change(id: string, change: ApiKeyChange, options: CallOptions = {}): Promise<Answer<ApiKey>> {
    return answerOf(await this.connection.call('PATCH /v1/api-keys/{id}', { path: { id }, body: change, ...options }));
  }

  /** Ends a key for good. */
  async revoke(id: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('DELETE /v1/api-keys/{id}', { path: { id }, ...options }));
  }
}

/** Keys of providers that the organisation has stored; they are never shown again. */
export class ProviderKeys {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** The newest first. */
  async list(options: CallOptions = {}): Promise<Answer<readonly ProviderKey[]>> {
    return answerOf(await this.connection.call('GET /v1/provider-keys', options));
  }

  async add(key: NewProviderKey, options: CallOptions = {}): Promise<Answer<ProviderKey>> {
    return answerOf(await this.connection.call('POST /v1/provider-keys', { body: key, ...options }));
  }

  async delete(id: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('DELETE /v1/provider-keys/{id}', { path: { id }, ...options }));
  }
}

/** The session of a browser, whose cookie stands for a key. */
export class BrowserSession {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Signs the browser in: it keeps a cookie that no script can read. */
  async signIn(apiKey: string, options: CallOptions = {}): Promise<Answer<SignedInAnswer>> {
    return answerOf(await this.connection.call('POST /v1/session-cookie', { body: { apiKey }, ...options }));
  }

  /** Who calls, by a cookie or by a key; null: nobody is signed in. */
  async get(options: CallOptions = {}): Promise<Answer<SignedInOrNobody>> {
    return answerOf(await this.connection.call('GET /v1/session-cookie', options));
  }

  /** Ends the session, on the server too. The answer says where a page goes to end that of the issuer; null: nobody was signed in. */
  async signOut(options: CallOptions = {}): Promise<Answer<SignedOutAnswer>> {
    return answerOf(await this.connection.call('DELETE /v1/session-cookie', options));
  }
}
