import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RequestId } from '../model/ids.ts';
import { type IngestRig, openRig, SpoolRig, until } from './testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const limits = { maxRows: 7, maxBytes: 1e9 };
const loseCheckpoint = (spool: SpoolRig): void => rmSync(path.join(spool.folder, 'checkpoint.json'));

/** A spool of which the store has some: of a live worker, and of one that died with a call open. */
async function storedInPart(): Promise<{ readonly spool: SpoolRig; readonly ids: RequestId[] }> {
  const spool = new SpoolRig(rig);
  const [live, dying] = [spool.openWriter(), spool.openWriter()];
  const ids: RequestId[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await spool.write(live), await spool.write(dying));
  await spool.drainAll({ limits });
  for (let count = 0; count < 20; count += 1) ids.push(await spool.write(live), await spool.write(dying));
  ids.push(await spool.write(dying, { end: null }));
  await spool.killWriter(dying);
  return { spool, ids };
}

it('what the store has is not stored again where the checkpoint is gone, and what it has not is stored', async () => {
  const { spool, ids } = await storedInPart();
  loseCheckpoint(spool);
  await spool.drainAll({ limits });
  expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
  expect(await spool.deadLetters()).toEqual([]);
});

it('nor is it by a further start, after one that stopped on the way', async () => {
  const { spool, ids } = await storedInPart();
  loseCheckpoint(spool);
  let batches = 0;
  const drain = await spool.openDrain({
    limits,
    insert: async (table, rows, token) => {
      batches += 1;
      if (batches > 3) throw new Error('the store is away');
      await rig.store.insert(table, rows, token);
    },
  });
  drain.start();
  await until(() => batches > 3);
  await drain.stop(0);
  await spool.drainAll({ limits });
  expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
});

it('a change that comes meanwhile is not lost in a record that the store had', async () => {
  const { spool, ids } = await storedInPart();
  loseCheckpoint(spool);
  const { drain, changer } = await spool.openCore({ limits });
  const change = { kind: 'property', values: new Map([['Team', 'search']]) } as const;
  drain.start();
  await Promise.all(ids.slice(0, 5).map((id) => changer.change(spool.principal, id, change)));
  await drain.stop(10_000);
  expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
  const changed = (await spool.rows()).filter(({ properties }) => properties['Team'] === 'search').map(({ id }) => id);
  expect(changed).toEqual(ids.slice(0, 5).toSorted());
});
