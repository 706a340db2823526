import { afterAll, beforeAll, expect, test } from 'vitest';
import { createdAt, makeInsertLines, openStoreRig, requestLine, type StoreRig } from '../testing/store-harness.ts';
import { makeCountCalls } from './count-calls.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

test('calls are counted by whether their cost is known, up to the last that was stored before', async () => {
  const cells: readonly Readonly<Record<string, unknown>>[] = [
    { cost: '0.1', prompt_tokens: 5, stored_number: 10 },
    { cost: '0', cached: true, stored_number: 11 },
    { prompt_tokens: 5, stored_number: 12 },
    { usage_parts: { audioSeconds: 3 }, stored_number: 13 },
    // Nothing that a price would bill.
    { stored_number: 14 },
    // Of a batch that is stored again.
    { prompt_tokens: 5, stored_number: 15 },
    // Of yesterday.
    { prompt_tokens: 5, stored_number: 9, created_at: '1699900000.000' },
  ];
  const lines = cells.map((each) => requestLine(each).line).join('\n');
  await makeInsertLines(rig.connections)('requests', lines, 'counted');
  const count = makeCountCalls(rig.connections);
  expect(await count({ from: createdAt, through: 14 })).toEqual({ known: 2, unknown: 2 });
  expect(await count({ from: createdAt + 1, through: 14 })).toEqual({ known: 0, unknown: 0 });
});
