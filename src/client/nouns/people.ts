import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf, type Page, pageOf } from '../connection/pages.ts';
import type {
  AuditEntry,
  Invitation,
  IssuerAnswer,
  MadeInvitationAnswer,
  Member,
  MemberChange,
  NewInvitation,
  PersonSession,
  SignedInByIssuer,
} from '../types/people.ts';
import type { SignedInAnswer } from '../types/settings.ts';

/** People of the organisation, who sign in with accounts of an issuer. */
export class People {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Who joined first before. */
  async list(options: CallOptions = {}): Promise<Answer<readonly Member[]>> {
    return answerOf(await this.connection.call('GET /v1/people', options));
  }

  async change(id: string, change: MemberChange, options: CallOptions = {}): Promise<Answer<Member>> {
    return answerOf(await this.connection.call('PATCH /v1/people/{id}', { path: { id }, body: change, ...options }));
  }

  /** Ends the person's sessions and keys in the organisation too. */
  async remove(id: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('DELETE /v1/people/{id}', { path: { id }, ...options }));
  }

  /** Browsers in which people have signed in: your own, or those of all people for who administers. The newest first. */
  async sessions(options: CallOptions = {}): Promise<Answer<readonly PersonSession[]>> {
    return answerOf(await this.connection.call('GET /v1/people/sessions', options));
  }

  async endSession(id: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('DELETE /v1/people/sessions/{id}', { path: { id }, ...options }));
  }
}

/** Links that make one person a member of the organisation each. */
export class Invitations {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Those that can be used, the newest first. */
  async list(options: CallOptions = {}): Promise<Answer<readonly Invitation[]>> {
    return answerOf(await this.connection.call('GET /v1/invitations', options));
  }

  /** Makes an invitation; `link` of the answer is shown this once. */
  async create(invitation: NewInvitation, options: CallOptions = {}): Promise<Answer<MadeInvitationAnswer>> {
    return answerOf(await this.connection.call('POST /v1/invitations', { body: invitation, ...options }));
  }

  async takeBack(id: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('DELETE /v1/invitations/{id}', { path: { id }, ...options }));
  }
}

/** Sign-in with accounts of an issuer, in a browser. */
export class SignIn {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** With whose accounts people sign in; null: with keys alone. */
  async issuer(options: CallOptions = {}): Promise<Answer<IssuerAnswer>> {
    return answerOf(await this.connection.call('GET /v1/sign-in/issuer', options));
  }

  /** Begins the session of a browser that came back from the issuer. @param given the text behind `invitation=` of a link. */
  async finish(given: { readonly invitation?: string } = {}, options: CallOptions = {}): Promise<Answer<SignedInByIssuer>> {
    return answerOf(await this.connection.call('POST /v1/sign-in/callback', { body: given, ...options }));
  }

  /** The session goes on in another organisation of the person. */
  async choose(organizationId: string, options: CallOptions = {}): Promise<Answer<SignedInAnswer>> {
    return answerOf(await this.connection.call('PATCH /v1/session-cookie', { body: { organization_id: organizationId }, ...options }));
  }
}

export interface AuditOptions extends CallOptions {
  /** Only of this person or key. */
  readonly who?: string | undefined;
  /** Only this action, such as `revokeApiKey`. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly startDate?: Date | string | undefined;
  /** Exclusive. */
  readonly endDate?: Date | string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** Who has changed, read and signed in. */
export class AuditLog {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** The newest first. `GET /v1/audit/export` has all of them in a file. */
  async list({ who, action, target, startDate, endDate, cursor, limit, ...options }: AuditOptions = {}): Promise<Page<AuditEntry>> {
    const query = { who, action, target, startDate: textOf(startDate), endDate: textOf(endDate), cursor, limit };
    return pageOf(await this.connection.call('GET /v1/audit', { query, ...options }));
  }
}

function textOf(time: Date | string | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
