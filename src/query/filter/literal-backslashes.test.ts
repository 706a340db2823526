import { afterAll, beforeAll, expect, test } from 'vitest';
import { unwrap } from '../../contract/fault.ts';
import { uuidToNumber } from '../../model/ids.ts';
import { makeRunStatement, type RunStatement } from '../../store/read/run-statement.ts';
import { lineOf, makeInsertLines, openStoreRig, requestLine, type StoreRig, tenant } from '../../store/testing/store-harness.ts';
import { planRequests, requestDialect } from '../requests/query.ts';
import { countStatement, type CountRow } from '../requests/select.ts';

/** In JSON a line feed is a backslash and an `n`. */
const body = JSON.stringify({ content: 'first line\nsecond line' });

let rig: StoreRig;
let run: RunStatement;
beforeAll(async () => {
  rig = await openStoreRig();
  run = makeRunStatement(rig.connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 1024 ** 3 });
  const insert = makeInsertLines(rig.connections);
  const requests = [body, 'another body'].map((text) => ({ text, ...requestLine() }));
  const keyOf = (id: (typeof requests)[number]['id']) => ({
    org_id: uuidToNumber(tenant).toString(),
    request_id: uuidToNumber(id).toString(),
    created_at: '1700000000.123',
  });
  const bodies = requests.map(({ id, text }) => lineOf('bodies', { ...keyOf(id), request_kind: 'json', request_body: text }));
  await insert('bodies', bodies.join('\n'), 'bodies');
  await insert('requests', requests.map(({ line }) => line).join('\n'), 'requests');
});
afterAll(async () => rig.close());

async function count(filter: unknown): Promise<number> {
  const planned = unwrap(planRequests(tenant, { filter }, requestDialect));
  if (planned.kind !== 'page') throw new Error(planned.hint);
  const [row] = await run<CountRow>(countStatement(planned.plan));
  return Number(row?.total);
}

const inBody = (operator: string, value: string): unknown => ({ request_response_rmt: { request_body: { [operator]: value } } });

test.each([
  ['like', body],
  ['ilike', body],
  ['ilike', String.raw`%LINE\nSECOND%`],
  ['like', String.raw`%line\\nsecond%`],
  ['contains', String.raw`line\nsecond`],
])('a body is found by %s %j, whose backslash is the one of the body', async (operator, value) => {
  expect(await count(inBody(operator, value))).toBe(1);
  expect(await count({ left: inBody(operator, value), operator: 'or', right: inBody('equals', 'another body') })).toBe(2);
});
