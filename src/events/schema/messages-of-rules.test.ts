import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { eventsFileName, openEvents } from '../database/database.ts';
import { addDeliveries } from '../log/add-deliveries.ts';
import { listAlertDeliveries } from '../log/deliveries.ts';
import { openSqlite } from '../../platform/sqlite/database.ts';
import type { EventsTables } from './schema.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-messages-'));
afterAll(() => rmSync(folder, { recursive: true }));

const organizationId = '01970000-0000-7000-8000-0000000000aa' as OrganizationId;
const webhook = { kind: 'webhook', webhookId: 'w' } as const;
const page = { limit: 10, offset: 0 };

test('messages to a webhook that were logged before the step are those of their rule', async () => {
  const before = await openEvents(folder, () => 0);
  const message = { organizationId, target: webhook, type: 'alert.triggered', occurredAt: 7 } as const;
  const [id] = await addDeliveries(before, [{ ...message, subject: { kind: 'message', content: { ruleId: 'r' } } }], 8);
  const notice = { ...message, type: 'webhook.disabled', subject: { kind: 'message', content: { ruleId: 'r' } } } as const;
  await addDeliveries(before, [notice], 8);
  await before.close();
  const file = openSqlite<EventsTables>(
    { path: path.join(folder, eventsFileName), name: 'database of events', unavailable: 'events_unavailable' },
    'core',
  );
  await file.queries.schema.dropIndex('deliveries_of_alert').execute();
  await file.queries.schema.alterTable('deliveries').dropColumn('alert_id').execute();
  await file.queries.deleteFrom('schema_migrations').where('name', '=', '0005-messages-of-rules').execute();
  await file.close();

  const after = await openEvents(folder, () => 0);
  expect((await listAlertDeliveries(after, 'r', page)).map((row) => row.id)).toEqual([id]);
  await after.close();
});
