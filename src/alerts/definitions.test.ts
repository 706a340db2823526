import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MetadataDatabase } from '../metadata/database.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import { makeRateLimitLookUp } from '../metadata/organization/rate-limits.ts';
import type { OrganizationId, Uuid } from '../model/ids.ts';
import { AlertDefinitions } from './definitions.ts';
import type { Alert } from './machine/rule.ts';

const organizationId = '01970000-0000-7000-8000-0000000000aa' as OrganizationId;
const other = '01970000-0000-7000-8000-0000000000bb' as OrganizationId;
const uuid = (number: number): Uuid => `01970000-0000-7000-8000-${String(number).padStart(12, '0')}` as Uuid;

function alertOf(id: Uuid, name: string, threshold: number): Alert {
  const rule = { name, metric: 'cost', threshold, time_window: 60_000 };
  return { id, organizationId, rule, channels: [], limitPolicy: null, offered: false, createdAt: 1, changedAt: threshold };
}

const limited = (id: Uuid, given: Partial<Alert>): Alert => ({ ...alertOf(id, 'Spend', 20), ...given });

let folder: string;
let database: MetadataDatabase;
let definitions: AlertDefinitions;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-definitions-'));
  database = await openMigratedMetadata(folder, 'core', () => 1);
  definitions = await AlertDefinitions.open(database);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const thresholds = (known: AlertDefinitions) => known.of(organizationId).map(({ id, rule }) => [id, rule.threshold]);
const stored = async () => thresholds(await AlertDefinitions.open(database));

test('rules with `enforce` of the same name in two organisations limit each its own calls, and end by themselves', async () => {
  const limitsOf = makeRateLimitLookUp(database);
  await definitions.add(limited(uuid(1), { limitPolicy: '2000;w=60;u=cents' }));
  await definitions.add(limited(uuid(2), { organizationId: other, limitPolicy: '500;w=60;u=cents' }));
  const limits = () => [organizationId, other].map((organization) => limitsOf(organization).map(({ policy, rule }) => [policy, rule?.id]));
  expect(limits()).toEqual([[['2000;w=60;u=cents', uuid(1)]], [['500;w=60;u=cents', uuid(2)]]]);
  expect(await definitions.remove(other, uuid(1))).toBe(false);
  expect(await definitions.replace(limited(uuid(1), { organizationId: other, limitPolicy: '1;w=60;u=cents' }))).toBe('name_taken');
  expect(limits()[0]).toEqual([['2000;w=60;u=cents', uuid(1)]]);
  expect(await definitions.remove(organizationId, uuid(1))).toBe(true);
  expect(limits()).toEqual([[], [['500;w=60;u=cents', uuid(2)]]]);
});

describe('rules that are changed at once', () => {
  test('are in memory as they are stored: the last change of each', async () => {
    await definitions.add(alertOf(uuid(1), 'one', 1));
    const changes = Array.from({ length: 20 }, (_, index) => definitions.replace(alertOf(uuid(1), 'one', index + 2)));
    expect(await Promise.all(changes)).toEqual(changes.map(() => undefined));
    expect(thresholds(definitions)).toEqual(await stored());
    expect(thresholds(definitions)).toEqual([[uuid(1), 21]]);
  });

  test('and deleted do not come back', async () => {
    for (let round = 1; round <= 20; round += 1) {
      await definitions.add(alertOf(uuid(round), 'one', 1));
      const [refusal, isRemoved] = await Promise.all([
        definitions.replace(alertOf(uuid(round), 'one', 2)),
        definitions.remove(organizationId, uuid(round)),
      ]);
      expect([refusal, isRemoved]).toEqual([undefined, true]);
      expect(thresholds(definitions)).toEqual([]);
    }
    expect(await stored()).toEqual([]);
  });
});
