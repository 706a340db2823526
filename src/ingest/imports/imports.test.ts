import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Deployment } from '../../api/testing/import-harness.ts';
import { nastyRecords, type StoredRecord } from '../../query/filter/testing/nasty-records.ts';
import { orderErasure } from '../../metadata/erasures.ts';
import type { RequestId } from '../../model/ids.ts';
import { RedactionRules } from '../../metadata/organization/redaction-rules.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { previewOf } from '../interpret/previews.ts';
import { systemClock } from '../../platform/clock.ts';
import { type IngestRig, makeGate, newId, openRig, until } from '../testing/ingest-harness.ts';
import { byLength, testSeed } from '../../../test/support/test-length.ts';

const seed = testSeed();
const exportedRecords = Number(process.env['IMPORT_TEST_RECORDS'] ?? byLength(500, 2000));

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const item = (extra: object = {}): { readonly request_id: RequestId; readonly request_created_at: string } => ({
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

/** The first lines that differ; undefined for equal texts. */
function firstDifference(before: string, after: string): readonly string[] | undefined {
  if (before === after) return undefined;
  const [was, is] = [before.split('\n'), after.split('\n')];
  const at = was.findIndex((line, index) => line !== is[index]);
  return [`line ${at + 1} of ${was.length} and ${is.length}`, was[at]?.slice(0, 3000) ?? '', is[at]?.slice(0, 3000) ?? ''];
}

/** Records as calls could make them: no name or value is over its limit. */
function recordsOf({ spool }: Deployment, count: number, seedOfRecords: number): readonly StoredRecord[] {
  const isShort = (value: unknown): boolean => {
    if (value instanceof Map) return [...value.values()].every(isShort);
    return typeof value !== 'string' || Buffer.byteLength(value) <= textLimits.identifierBytes;
  };
  return nastyRecords(spool.organizationId, count, seedOfRecords)
    .filter((made) => Object.values(made).every(isShort))
    .map(asRecorded);
}

/** As records are: of a body there is a preview, a rating is a score too, and providers have the names of records. */
const asRecorded = (record: StoredRecord): StoredRecord => ({
  ...record,
  provider: record.provider.toUpperCase(),
  model: record.model === '' ? 'unknown' : record.model,
  inputPreview: previewOf(record.inputPreview) || 'asked',
  outputPreview: previewOf(record.outputPreview) || 'said',
  scores: record.feedback === null ? record.scores : new Map([...record.scores, ['svc-score-feedback', Number(record.feedback.rating)]]),
});

const noCounts = { requests: 0, bodies: 0, cache_entries: 0, spool_records: 0, dead_letters: 0, blobs: 0 };

/** What an item has of a chat. */
const call = (asked: string, said: string): object => ({
  provider: 'OPENAI',
  request_path: '/v1/chat/completions',
  request_body: { model: 'm', messages: [{ role: 'user', content: asked }] },
  response_body: { model: 'm', choices: [{ message: { role: 'assistant', content: said } }] },
});

async function usersOf(deployment: Deployment): Promise<readonly string[]> {
  return (await deployment.query({ filter: 'all' })).map(({ request_user_id: user }) => user);
}

describe('an import', () => {
  test(`brings the items of another deployment back as they were, and a second time adds nothing (seed ${seed})`, async () => {
    const source = await new Deployment(rig).start();
    const target = await new Deployment(rig).start();
    await source.insert(recordsOf(source, 700, seed));
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

  test(`of an export gives the same export, byte for byte (seed ${seed})`, { timeout: 600_000 }, async () => {
    const source = await new Deployment(rig).start();
    const target = await new Deployment(rig).start();
    const taken = new Set<string>();
    for (let round = 0; taken.size < exportedRecords; round += 1) {
      const made = recordsOf(source, Math.min(1000, exportedRecords), seed + round).filter(({ requestId }) => !taken.has(requestId));
      for (const { requestId } of made) taken.add(requestId);
      await source.insert(made);
    }
    const before = await source.exported();
    const lines = before.split('\n').length - 1;
    expect(lines).toBe(taken.size);
    const response = await target.post('/v1/import', before);
    expect(await response.json()).toMatchObject({ data: { lines, imported: lines, rejections: [] } });
    await target.whenStored();
    const after = await target.exported();
    expect(firstDifference(before, after)).toBeUndefined();
    await target.stop();
    await source.stop();
  });

  test('keeps the previews of an item without bodies; one without previews gets those of its bodies', async () => {
    const target = await new Deployment(rig).start();
    await target.import([
      item({ request_user_id: 'without bodies', input_preview: 'Where is\nAtlantis?', output_preview: 'Nowhere.' }),
      item({ request_user_id: 'with bodies', ...call('Where is Troy?', 'In Hisarlik.') }),
      item({ request_user_id: 'with neither' }),
    ]);
    await target.whenStored();
    const items = await target.query({ filter: 'all', includeBodies: false });
    await target.stop();
    expect(new Map(items.map((each) => [each.request_user_id, [each.input_preview, each.output_preview]]))).toEqual(
      new Map([
        ['without bodies', ['Where is Atlantis?', 'Nowhere.']],
        ['with bodies', ['Where is Troy?', 'In Hisarlik.']],
        ['with neither', [null, null]],
      ]),
    );
  });

  test('finds a failed call by what its answer says, where the item does not state it', async () => {
    const target = await new Deployment(rig).start();
    const error = { message: 'Rate limit reached for anna', type: 'tokens', code: 'rate_limit_exceeded' };
    await target.import([
      item({ ...call('Hello', ''), request_user_id: 'ann', response_status: 429, response_body: { error } }),
      item({ ...call('Hello', 'Hi'), request_user_id: 'bob', response_status: 200 }),
    ]);
    await target.whenStored();
    const found = await target.query({ filter: { request_response_rmt: { failure_type: { equals: 'tokens' } } } });
    await target.stop();
    expect(found.map(({ request_user_id: user, failure }) => [user, failure])).toEqual([
      ['ann', { kind: 'status', type: 'tokens', message: 'Rate limit reached for anna' }],
    ]);
  });

  test('applies the rules to the previews of an item', async () => {
    const target = await new Deployment(rig).start();
    const { organizationId } = target.spool;
    await rig.database.queries.insertInto('organizations').values({ id: organizationId, name: organizationId, created_at: 0 }).execute();
    await new RedactionRules(rig.database, systemClock).replace(organizationId, [
      { kind: 'email', pattern: null, replacement: '[EMAIL]', appliesTo: ['request', 'response'] },
    ]);
    const across = `${'a'.repeat(194)} ann@example.com`;
    await target.import([
      item({ request_user_id: 'a', input_preview: 'I am ann@example.com', output_preview: 'Hello ann@example.com' }),
      item({ request_user_id: 'b', ...call(across, across), input_preview: across.slice(0, 200), output_preview: across.slice(0, 200) }),
    ]);
    await target.whenStored();
    const items = await target.query({ filter: 'all' });
    await target.stop();
    expect(new Map(items.map((each) => [each.request_user_id, [each.input_preview, each.output_preview]]))).toEqual(
      new Map([
        ['a', ['I am [EMAIL]', 'Hello [EMAIL]']],
        ['b', [`${'a'.repeat(194)} [EMAI`, `${'a'.repeat(194)} [EMAI`]],
      ]),
    );
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

  test('adds nothing for an identifier that is still in flight, or stands twice', async () => {
    const deployment = await new Deployment(rig).start();
    const writer = deployment.spool.openWriter();
    const inFlight = await deployment.spool.write(writer, { end: null });
    const first = item();
    const outcome = await deployment.import([{ ...item(), request_id: inFlight.toUpperCase() }, first, first]);
    expect(outcome).toMatchObject({ lines: 3, imported: 1, already_there: 2 });
    // The import waits for nothing: the same lines are found on their way to the store.
    expect(await deployment.import([first])).toMatchObject({ imported: 0, already_there: 1 });
    await deployment.spool.killWriter(writer);
    await deployment.whenStored();
    await deployment.stop();
    expect((await deployment.spool.storedIds()).requests.toSorted()).toEqual([inFlight, first.request_id].toSorted());
  });

  test('stores calls of more months than the engine takes at once unless it is told to', async () => {
    const deployment = await new Deployment(rig).start();
    const months = Array.from({ length: 120 }, (_, index) =>
      item({ request_created_at: new Date(Date.UTC(2016, 2 + index)).toISOString() }),
    );
    expect(await deployment.import(months)).toMatchObject({ imported: 120 });
    await deployment.whenStored();
    expect((await deployment.spool.storedIds()).requests).toHaveLength(120);
    await deployment.stop();
  });

  test('takes changes while it is in flight', async () => {
    const deployment = new Deployment(rig);
    const hold = makeGate();
    await deployment.start({ insert: async (...given) => hold.passed.then(() => rig.store.insert(...given)) });
    const blocking = item();
    await deployment.import([blocking]);
    const { organizationId } = deployment.spool;
    await until(() => deployment.drain.inFlight.find(organizationId, blocking.request_id)?.state === 'frozen');
    const changed = item({ properties: { Team: 'a', Env: 'prod' }, scores: { quality: 1 } });
    await deployment.import([changed]);
    await deployment.change(changed.request_id, 'property', { Team: 'b' });
    hold.open();
    await deployment.whenStored();
    const [found] = await deployment.query({ filter: { request_response_rmt: { request_id: { equals: changed.request_id } } } });
    expect(found).toMatchObject({ properties: { Team: 'b', Env: 'prod' }, scores: { quality: 1 } });
    await deployment.stop();
  });

  test('brings no record of a user back whose erasure runs', async () => {
    const deployment = await new Deployment(rig).start();
    const { organizationId } = deployment.spool;
    const erasure = { number: 7, organizationId, userId: 'gone', erasedAt: Date.now(), stage: 'ordered', counts: noCounts } as const;
    const lines = [item({ request_user_id: 'gone' }), item({ request_user_id: 'here' })];
    deployment.running.add(erasure);
    await expect(deployment.import(lines)).rejects.toThrow('503 A user of this organisation is being erased');
    await deployment.whenStored();
    deployment.running.remove(erasure);
    expect(await deployment.import([lines[1] ?? {}])).toMatchObject({ imported: 1, already_there: 0 });
    await deployment.whenStored();
    expect(await usersOf(deployment)).toEqual(['here']);
    await deployment.stop();
  });

  test('leaves a record out whose erasure begins while it is on its way', async () => {
    const deployment = new Deployment(rig);
    const { organizationId } = deployment.spool;
    await rig.database.queries.insertInto('organizations').values({ id: organizationId, name: organizationId, created_at: 0 }).execute();
    const ordered = await orderErasure(rig.database, { organizationId, userId: 'gone', at: Date.now(), takesNew: true });
    if (ordered === undefined) throw new Error('there is no erasure');
    await deployment.start({ intervalMs: 400 });
    await deployment.import([item()]);
    await deployment.import([item({ request_user_id: 'gone' }), item({ request_user_id: 'here' })]);
    deployment.running.add(ordered);
    await deployment.whenStored();
    expect((await usersOf(deployment)).toSorted()).toEqual(['', 'here']);
    await deployment.stop();
  });

  test('redacts by the rules of the organisation, in bodies and in what is derived from them', async () => {
    const deployment = await new Deployment(rig).start();
    const { organizationId } = deployment.spool;
    await rig.database.queries.insertInto('organizations').values({ id: organizationId, name: organizationId, created_at: 0 }).execute();
    await new RedactionRules(rig.database, systemClock).replace(organizationId, [
      { kind: 'email', pattern: null, replacement: '[mail]', appliesTo: ['request', 'response', 'properties', 'identifiers'] },
    ]);
    const mail = 'ann@example.com';
    await deployment.import([
      item({ ...call(`Write to ${mail}`, `I wrote to ${mail}`), properties: { Mail: mail }, request_user_id: mail }),
    ]);
    await deployment.whenStored();
    const [found] = await deployment.query({ filter: 'all' });
    expect(JSON.stringify(found)).not.toContain(mail);
    expect(await deployment.query({ filter: { request_response_rmt: { request_body: { contains: mail } } } })).toEqual([]);
    expect(await deployment.query({ filter: { response: { body_completion: { contains: mail } } } })).toEqual([]);
    expect(found?.properties).toHaveProperty('Mail');
    await deployment.stop();
  });

  test('rejects what the retention would remove at once, and times that cannot be right', async () => {
    const deployment = new Deployment(rig);
    deployment.deploymentDays = 365;
    await deployment.start();
    const at = (ms: number): object => item({ request_created_at: new Date(ms).toISOString() });
    const now = Date.now();
    const dayMs = 86_400_000;
    const lines = [at(now - 366 * dayMs), at(now - 364 * dayMs), at(now + 2 * dayMs), item({ request_created_at: now / 1000 })];
    const { imported, rejections } = await deployment.import(lines);
    expect(imported).toBe(1);
    expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
      [1, expect.stringContaining('retention')],
      [3, expect.stringContaining('future')],
      [4, expect.stringContaining('milliseconds')],
    ]);
    await deployment.stop();
  });
});
