import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { type OrganizationId, uuidOfHex } from '../../model/ids.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { empty, openQueryRig, type QueryRig, tenant } from '../../query/testing/query-harness.ts';
import type { Statement } from '../../sql/statement.ts';
import { StoredValues } from './stored-values.ts';
import { byLength, testSeed } from '../../../test/support/test-length.ts';

const stranger = '0197b000-0000-7000-8000-00000000000b' as OrganizationId;
const now = Date.UTC(2026, 5, 15, 13, 30);
const hour = 3_600_000;
const { signal } = new AbortController();
const seed = testSeed();

let rig: QueryRig;
let reads: Statement[] = [];
let values: StoredValues;

beforeAll(async () => {
  rig = await openQueryRig();
  values = valuesOver(rig);
});
afterAll(async () => rig.close());

function valuesOver({ store }: QueryRig): StoredValues {
  const run: typeof store.run = (statement, ...rest) => {
    reads.push(statement);
    return store.run(statement, ...rest);
  };
  return new StoredValues({ run, changes: store.rowChanges, now: () => now });
}

/** What is stored, as a test writes it. */
interface Kept {
  readonly record: RequestRecord;
  readonly properties: Map<string, string>;
}

let kept: Kept[] = [];
let made = 0;

function recordOf(given: Partial<RequestRecord>): RequestRecord {
  made += 1;
  const id = uuidOfHex(`01970000000070008${made.toString(16).padStart(15, '0')}`);
  return { ...empty, requestId: id, createdAt: now, ...given };
}

async function insert(records: readonly RequestRecord[]): Promise<void> {
  made += 1;
  await rig.insert(records, `batch-${made}`);
  kept.push(...records.map((record) => ({ record, properties: new Map(record.properties) })));
}

const ofTenant = (organizationId: OrganizationId): readonly Kept[] => kept.filter(({ record }) => record.organizationId === organizationId);

/** The names and the search, computed again from all that is stored. */
function expectedNames(organizationId: OrganizationId): readonly string[] {
  return [...new Set(ofTenant(organizationId).flatMap(({ properties }) => [...properties.keys()]))].toSorted();
}

function expectedValues(organizationId: OrganizationId, name: string, term: string): readonly string[] {
  const all = ofTenant(organizationId).flatMap(({ properties }) => properties.get(name) ?? []);
  const found = [...new Set(all)].filter((value) => value !== '' && value.toLowerCase().includes(term.toLowerCase()));
  const begins = (value: string): number => (value.toLowerCase().startsWith(term.toLowerCase()) ? 0 : 1);
  return found
    .toSorted((left, right) => begins(left) - begins(right) || Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .slice(0, 25);
}

const random = new SeededRandom(seed);
const names = ['Team', 'Environment', 'Größe'];
const texts = ['search', 'Search team', 'research', 'ops', 'ÄRGER', 'ärger', '%', 'a_b', '', '日本', 'x'.repeat(300)];
const terms = ['', 's', 'SEA', 'search', 'är', 'Ä', '%', '_', 'x', '日', 'nowhere'];

function randomRecord(): RequestRecord {
  const ages = [0, hour / 2, 2 * hour, 20 * hour, 40 * hour, 60 * hour, 24 * 30 * hour, 24 * 200 * hour, -5 * hour, now + 5 * hour];
  const organizationId = random.below(4) === 0 ? stranger : tenant;
  const properties = new Map(names.filter(() => random.below(2) === 0).map((name) => [name, random.of(texts)]));
  if (random.below(6) === 0) properties.set('Team', `many ${random.below(60)}`);
  return recordOf({
    organizationId,
    createdAt: now - random.of(ages) + random.below(hour),
    userId: `user-${random.below(5)}`,
    sessionId: `session-${random.below(4)}`,
    properties,
  });
}

const number = (): number => (made += 1);

/** One random step over the store and over what is expected. @returns its name. */
async function step(): Promise<string> {
  const which = random.below(12);
  const some = kept.length === 0 ? undefined : random.of(kept);
  if (which < 6 || some === undefined) {
    await insert(Array.from({ length: 1 + random.below(4) }, randomRecord));
    return 'insert';
  }
  const { record } = some;
  const { organizationId, createdAt, requestId, sessionId, userId } = record;
  const set = new Map([[random.of([...names, 'Late']), random.of([...texts, 'late'])]]);
  const accepted = { organizationId, keyId: 'key', acceptedAt: now, number: number() };
  if (which < 9) {
    await rig.store.changeStored({ accepted: { ...accepted, requestId, change: { kind: 'property', values: set } }, createdAt });
    for (const [name, value] of set) some.properties.set(name, value);
    return 'change';
  }
  if (which < 10) {
    await rig.store.changeStoredSession.update({ ...accepted, sessionId, values: set });
    const members = ofTenant(organizationId).filter((one) => one.record.sessionId === sessionId);
    for (const { properties } of members) for (const [name, value] of set) properties.set(name, value);
    return 'session change';
  }
  if (which < 11) {
    const erasure = { number: number(), organizationId, userId, erasedAt: now + 1e9 };
    await rig.store.erase.list(erasure, signal);
    await rig.store.erase.removeRequests(erasure, signal);
    kept = kept.filter((one) => one.record.organizationId !== organizationId || one.record.userId !== userId);
    return 'erasure';
  }
  const before = now - 24 * random.of([100, 300]) * hour;
  await rig.store.removeExpired({ organizations: [organizationId], before }, signal);
  kept = kept.filter((one) => one.record.organizationId !== organizationId || one.record.createdAt >= before);
  return 'retention';
}

describe('names and values of properties', () => {
  test(
    `are those of the stored requests after every insert, change, erasure and retention (seed ${seed})`,
    { timeout: 300_000 },
    async () => {
      const steps = new Set<string>();
      // A rare kind of step may come late: the sample grows until it has all of them.
      for (let count = 0; count < byLength(12, 50) || (steps.size < 5 && count < 300); count += 1) {
        const name = await step();
        steps.add(name);
        for (const organizationId of [tenant, stranger]) {
          const searches = [...names, 'Late'].map((property) => [property, random.of(terms)] as const);
          const found = await Promise.all(searches.map(([property, term]) => values.search(organizationId, property, term)));
          expect({ count, name, names: (await values.names(organizationId, 100)).toSorted(), searches, found }).toEqual({
            count,
            name,
            names: expectedNames(organizationId),
            searches,
            found: searches.map(([property, term]) => expectedValues(organizationId, property, term)),
          });
        }
      }
      expect([...steps].toSorted()).toEqual(['change', 'erasure', 'insert', 'retention', 'session change']);
    },
  );

  test('are read from the store once and then only where something has changed', async () => {
    await insert([recordOf({ createdAt: now, properties: new Map([['Kept', 'one']]) })]);
    await insert([recordOf({ createdAt: now - 24 * 90 * hour, properties: new Map([['Kept', 'old']]) })]);
    await values.search(tenant, 'Kept', '');
    reads = [];
    for (const term of ['o', 'on', 'one']) await values.search(tenant, 'Kept', term);
    expect(reads).toHaveLength(0);
    await insert([recordOf({ createdAt: now + 5, properties: new Map([['Kept', 'once']]) })]);
    expect(await values.search(tenant, 'Kept', 'o')).toEqual(['old', 'once', 'one']);
    expect(reads).toHaveLength(1);
    expect(reads[0]?.text).toContain('created_at >=');
    reads = [];
    await insert([recordOf({ organizationId: stranger, properties: new Map([['Kept', 'theirs']]) })]);
    expect(await values.search(tenant, 'Kept', 'theirs')).toEqual([]);
    expect(reads).toHaveLength(0);
  });

  test('that arrive while a list is read are found by the next search', async () => {
    const property = 'Meanwhile';
    await insert([recordOf({ properties: new Map([[property, 'first']]) })]);
    let meanwhile: Promise<void> | undefined;
    const { store } = rig;
    const racing = new StoredValues({
      changes: store.rowChanges,
      now: () => now,
      run: async (statement, ...rest) => {
        const rows = await store.run(statement, ...rest);
        meanwhile ??= insert([recordOf({ properties: new Map([[property, 'second']]) })]);
        await meanwhile;
        return rows as never;
      },
    });
    expect(await racing.search(tenant, property, '')).toEqual(['first']);
    expect(await racing.search(tenant, property, '')).toEqual(['first', 'second']);
  });

  test('of which there are too many to keep are searched in the store', { timeout: 120_000 }, async () => {
    const many = Array.from({ length: 300 }, (_, index) => {
      const properties = new Map([['Wide', `${String(index).padStart(4, '0')} ${'w'.repeat(30_000)}`]]);
      return recordOf({ createdAt: now - index * hour, properties });
    });
    for (let first = 0; first < many.length; first += 100) await insert(many.slice(first, first + 100));
    reads = [];
    const found = await values.search(tenant, 'Wide', '02');
    expect(found).toEqual(expectedValues(tenant, 'Wide', '02'));
    expect(found).toHaveLength(25);
    const { length } = reads;
    await values.search(tenant, 'Wide', '01');
    expect(reads).toHaveLength(length + 1);
  });

  test('whose reading fails are read again', async () => {
    let failures = 1;
    const { store } = rig;
    const failing = new StoredValues({
      changes: store.rowChanges,
      now: () => now,
      run: async (statement, ...rest) => {
        failures -= 1;
        if (failures === 0) throw new Error('the store is away');
        return store.run(statement, ...rest);
      },
    });
    await expect(failing.search(tenant, 'Kept', '')).rejects.toThrow('away');
    expect(await failing.search(tenant, 'Kept', 'one')).toEqual(['one']);
  });
});
