import { afterAll, beforeAll, expect, test } from 'vitest';
import { unwrap } from '../../contract/fault.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import { empty, idAt, noon, openQueryRig, type QueryRig, tenant } from '../testing/query-harness.ts';
import type { RequestRow } from './columns.ts';
import { planRequests, requestDialect } from './query.ts';
import { pageStatements } from './select.ts';

const queryMemoryBytes = 96 * 1024 * 1024;
const rows = 1500;
const bytes = 60_000;

let rig: QueryRig;
beforeAll(async () => {
  rig = await openQueryRig(queryMemoryBytes);
  const text = JSON.stringify({ messages: [{ role: 'user', content: `quarterly report ${'conversation '.repeat(bytes / 13)}` }] });
  const records = Array.from({ length: rows }, (_, n) => ({
    ...empty,
    requestId: idAt(noon + n, n),
    createdAt: noon + n,
    requestBody: { kind: 'json' as const, text },
  }));
  await rig.insert(records, 'long');
});
afterAll(async () => rig.close());

test('a search through 90 MB of long bodies needs less than a lane has', async () => {
  const body = { filter: { request_response_rmt: { request_body: { contains: 'quarterly report' } } }, limit: 10 };
  const planned = unwrap(planRequests(tenant, body, requestDialect));
  const statements = planned.kind === 'page' ? pageStatements(planned.plan) : [];
  expect(await runUntilRows<RequestRow>(rig.store.run, statements)).toHaveLength(10);
});
