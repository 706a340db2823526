import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unwrap } from '../../contract/fault.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import { empty, idAt, noon, openQueryRig, type QueryRig, tenant } from '../testing/query-harness.ts';
import type { RequestRow } from './columns.ts';
import { planRequests, requestDialect } from './query.ts';
import { pageStatements } from './select.ts';

/** A text of words that repeat, with one that is sought. */
function textOf(bytes: number): string {
  return JSON.stringify({ messages: [{ role: 'user', content: `quarterly report ${'conversation '.repeat(bytes / 13)}` }] });
}

describe.each([
  { rows: 1500, bytes: 60_000, queryMemoryBytes: 96 * 1024 * 1024 },
  { rows: 200, bytes: 1_000_000, queryMemoryBytes: 256 * 1024 * 1024 },
])('a search through $rows bodies of $bytes bytes', ({ rows, bytes, queryMemoryBytes }) => {
  let rig: QueryRig;
  beforeAll(async () => {
    rig = await openQueryRig(queryMemoryBytes);
    const text = textOf(bytes);
    const records = Array.from({ length: rows }, (_, n) => ({
      ...empty,
      requestId: idAt(noon + n, n),
      createdAt: noon + n,
      requestBody: { kind: 'json' as const, text },
    }));
    for (let first = 0; first < rows; first += 100) await rig.insert(records.slice(first, first + 100), `long-${first}`);
  });
  afterAll(async () => rig.close());

  test(`needs less than the ${queryMemoryBytes / 1024 / 1024} MiB of all queries`, async () => {
    const body = { filter: { request_response_rmt: { request_body: { contains: 'quarterly report' } } }, limit: 10 };
    const planned = unwrap(planRequests(tenant, body, requestDialect));
    const statements = planned.kind === 'page' ? pageStatements(planned.plan) : [];
    expect(await runUntilRows<RequestRow>(rig.store.run, statements)).toHaveLength(10);
  });
});
