import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import type { PersonPermissions } from '../../model/people.ts';
import type { KeyPermissions } from '../../model/principal.ts';
import type { MetadataDatabase } from '../database.ts';
import { openMigratedMetadata } from '../migrate.ts';
import { changeApiKey, createApiKey, makeKeyLookUp } from '../organization/api-keys.ts';
import { createOrganization } from '../organization/organizations.ts';
import { findPerson, keepAccount } from './accounts.ts';
import { acceptInvitation, addInvitation, type Invitation, listInvitations, removeInvitation } from './invitations.ts';
import { applyGroups, changeMember, listMembers, listMemberships, removeMember } from './members.ts';
import { addPersonSession, endPersonSession, listPersonSessions, makePersonSessionLookUp } from './person-sessions.ts';

const at = 1_700_000_000_000;
const hour = 3_600_000;
let folder: string;
let database: MetadataDatabase;
let ours: OrganizationId;
let theirs: OrganizationId;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-people-'));
  database = await openMigratedMetadata(folder, 'core', () => at);
  ours = await organization('ours');
  theirs = await organization('theirs');
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

async function organization(name: string): Promise<OrganizationId> {
  const made = await createOrganization(database, name, at);
  if (made === 'name_taken') throw new Error(`${name} is taken`);
  return made.id;
}

async function person(subject: string, given: { readonly issuer?: string; readonly mail?: string } = {}): Promise<string> {
  const { issuer = 'https://id.example', mail = null } = given;
  return (await keepAccount(database, { issuer, subject, name: subject, mail }, at)).id;
}

let keys = 0;
async function key(
  personId: string | null,
  permissions: KeyPermissions,
  organizationId = ours,
): Promise<{ readonly id: string; readonly hash: string }> {
  keys += 1;
  const hash = `hash ${keys}`;
  const made = await createApiKey(database, {
    organizationId,
    name: 'k',
    keyHash: hash,
    prefix: 'sk',
    permissions,
    createdAt: at,
    personId,
  });
  if (made === 'key_taken') throw new Error('key_taken');
  return { id: made.id, hash };
}

let tokens = 0;
async function session(personId: string, organizationId = ours): Promise<string> {
  tokens += 1;
  const tokenHash = `token ${tokens}`;
  const rest = { createdAt: at + tokens, expiresAt: at + 12 * hour, address: '192.0.2.1', userAgent: 'a browser', sealed: 'sealed' };
  await addPersonSession(database, { id: `session ${tokens}`, tokenHash, personId, organizationId, ...rest }, 3);
  return tokenHash;
}

const invite = (id: string, given: Partial<Pick<Invitation, 'mail' | 'permissions' | 'expiresAt' | 'invitedBy'>> = {}) => {
  const { mail = null, permissions = 'rw', expiresAt = at + hour, invitedBy = null } = given;
  const rest = { permissions, mail, createdAt: at, expiresAt, invitedBy };
  return addInvitation(database, { id, organizationId: ours, tokenHash: `of ${id}`, ...rest }, 2);
};
const accept = (id: string, personId: string, given: { readonly verifiedMail?: string; readonly at?: number } = {}) =>
  acceptInvitation(database, `of ${id}`, { personId, verifiedMail: given.verifiedMail ?? null, at: given.at ?? at });

const roles = (...given: readonly (readonly [OrganizationId, PersonPermissions])[]): ReadonlyMap<OrganizationId, PersonPermissions> =>
  new Map(given);

describe('a person', () => {
  test('is issuer and subject: another mail is the same one, the same mail of another account is another one', async () => {
    const ada = await person('ada', { mail: 'ada@example.com' });
    expect(await person('ada', { mail: 'lovelace@example.com' })).toBe(ada);
    expect((await findPerson(database, ada))?.mail).toBe('lovelace@example.com');
    expect(await person('ada 2', { mail: 'lovelace@example.com' })).not.toBe(ada);
    expect(await person('ada', { issuer: 'https://other.example' })).not.toBe(ada);
  });
});

describe('groups of the issuer', () => {
  test('give and take memberships, and win over what an administrator has chosen', async () => {
    const ada = await person('ada');
    await invite('1', { permissions: 'r' });
    await accept('1', ada);
    expect(await applyGroups(database, { personId: ada, at }, roles([ours, 'admin'], [theirs, 'rw']))).toEqual([
      { organizationId: ours, before: 'r', permissions: 'admin' },
      { organizationId: theirs, before: undefined, permissions: 'rw' },
    ]);
    expect(await applyGroups(database, { personId: ada, at }, roles([ours, 'admin'], [theirs, 'rw']))).toEqual([]);
    expect(await listMemberships(database, ada)).toMatchObject([
      { organizationName: 'ours', permissions: 'admin', source: 'group' },
      { organizationName: 'theirs', permissions: 'rw', source: 'group' },
    ]);
    expect(await changeMember(database, { organizationId: ours, personId: ada, at }, 'r')).toBe('by_groups');
    expect(await applyGroups(database, { personId: ada, at }, roles([theirs, 'r']))).toEqual([
      { organizationId: ours, before: 'admin', permissions: undefined },
      { organizationId: theirs, before: 'rw', permissions: 'r' },
    ]);
    expect(await listMemberships(database, ada)).toMatchObject([{ organizationName: 'theirs', permissions: 'r' }]);
  });

  test('leave a membership by invitation alone where they say nothing', async () => {
    const ada = await person('ada');
    await invite('1');
    await accept('1', ada);
    expect(await applyGroups(database, { personId: ada, at }, roles())).toEqual([]);
    expect(await listMembers(database, ours)).toMatchObject([{ personId: ada, source: 'invitation' }]);
  });
});

describe('a member who is removed', () => {
  test('loses the sessions and keys of the organisation, and no others', async () => {
    const ada = await person('ada');
    await applyGroups(database, { personId: ada, at }, roles([ours, 'rw'], [theirs, 'rw']));
    const [own, elsewhere, service] = [await key(ada, 'rw'), await key(ada, 'rw', theirs), await key(null, 'rw')];
    const [here, there] = [await session(ada), await session(ada, theirs)];
    const [lookUp, lookUpSession] = [makeKeyLookUp(database), makePersonSessionLookUp(database)];
    expect(lookUp(own.hash)).toMatchObject({ keyId: own.id, personId: ada, permissions: 'rw' });
    expect(await removeMember(database, { organizationId: ours, personId: ada, at })).toBe(true);
    expect([lookUp(own.hash), lookUp(elsewhere.hash)?.keyId, lookUp(service.hash)?.keyId]).toEqual([undefined, elsewhere.id, service.id]);
    expect([lookUpSession(here), lookUpSession(there)?.organizationId]).toEqual([undefined, theirs]);
    await applyGroups(database, { personId: ada, at }, roles([ours, 'rw']));
    expect(lookUp(own.hash)).toBeUndefined();
    expect(await removeMember(database, { organizationId: ours, personId: 'nobody', at })).toBe(false);
  });

  test('by the groups loses them too', async () => {
    const ada = await person('ada');
    await applyGroups(database, { personId: ada, at }, roles([ours, 'rw']));
    const [own, opened] = [await key(ada, 'rw'), await session(ada)];
    await applyGroups(database, { personId: ada, at }, roles());
    expect([makeKeyLookUp(database)(own.hash), makePersonSessionLookUp(database)(opened)]).toEqual([undefined, undefined]);
  });
});

describe('an invitation', () => {
  test.each(['who is removed', 'who may only write', 'whom groups let only read', 'whom no group names'])(
    'ends with an administrator %s, and one of a key stays',
    async (kind) => {
      const ada = await person('ada');
      await (kind.startsWith('whom') ? applyGroups(database, { personId: ada, at }, roles([ours, 'admin'])) : makeAdministrator(ada));
      await key(null, 'admin');
      await invite('of ada', { invitedBy: ada });
      await invite('of the key');
      const order = { organizationId: ours, personId: ada, at };
      if (kind === 'who is removed') await removeMember(database, order);
      if (kind === 'who may only write') await changeMember(database, order, 'rw');
      if (kind === 'whom groups let only read') await applyGroups(database, order, roles([ours, 'r']));
      if (kind === 'whom no group names') await applyGroups(database, order, roles());
      expect((await listInvitations(database, ours, at)).map(({ id }) => id)).toEqual(['of the key']);
    },
  );
});

test('an invitation of somebody who administers no more, made in the last moment, makes nobody a member', async () => {
  const [ada, bob] = [await person('ada'), await person('bob')];
  await makeAdministrator(ada);
  await key(null, 'admin');
  await removeMember(database, { organizationId: ours, personId: ada, at });
  await invite('late', { invitedBy: ada });
  expect(await accept('late', bob)).toBe('unknown');
  expect(await listMembers(database, ours)).toEqual([]);
});

async function makeAdministrator(personId: string): Promise<void> {
  await invite('first', { permissions: 'admin' });
  await accept('first', personId);
}

describe("a person's key", () => {
  test.each([
    ['admin', 'admin', 'admin'],
    ['admin', 'rw', 'rw'],
    ['rw', 'r', 'r'],
    ['w', 'rw', 'w'],
    ['w', 'r', undefined],
  ] as const)('made as %s of a member who is now %s may %s', async (made, now, allowed) => {
    const ada = await person('ada');
    await applyGroups(database, { personId: ada, at }, roles([ours, 'admin']));
    const { hash } = await key(ada, made);
    await applyGroups(database, { personId: ada, at }, roles([ours, now]));
    expect(makeKeyLookUp(database)(hash)?.permissions).toBe(allowed);
  });
  test('works for as long after a sign-in as is asked for, and again after the next', async () => {
    const ada = await person('ada');
    await applyGroups(database, { personId: ada, at }, roles([ours, 'rw']));
    const [own, service] = [await key(ada, 'rw'), await key(null, 'rw')];
    let since = at;
    const lookUp = makeKeyLookUp(database, () => since);
    expect(lookUp(own.hash)?.keyId).toBe(own.id);
    since += 1;
    expect([lookUp(own.hash), lookUp(service.hash)?.keyId]).toEqual([undefined, service.id]);
    await keepAccount(database, { issuer: 'https://id.example', subject: 'ada', name: 'ada', mail: null }, since);
    expect(lookUp(own.hash)?.keyId).toBe(own.id);
  });
});

describe('the last administrator', () => {
  test('stays: a member where no key of the organisation administers, a key where no member does', async () => {
    const ada = await person('ada');
    await invite('1', { permissions: 'admin' });
    await accept('1', ada);
    await key(ada, 'admin');
    await key(null, 'admin', theirs);
    const order = { organizationId: ours, personId: ada, at };
    expect([await removeMember(database, order), await changeMember(database, order, 'rw')]).toEqual(['last_admin', 'last_admin']);
    const service = await key(null, 'admin');
    expect(await changeMember(database, order, 'rw')).toMatchObject({ permissions: 'rw', source: 'admin' });
    expect(await changeApiKey(database, { organizationId: ours, id: service.id, at }, { revoked: true })).toBe('last_admin');
    await changeMember(database, order, 'admin');
    expect(await changeApiKey(database, { organizationId: ours, id: service.id, at }, { revoked: true })).toMatchObject({ revokedAt: at });
  });
});

describe('an invitation', () => {
  test('is used once, before it expires', async () => {
    const [ada, bob] = [await person('ada'), await person('bob')];
    await invite('1');
    expect(await accept('1', ada, { at: at + hour })).toBe('unknown');
    expect(await accept('1', ada)).toMatchObject({ organizationId: ours, permissions: 'rw' });
    expect([await accept('1', ada), await accept('1', bob), await accept('2', bob)]).toEqual(['unknown', 'unknown', 'unknown']);
    expect(await listMembers(database, ours)).toMatchObject([{ personId: ada }]);
  });

  test('for an address takes only who has it, as the issuer has verified it', async () => {
    const [ada, bob] = [await person('ada', { mail: 'ada@example.com' }), await person('bob')];
    await invite('1', { mail: 'Ada@example.com' });
    expect([await accept('1', ada), await accept('1', bob, { verifiedMail: 'bob@example.com' })]).toEqual(['other_mail', 'other_mail']);
    expect(await accept('1', ada, { verifiedMail: 'ada@example.com' })).toMatchObject({ personId: ada });
  });

  test('changes nothing of a member by groups', async () => {
    const ada = await person('ada');
    await applyGroups(database, { personId: ada, at }, roles([ours, 'r']));
    await invite('1', { permissions: 'admin' });
    expect(await accept('1', ada)).toMatchObject({ permissions: 'r', source: 'group' });
  });

  test('takes nothing from who may more already: the last administrator stays one', async () => {
    const ada = await person('ada');
    await invite('1', { permissions: 'admin' });
    await accept('1', ada);
    await invite('2', { permissions: 'r' });
    expect(await accept('2', ada)).toMatchObject({ permissions: 'admin' });
    expect(await listMembers(database, ours)).toMatchObject([{ personId: ada, permissions: 'admin' }]);
  });

  test('can be taken back by its organisation, and there are so many at a time', async () => {
    expect([await invite('1'), await invite('2'), await invite('3')]).toEqual([undefined, undefined, 'too_many']);
    expect([await removeInvitation(database, theirs, '1'), await removeInvitation(database, ours, '1')]).toEqual([false, true]);
    expect(await invite('3')).toBeUndefined();
    expect((await listInvitations(database, ours, at)).map(({ id }) => id).toSorted()).toEqual(['2', '3']);
    expect([await listInvitations(database, theirs, at), await listInvitations(database, ours, at + hour)]).toEqual([[], []]);
  });
});

describe("a person's session", () => {
  test('is listed for its person and its organisation, and the oldest ends when there are too many', async () => {
    const ada = await person('ada');
    await applyGroups(database, { personId: ada, at }, roles([ours, 'r'], [theirs, 'r']));
    const opened = [await session(ada), await session(ada, theirs), await session(ada), await session(ada)];
    const lookUp = makePersonSessionLookUp(database);
    expect(opened.map((token) => lookUp(token) !== undefined)).toEqual([false, true, true, true]);
    expect([
      (await listPersonSessions(database, { personId: ada }, at)).length,
      (await listPersonSessions(database, { organizationId: theirs }, at)).length,
    ]).toEqual([3, 1]);
    expect(await listPersonSessions(database, { personId: ada }, at + 12 * hour)).toEqual([]);
    expect(await endPersonSession(database, { tokenHash: opened[1] ?? '' })).toMatchObject({ organizationId: theirs, sealed: 'sealed' });
    expect([lookUp(opened[1] ?? ''), await endPersonSession(database, { id: 'none' })]).toEqual([undefined, undefined]);
  });
});
