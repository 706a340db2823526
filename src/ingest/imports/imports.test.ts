import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Deployment } from '../../api/testing/import-harness.ts';
import { nastyRecords, type StoredRecord } from '../../query/filter/testing/nasty-records.ts';
import { type IngestRig, newId, openRig } from '../testing/ingest-harness.ts';

const seed = Date.now() % 2 ** 31;

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const item = (extra: object = {}): { readonly request_id: string; readonly request_created_at: string } => ({
  request_id: newId(),
  request_created_at: '2026-01-31T12:00:00.000Z',
  ...extra,
});

/** Fields in which items differ, a few of them. */
function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const found: string[] = [];
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(id), after.get(id)].map((text) => JSON.parse(text ?? '{}') as Record<string, unknown>);
    for (const field of Object.keys({ ...was, ...is })) {
      const [one, other] = [JSON.stringify(was?.[field]), JSON.stringify(is?.[field])];
      if (one !== other) found.push(`${id} ${field}: ${one?.slice(0, 300)} is now ${other?.slice(0, 300)}`);
    }
    if (found.length === 0 && before.get(id) !== after.get(id)) found.push(`${id}: the order of its fields`);
  }
  return found.slice(0, 10);
}

/** As records are: a rating is a score too, and providers have the names of records. */
const asRecorded = (record: StoredRecord): StoredRecord => ({
  ...record,
  provider: record.provider.toUpperCase(),
  model: record.model === '' ? 'unknown' : record.model,
  scores: record.feedback === null ? record.scores : new Map([...record.scores, ['svc-score-feedback', Number(record.feedback.rating)]]),
});

async function usersOf(deployment: Deployment): Promise<readonly string[]> {
  return (await deployment.query({ filter: 'all' })).map(({ request_user_id: user }) => user);
}

describe('an import', () => {
  test(`brings the items of another deployment back as they were, and a second time adds nothing (seed ${seed})`, async () => {
    const source = await new Deployment(rig).start();
    const target = await new Deployment(rig).start();
    await source.insert(nastyRecords(source.spool.organizationId, 700, seed).map(asRecorded));
    const before = await source.items();
    expect(before.size).toBeGreaterThan(600);
    expect(await target.import([...before.values()])).toMatchObject({ lines: before.size, imported: before.size, rejections: [] });
    await target.whenStored();
    expect(differences(before, await target.items())).toEqual([]);
    expect(await target.import([...before.values()])).toMatchObject({ imported: 0, already_there: before.size, rejected: 0 });
    await target.stop();
    await source.stop();
    expect((await target.spool.storedIds()).requests).toHaveLength(before.size);
    expect((await target.spool.storedIds()).bodies).toHaveLength(before.size);
  });

  test('keeps the identifier of another organisation apart', async () => {
    const [ours, theirs] = [await new Deployment(rig).start(), await new Deployment(rig).start()];
    const same = item({ request_user_id: 'ours' });
    expect(await ours.import([same])).toMatchObject({ imported: 1 });
    expect(await theirs.import([{ ...same, request_user_id: 'theirs' }])).toMatchObject({ imported: 1, already_there: 0 });
    await ours.whenStored();
    await theirs.whenStored();
    expect([await usersOf(ours), await usersOf(theirs)]).toEqual([['ours'], ['theirs']]);
    await Promise.all([ours.stop(), theirs.stop()]);
  });
});
