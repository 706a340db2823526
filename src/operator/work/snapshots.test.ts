import { existsSync, mkdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAuditDatabase } from '../../audit/database.ts';
import { dataPaths } from '../../config/data-paths.ts';
import { loadConfig } from '../../config/load.ts';
import { openEvents } from '../../events/database/database.ts';
import { type IngestRig, openRig, SpoolRig } from '../../ingest/testing/ingest-harness.ts';
import { makeTakeSnapshot, type TakeSnapshot } from './snapshots.ts';

let rig: IngestRig;
let takeSnapshot: TakeSnapshot;

beforeAll(async () => {
  rig = await openRig();
  await (await openEvents(rig.folder, Date.now)).close();
  await (await openAuditDatabase(rig.folder, Date.now)).close();
  const loaded = loadConfig({ GATELOG_DATA_DIR: rig.folder });
  if ('faults' in loaded) throw new Error(JSON.stringify(loaded.faults));
  const { spool, deadLetters } = dataPaths(loaded.config);
  for (const folder of [spool, deadLetters]) mkdirSync(folder, { recursive: true });
  const drain = await new SpoolRig(rig).openDrain();
  drain.start();
  const { database, store } = rig;
  const running = { withPaused: <Result>(work: () => Promise<Result>) => work() };
  const parts = { config: loaded.config, observe: () => undefined, drain, database, store };
  takeSnapshot = makeTakeSnapshot({ ...parts, removals: running, jobs: running });
});
afterAll(() => rig.close());

test('a backup right behind another one waits until that one is removed; one beside it is refused', async () => {
  const first = await takeSnapshot(false);
  await expect(takeSnapshot(false)).rejects.toThrow('Another backup is being made');
  first.remove();
  const second = await takeSnapshot(false);
  expect(existsSync(second.folder)).toBe(true);
  second.remove();
  second.remove();
  const [third, fourth] = await Promise.allSettled([takeSnapshot(false), takeSnapshot(false)]);
  expect([third.status, fourth.status]).toEqual(['fulfilled', 'rejected']);
  if (third.status === 'fulfilled') third.value.remove();
});

test('a store whose records have moved is not backed up', async () => {
  const held = await rig.store.copy.holdWrites(1000);
  held.close('ClickHouse at db:8443/gatelog');
  await expect(takeSnapshot(false)).rejects.toThrow(
    'The records have moved to ClickHouse at db:8443/gatelog: start Gatelog with that store, then back it up.',
  );
  held.reopen();
});
