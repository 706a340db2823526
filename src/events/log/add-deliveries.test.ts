import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NewDelivery } from '../../model/events/event.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import { addDeliveries } from './add-deliveries.ts';
import { type EventsDatabase, openEvents } from '../database/database.ts';
import { countPending, readPositions, removePositions, storePositions } from './positions.ts';

const organizationId = '01890000-0000-7000-8000-000000000001' as OrganizationId;
const requestId = '01890000-0000-7000-8000-0000000000aa' as RequestId;
const now = () => 1_700_000_000_000;
let folder: string;
let database: EventsDatabase;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-outbox-'));
  database = await openEvents(folder, now);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

function deliveryTo(webhookId: string): NewDelivery {
  const subject = { kind: 'request', requestId, createdAt: 5 } as const;
  return { organizationId, target: { kind: 'webhook', webhookId }, type: 'request.completed', subject, occurredAt: 7 };
}

test('deliveries and the position behind their records are stored together, or not at all', async () => {
  const many = Array.from({ length: 1200 }, () => deliveryTo('w'));
  const work = (failure?: Error) =>
    inWriteTransaction(database, async (transaction) => {
      await addDeliveries(transaction, many, now());
      await storePositions(transaction, [{ webhookId: 'w', organizationId, position: 17 }]);
      if (failure !== undefined) throw failure;
    });
  await expect(work(new Error('in the middle'))).rejects.toThrow('in the middle');
  expect([await countPending(database, 'webhook/w'), await readPositions(database)]).toEqual([0, []]);
  await work();
  expect(await countPending(database, 'webhook/w')).toBe(1200);
  expect(await readPositions(database)).toEqual([{ webhookId: 'w', organizationId, position: 17 }]);
});

test('a position moves, and goes with its webhook', async () => {
  for (const position of [1, 9]) await storePositions(database, [{ webhookId: 'w', organizationId, position }]);
  expect((await readPositions(database)).map(({ position }) => position)).toEqual([9]);
  await removePositions(database, 'w');
  expect(await readPositions(database)).toEqual([]);
});

test('each delivery has an identifier of its own, which sorts by the order of addition', async () => {
  const message: NewDelivery = {
    organizationId,
    target: { kind: 'channel', alertId: 'a', channelId: 'c' },
    type: 'alert.triggered',
    subject: { kind: 'message', content: { kind: 'triggered' } },
    occurredAt: 7,
  };
  const ids = await addDeliveries(database, [deliveryTo('w'), message, deliveryTo('w')], now());
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^msg_[0-9a-f]{8}-[0-9a-f]{4}-7/);
  const rows = await database.queries.selectFrom('deliveries').selectAll().orderBy('id').execute();
  expect(rows.map(({ target, request_id, content, due_at }) => ({ target, request_id, content, due_at }))).toEqual([
    { target: 'webhook/w', request_id: requestId, content: null, due_at: now() },
    { target: 'channel/a/c', request_id: null, content: '{"kind":"triggered"}', due_at: now() },
    { target: 'webhook/w', request_id: requestId, content: null, due_at: now() },
  ]);
});
