import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import { createApiKey } from '../../metadata/organization/api-keys.ts';
import { createOrganization } from '../../metadata/organization/organizations.ts';
import { keepAccount } from '../../metadata/people/accounts.ts';
import { listMemberships } from '../../metadata/people/members.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observation } from '../../model/observation.ts';
import { applyIdentity } from './apply-identity.ts';
import type { PersonNote } from './note.ts';

const at = 1_700_000_000_000;
const account = { issuer: 'https://issuer.example', subject: 'ada', name: 'Ada', mail: null };

let folder: string;
let database: MetadataDatabase;
let organizationId: OrganizationId;
let personId: string;
let notes: PersonNote[];
let observed: Observation[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-identity-'));
  database = await openMigratedMetadata(folder, 'core', () => at);
  const made = await createOrganization(database, 'ours', at);
  if (made === 'name_taken') throw new Error('taken');
  organizationId = made.id;
  personId = (await keepAccount(database, account, at)).id;
  [notes, observed] = [[], []];
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

/** Applies what an issuer says. @param organization as the setting names it. */
async function apply(groups: readonly string[], [first, second]: readonly [string, string] = ['ours', 'ours']): Promise<void> {
  const rules = {
    database,
    admitted: ['platform', 'engineering', 'guests'],
    roles: [
      { group: 'platform', organization: first, permissions: 'admin' },
      { group: 'engineering', organization: second, permissions: 'r' },
    ] as const,
    note: async (note: PersonNote) => void notes.push(note),
    observe: (observation: Observation) => void observed.push(observation),
    now: () => at,
  };
  await applyIdentity(rules, personId, { account, verifiedMail: null, groups });
}

test.each(['its name and its identifier', 'its identifier and its name'])(
  'of rows that name one organisation by %s the widest permissions hold',
  async (order) => {
    await apply(['platform', 'engineering'], order.startsWith('its name') ? ['ours', organizationId] : [organizationId, 'ours']);
    expect((await listMemberships(database, personId)).map(({ permissions }) => permissions)).toEqual(['admin']);
  },
);

test('the audit log is told what groups change, and nothing when they change nothing', async () => {
  const note = { organizationId, personId, action: 'applyGroups', target: personId };
  await apply(['engineering']);
  await apply(['engineering']);
  await apply(['platform']);
  await apply(['guests']);
  expect(notes).toEqual([
    { ...note, filter: { before: null, permissions: 'r' } },
    { ...note, filter: { before: 'r', permissions: 'admin' } },
    { ...note, filter: { before: 'admin', permissions: null } },
  ]);
});

test('groups that take the last administrator are told in the log', async () => {
  await apply(['platform']);
  await apply(['engineering']);
  expect(observed.map((observation) => observation.kind)).toEqual(['people_failed']);
  expect(JSON.stringify(observed)).toContain(`the last administrator of organisation ${organizationId}`);
});

test('groups that take an administrator beside others are not', async () => {
  await apply(['platform']);
  const own = { organizationId, name: 'k', keyHash: 'hash', prefix: 'sk', permissions: 'admin', createdAt: at, personId: null } as const;
  await createApiKey(database, own);
  await apply(['guests']);
  expect(observed).toEqual([]);
});
