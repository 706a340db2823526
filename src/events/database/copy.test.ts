import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addDeliveries } from '../log/add-deliveries.ts';
import { copyEvents } from './copy.ts';
import { type EventsDatabase, eventsFileName, eventsSteps, openEvents } from './database.ts';
import { countPending, readPositions, storePositions } from '../log/positions.ts';
import { organizationId, requestDelivery } from '../testing/outbox-harness.ts';

let folder: string;
let database: EventsDatabase;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-copy-'));
  database = await openEvents(folder, Date.now);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

test('a copy has the deliveries and positions of its moment, and opens as the database of a data folder', async () => {
  const add = () => addDeliveries(database, [requestDelivery('w')], 1);
  const [first] = await add();
  await storePositions(database, [{ webhookId: 'w', organizationId, position: 5 }]);
  const copyFolder = mkdtempSync(path.join(folder, "it's-a-copy-"));
  expect(await copyEvents(folder, path.join(copyFolder, eventsFileName))).toEqual([...eventsSteps].toSorted());
  await add();
  const copy = await openEvents(copyFolder, Date.now);
  expect(await copy.queries.selectFrom('deliveries').select('id').execute()).toEqual([{ id: first }]);
  expect(await readPositions(copy)).toEqual([{ webhookId: 'w', organizationId, position: 5 }]);
  expect([await countPending(copy, 'webhook/w'), await countPending(database, 'webhook/w')]).toEqual([1, 2]);
  await copy.close();
});
