import { keepAccount } from '../../metadata/people/accounts.ts';
import { acceptInvitation, addInvitation } from '../../metadata/people/invitations.ts';
import type { PersonPermissions } from '../../model/people.ts';
import type { ApiRig } from './api-harness.ts';
import { csrf } from './browser.ts';

export interface SignedInPerson {
  readonly id: string;
  /** The cookie of the session. */
  readonly cookie: string;
  /** As a page of the dashboard. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<Response>;
}

let people = 0;

/** Somebody who is a member of an organisation by invitation, and has signed in. */
export async function signedInPerson(
  rig: ApiRig,
  permissions: PersonPermissions,
  organizationId = rig.organizationId,
): Promise<SignedInPerson> {
  const number = (people += 1);
  const { database, ports } = rig;
  const account = { issuer: 'https://accounts.example.com', subject: `person ${number}`, name: `Person ${number}`, mail: null };
  const { id } = await keepAccount(database, account, Date.now());
  const token = `invitation ${number}`;
  const times = { createdAt: number, expiresAt: Date.now() * 2 };
  const invitation = { id: token, organizationId, tokenHash: token, permissions, mail: null, invitedBy: null, ...times };
  await addInvitation(database, invitation, 1000);
  await acceptInvitation(database, token, { personId: id, verifiedMail: null, at: number });
  const session = { personId: id, organizationId, tokens: {}, address: '192.0.2.1', userAgent: 'a browser' };
  const begun = await ports.people.sessions.begin(session);
  const cookie = `${ports.browserSessions.cookieName}=${begun.token}`;
  return { id, cookie, call: (method, path, body) => rig.call(method, path, { key: null, body, headers: { ...csrf, cookie } }) };
}
