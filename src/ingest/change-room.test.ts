import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RequestId } from '../model/ids.ts';
import { type IngestRig, openRig, SpoolRig, until, written } from './ingest-rig.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

/** So many properties of eight KiB. */
function large(count: number, first = 0): ReadonlyMap<string, string> {
  return new Map(Array.from({ length: count }, (_, index) => [`name-${first + index}`, 'x'.repeat(8192)]));
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
  expect([exchange?.hasRoomFor(large(7)), exchange?.hasRoomFor(large(8))]).toEqual([true, false]);
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
