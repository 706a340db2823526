import { hash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { findPerson } from '../../metadata/people/accounts.ts';
import {
  addPersonSession,
  changePersonSession,
  endPersonSession,
  type FoundSession,
  listPersonSessions,
  makePersonSessionLookUp,
  type PersonSession,
  sealedOfSession,
} from '../../metadata/people/person-sessions.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { peopleLimits } from '../../model/people.ts';
import type { Principal } from '../../model/principal.ts';
import { reasonOf } from '../oidc/failures.ts';
import type { PersonIdentity } from '../oidc/identity.ts';
import type { Issuer, IssuerTokens, Told } from '../oidc/issuer.ts';
import type { Cipher } from '../sealing.ts';

export const personSessionSeconds = 12 * 60 * 60;
/** How long what the issuer has said of a person holds. */
const checkedForMs = 5 * 60_000;
/** An issuer that was away is asked again so much later. */
const retryMs = 60_000;
const seenEveryMs = 60_000;
const tokenBytes = 32;

export interface PersonSessionOptions {
  readonly database: MetadataDatabase;
  /** Of the tokens of issuers. */
  readonly cipher: Cipher;
  /** Undefined: nobody signs in any more, and whoever has lives on what was said then. */
  readonly issuer: Issuer | undefined;
  /** Makes the person a member of what the issuer says now. */
  readonly applyIdentity: (personId: string, identity: PersonIdentity) => Promise<void>;
  readonly observe: Observe;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export interface NewSession {
  readonly personId: string;
  readonly organizationId: OrganizationId;
  readonly tokens: IssuerTokens;
  /** Of the client. */
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

export interface EndedSession {
  readonly personId: string;
  readonly organizationId: OrganizationId;
  readonly tokens: IssuerTokens;
}

/**
 * Sessions of people. One ends after twelve hours, when its person signs out or is no member any more, when somebody ends it, and when the
 * issuer has ended the account or its session there, which it is asked every five minutes of use. An issuer that is away ends nothing.
 */
export class PersonSessions {
  private readonly options: PersonSessionOptions;
  private readonly lookUp: (tokenHash: string) => FoundSession | undefined;
  /** Sessions of which the issuer is asked at the moment. */
  private readonly checks = new Map<string, Promise<void>>();

  constructor(options: PersonSessionOptions) {
    this.options = options;
    this.lookUp = makePersonSessionLookUp(options.database);
  }

  /** Durable on return. A token is random and is stored as its hash only. */
  async begin({
    personId,
    organizationId,
    tokens,
    address,
    userAgent,
  }: NewSession): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const [id, token, createdAt] = [v7(), randomBytes(tokenBytes).toString('base64url'), this.options.now()];
    const expiresAt = createdAt + personSessionSeconds * 1000;
    const session = {
      id,
      personId,
      organizationId,
      createdAt,
      expiresAt,
      tokenHash: hashOf(token),
      address: address ?? null,
      userAgent: userAgent?.slice(0, peopleLimits.userAgentCharacters) ?? null,
      sealed: this.seal({ id, personId }, tokens),
    };
    await addPersonSession(this.options.database, session, peopleLimits.sessions);
    return { token, expiresAt };
  }

  /** @returns undefined for a token that is unknown or has expired, and of somebody who is no member any more. */
  find(token: string): FoundSession | undefined {
    const found = this.lookUp(hashOf(token));
    return found === undefined || found.expiresAt <= this.options.now() ? undefined : found;
  }

  /** Who calls by a session; undefined once it has ended, which the issuer may say here. */
  async callerOf(token: string): Promise<Principal | undefined> {
    const found = this.find(token);
    if (found === undefined) return undefined;
    const isDue = this.isDue(found);
    if (isDue) await this.check(found);
    const session = isDue ? this.find(token) : found;
    if (session === undefined) return undefined;
    const now = this.options.now();
    if (now - session.seenAt >= seenEveryMs) await changePersonSession(this.options.database, session.id, { seenAt: now });
    return principalOf(session);
  }

  /** As {@link callerOf}, for what looks again and again: it waits for nobody, and the next look sees what the issuer says. */
  currentCallerOf(token: string): Principal | undefined {
    const found = this.find(token);
    if (found === undefined) return undefined;
    if (this.isDue(found)) {
      this.check(found).catch((error: unknown) => this.options.observe({ kind: 'people_failed', reason: messageOf(error) }));
    }
    return principalOf(found);
  }

  list(of: { readonly organizationId: OrganizationId } | { readonly personId: string }): Promise<readonly PersonSession[]> {
    return listPersonSessions(this.options.database, of, this.options.now());
  }

  /** The caller is a member of the organisation. */
  async choose(token: string, organizationId: OrganizationId): Promise<void> {
    const found = this.find(token);
    if (found !== undefined) await changePersonSession(this.options.database, found.id, { organizationId });
  }

  /** @returns undefined when there is no such session. */
  async end(session: { readonly id: string } | { readonly token: string }): Promise<EndedSession | undefined> {
    const ended = await endPersonSession(this.options.database, 'id' in session ? session : { tokenHash: hashOf(session.token) });
    if (ended === undefined) return undefined;
    const { personId, organizationId } = ended;
    return { personId, organizationId, tokens: this.open(ended, ended.sealed) };
  }

  private isDue({ checkedAt }: FoundSession): boolean {
    const { issuer, now } = this.options;
    return issuer !== undefined && now() - checkedAt >= checkedForMs;
  }

  /** Calls that come meanwhile wait for the same answer. */
  private check(session: FoundSession): Promise<void> {
    const running = this.checks.get(session.id);
    if (running !== undefined) return running;
    const begun = this.checkNow(session).finally(() => this.checks.delete(session.id));
    this.checks.set(session.id, begun);
    return begun;
  }

  private async checkNow(session: FoundSession): Promise<void> {
    const { database, issuer, applyIdentity, observe, now } = this.options;
    const person = await findPerson(database, session.personId);
    // The deployment has another issuer since, which knows nothing of this account.
    if (issuer !== undefined && person?.issuer !== issuer.address) return void (await endPersonSession(database, { id: session.id }));
    const sealed = await sealedOfSession(database, session.id);
    const tokens = this.open(session, sealed);
    if (issuer === undefined || tokens.refreshToken === undefined) {
      // Nothing can be asked: the session lives on what was said at its beginning.
      return changePersonSession(database, session.id, { checked: { at: now(), sealed } });
    }
    const askAgainLater = { at: now() - checkedForMs + retryMs, sealed };
    let told: Told | undefined;
    try {
      told = person === undefined ? undefined : await issuer.refresh(tokens, person.subject);
    } catch (error) {
      if (!(error instanceof GatelogError)) throw error;
      observe({ kind: 'people_failed', reason: reasonOf(error) });
      if (error.code === 'permission_denied') return void (await endPersonSession(database, { id: session.id }));
      return changePersonSession(database, session.id, { checked: askAgainLater });
    }
    if (told === undefined) return void (await endPersonSession(database, { id: session.id }));
    const fresh = this.seal(session, told.tokens);
    // An issuer may take each token once, whatever fails behind it.
    await changePersonSession(database, session.id, { checked: { ...askAgainLater, sealed: fresh } });
    await applyIdentity(session.personId, told.identity);
    await changePersonSession(database, session.id, { checked: { at: now(), sealed: fresh } });
  }

  private seal(session: { readonly id: string; readonly personId: string }, tokens: IssuerTokens): string {
    return this.options.cipher.seal([session.personId, session.id], JSON.stringify(tokens));
  }

  private open(session: { readonly id: string; readonly personId: string }, sealed: string | null): IssuerTokens {
    const text = sealed === null ? undefined : this.options.cipher.open([session.personId, session.id], sealed);
    return text === undefined ? {} : (JSON.parse(text) as IssuerTokens);
  }
}

function principalOf({ personId, organizationId, permissions }: FoundSession): Principal {
  return { organizationId, permissions, personId, keyId: personId, keyHash: hash('sha256', `person ${personId}`, 'hex') };
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}
