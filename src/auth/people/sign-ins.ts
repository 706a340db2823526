import { randomUUID } from 'node:crypto';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { forgetStranger, keepAccount, type Person } from '../../metadata/people/accounts.ts';
import { listMemberships } from '../../metadata/people/members.ts';
import { type ErrorCode, GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { reasonOf } from '../oidc/failures.ts';
import type { NotePeople } from './note.ts';
import type { PersonIdentity } from '../oidc/identity.ts';
import type { Issuer, SignInChecks, Told } from '../oidc/issuer.ts';
import type { Cipher } from '../sealing.ts';
import type { Invitations } from './invitations.ts';
import type { PersonSessions } from './person-sessions.ts';

/** How long somebody may take at the issuer. */
export const signInSeconds = 600;
/** From the issuer's answer to the page that takes the session. */
const takenWithinMs = 120_000;
/** Answers of the issuer that no page has taken yet; the oldest goes first. */
const maxTold = 1000;
const maxNextCharacters = 1000;

/** What the cookie of a sign-in holds, sealed: the browser that begins is the one that ends. */
type Stage =
  | { readonly stage: 'begun'; readonly checks: SignInChecks; readonly next: string; readonly at: number }
  | { readonly stage: 'told'; readonly id: string }
  | { readonly stage: 'failed'; readonly code: ErrorCode; readonly message: string };

export interface SignInOptions {
  readonly database: MetadataDatabase;
  readonly issuer: Issuer;
  /** Of the cookie. */
  readonly cipher: Cipher;
  readonly sessions: PersonSessions;
  readonly invitations: Invitations;
  /** Makes the person a member of what the issuer says. */
  readonly applyIdentity: (personId: string, identity: PersonIdentity) => Promise<void>;
  readonly isAdmitted: (identity: PersonIdentity) => boolean;
  readonly note: NotePeople;
  /** The issuer sends the browser back to it. */
  readonly callbackAddress: () => string;
  readonly observe: Observe;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Of the page that takes the session. */
export interface Finish {
  readonly invitation: string | undefined;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

export interface BegunSession {
  readonly token: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** The page to go on with. */
  readonly next: string;
}

/**
 * A sign-in in three calls of one browser: `begin` sends it to the issuer, `comeBack` takes what the issuer sends it back with, and
 * `finish`, which a page of ours calls, begins the session. A failure of the second is told by the third, whose page can show it.
 */
export class SignIns {
  private readonly options: SignInOptions;
  private readonly told = new Map<string, Told & { readonly next: string; readonly at: number }>();

  constructor(options: SignInOptions) {
    this.options = options;
  }

  get issuerName(): string {
    return this.options.issuer.name;
  }

  /** @param next of our pages. @throws GatelogError 422 for another address, 503 when the issuer is away. */
  async begin(next: string): Promise<{ readonly address: string; readonly cookie: string }> {
    if (!isDashboardPath(next)) {
      throw new GatelogError('invalid_parameter', '`next` is a path of the dashboard, such as /requests.', { details: { path: 'next' } });
    }
    const { issuer, callbackAddress, now } = this.options;
    const { address, checks } = await issuer.begin(callbackAddress());
    return { address: address.href, cookie: this.seal({ stage: 'begun', checks, next, at: now() }) };
  }

  /** @param query of the address with which the browser came back. @returns the cookie that `finish` takes. */
  async comeBack(cookie: string | undefined, query: string): Promise<string> {
    try {
      const { checks, next } = this.begunIn(cookie);
      const returned = new URL(this.options.callbackAddress());
      returned.search = query;
      const told = await this.options.issuer.finish(returned, checks);
      return this.seal({ stage: 'told', id: this.keep(told, next) });
    } catch (error) {
      if (!(error instanceof GatelogError)) throw error;
      // Anybody may send anything here; what the issuer says of it is told.
      if (error.cause !== undefined) this.options.observe({ kind: 'people_failed', reason: reasonOf(error) });
      return this.seal({ stage: 'failed', code: error.code, message: error.message });
    }
  }

  /** Begins the session of who came back. @throws GatelogError 403 for who may not sign in, 404 for an invitation that cannot be used. */
  async finish(cookie: string | undefined, { invitation, address, userAgent }: Finish): Promise<BegunSession> {
    const { identity, tokens, next } = this.toldIn(cookie);
    const { database, sessions } = this.options;
    const person = await keepAccount(database, identity.account, this.options.now());
    const organizationId = await this.letIn(person, identity, invitation);
    const { token, expiresAt } = await sessions.begin({ personId: person.id, organizationId, tokens, address, userAgent });
    return { token, expiresAt, next };
  }

  /** @returns the organisation with which the session begins. */
  private async letIn(person: Person, identity: PersonIdentity, invitation: string | undefined): Promise<OrganizationId> {
    const { database, applyIdentity, isAdmitted } = this.options;
    try {
      await applyIdentity(person.id, identity);
      const invited = invitation === undefined ? undefined : await this.accept(invitation, person, identity);
      const memberships = await listMemberships(database, person.id);
      const chosen = invited ?? memberships[0]?.organizationId;
      if (chosen !== undefined) return chosen;
      throw new GatelogError(
        'permission_denied',
        isAdmitted(identity)
          ? 'This account may sign in and belongs to no organisation here: none of its groups gives one. Ask an administrator for an invitation.'
          : 'This account may not sign in here: nobody has invited it, and neither a group nor the domain of a verified mail address of it is admitted. Ask an administrator for an invitation.',
      );
    } catch (error) {
      await forgetStranger(database, person.id);
      throw error;
    }
  }

  private async accept(invitation: string, { id: personId }: Person, { verifiedMail }: PersonIdentity): Promise<OrganizationId> {
    const { invitations, note } = this.options;
    const { organizationId, invitationId, given } = await invitations.accept(invitation, personId, verifiedMail);
    await note({ organizationId, personId, action: 'acceptInvitation', target: invitationId, filter: { permissions: given } });
    return organizationId;
  }

  /** Until its page comes. What nobody has taken in time goes, as it holds tokens. */
  private keep(told: Told, next: string): string {
    const at = this.options.now();
    for (const [id, one] of this.told) {
      if (at - one.at < takenWithinMs && this.told.size < maxTold) break;
      this.told.delete(id);
    }
    const id = randomUUID();
    this.told.set(id, { ...told, next, at });
    return id;
  }

  private begunIn(cookie: string | undefined): Stage & { readonly stage: 'begun' } {
    const stage = this.open(cookie);
    if (stage?.stage === 'begun' && this.options.now() - stage.at < signInSeconds * 1000) return stage;
    throw new GatelogError(
      'permission_denied',
      'The sign-in was not begun in this browser, or more than ten minutes ago. Begin again; cookies must be allowed.',
    );
  }

  private toldIn(cookie: string | undefined): Told & { readonly next: string } {
    const stage = this.open(cookie);
    if (stage?.stage === 'failed') throw new GatelogError(stage.code, stage.message);
    const told = stage?.stage === 'told' ? this.told.get(stage.id) : undefined;
    if (stage?.stage === 'told') this.told.delete(stage.id);
    if (told !== undefined && this.options.now() - told.at < takenWithinMs) return told;
    throw new GatelogError('permission_denied', 'No sign-in waits for this browser, or it has waited too long. Begin again.');
  }

  private seal(stage: Stage): string {
    return this.options.cipher.seal([], JSON.stringify(stage));
  }

  private open(cookie: string | undefined): Stage | undefined {
    const text = cookie === undefined ? undefined : this.options.cipher.open([], cookie);
    return text === undefined ? undefined : (JSON.parse(text) as Stage);
  }
}

/** A path below our own origin. Browsers read `//host` and `/\host` as the address of another one, and skip control characters. */
function isDashboardPath(next: string): boolean {
  return next.length <= maxNextCharacters && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next);
}
