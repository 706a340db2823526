import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import { createOrganization } from '../../metadata/organization/organizations.ts';
import { keepAccount } from '../../metadata/people/accounts.ts';
import { listMemberships } from '../../metadata/people/members.ts';
import { applyIdentity } from './apply-identity.ts';

const at = 1_700_000_000_000;

test.each([
  ['name', 'identifier'],
  ['identifier', 'name'],
] as const)('of rows that name one organisation by its %s and its %s the widest permissions hold', async (first, second) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-identity-'));
  const database = await openMigratedMetadata(folder, 'core', () => at);
  try {
    const made = await createOrganization(database, 'ours', at);
    if (made === 'name_taken') throw new Error('taken');
    const names = { name: 'ours', identifier: made.id };
    const account = { issuer: 'https://issuer.example', subject: 'ada', name: 'Ada', mail: null };
    const person = await keepAccount(database, account, at);
    const rules = {
      database,
      admitted: ['platform'],
      roles: [
        { group: 'platform', organization: names[first], permissions: 'admin' },
        { group: 'engineering', organization: names[second], permissions: 'r' },
      ] as const,
      observe: () => undefined,
      now: () => at,
    };
    await applyIdentity(rules, person.id, { account, verifiedMail: null, groups: ['platform', 'engineering'] });
    expect((await listMemberships(database, person.id)).map(({ permissions }) => permissions)).toEqual(['admin']);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
});
