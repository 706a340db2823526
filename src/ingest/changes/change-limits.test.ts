import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPendingChanges } from '../../metadata/pending-changes.ts';
import type { Change } from '../../model/change.ts';
import type { RequestId } from '../../model/ids.ts';
import { type IngestRig, openRig, SpoolRig, until, written } from '../testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

/** So many properties of eight KiB. */
function large(count: number, first = 0): ReadonlyMap<string, string> {
  return new Map(Array.from({ length: count }, (_, index) => [`name-${first + index}`, 'x'.repeat(8192)]));
}

/** As many scores as one call may name. */
function scores(first: number): Change {
  return { kind: 'score', values: new Map(Array.from({ length: 64 }, (_, index) => [`score-${first + index}`, index])) };
}

async function namesOf(spool: SpoolRig, id: RequestId): Promise<number> {
  const row = (await spool.rows()).find((candidate) => candidate.id === id);
  return Object.keys(row?.properties ?? {}).filter((name) => name.startsWith('name-')).length;
}

test('a request on its way takes as much of changes as a stored one has room for; more waits for the store, and is refused there', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const stream = writer.newStream();
  const id = spool.writeOpen(writer, stream, { tags: { properties: [], sessionId: 's' } });
  await written(writer);
  const { drain, changer, sessions } = await spool.openCore();
  const put = (values: ReadonlyMap<string, string>) => changer.change(spool.principal, id, { kind: 'property', values });
  await put(large(60));
  await sessions.setProperties(spool.principal, 's', large(60, 60));
  const exchange = drain.inFlight.find(spool.organizationId, id);
  const hasRoomFor = (count: number) => exchange?.hasSpaceFor({ kind: 'property', values: large(count) });
  expect([hasRoomFor(7), hasRoomFor(8)]).toEqual([true, false]);
  const fits = put(new Map([['small', 'fits']]));
  const refused = put(large(8, 120)).catch((error: unknown) => error);
  await fits;
  spool.writeRest(writer, stream, {});
  await written(writer);
  drain.start();
  expect(await refused).toMatchObject({ code: 'query_too_large' });
  await until(async () => (await namesOf(spool, id)) === 120);
  await drain.stop(10_000);
});

test('scores and ratings take room as well: what has none waits for the store, and no more of them pile up', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const stream = writer.newStream();
  const id = spool.writeOpen(writer, stream);
  await written(writer);
  const { drain, changer } = await spool.openCore();
  const feedback: Change = { kind: 'feedback', rating: true };
  for (let first = 0; first < 255; first += 64) await changer.change(spool.principal, id, scores(first));
  const exchange = drain.inFlight.find(spool.organizationId, id);
  expect(exchange?.hasSpaceFor(feedback)).toBe(false);
  const rated = changer.change(spool.principal, id, feedback);
  expect(await pendingOf(spool, id)).toBe(4);
  spool.writeRest(writer, stream, {});
  await written(writer);
  drain.start();
  await rated;
  await drain.stop(10_000);
  const [row] = await spool.read<{ scores: Readonly<Record<string, number>>; feedback_rating: boolean }>(
    'SELECT scores, feedback_rating FROM requests WHERE org_id = {tenant:UInt128}',
  );
  expect([Object.keys(row?.scores ?? {}).length, row?.feedback_rating]).toEqual([257, true]);
});

async function pendingOf(spool: SpoolRig, requestId: RequestId): Promise<number> {
  return (await listPendingChanges(rig.database, [{ organizationId: spool.organizationId, requestId }])).length;
}
