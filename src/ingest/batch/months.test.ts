import { expect, test } from 'vitest';
import type { RecordName } from '../../store/read/find-rows.ts';
import { storeRows, type StorableRow } from './insert.ts';

/** Rows that have their key alone. */
function rowAt(index: number, time: string): StorableRow {
  const request = new Uint8Array(64);
  new DataView(request.buffer).setBigInt64(16, BigInt(Date.parse(time)), true);
  return { index, rows: { request, bodies: new Uint8Array([index + 1]), changes: new Uint8Array() } as unknown as StorableRow['rows'] };
}

const rows = [rowAt(0, '2026-10-31T23:59:59.999Z'), rowAt(1, '2026-11-01T00:00:00Z'), rowAt(2, '2026-10-01T00:00:00Z')];
const records = rows.map(({ index }) => ({ requestId: `${index}` }) as unknown as RecordName);

interface Sent {
  readonly token: string;
  readonly rows: number;
}

/** @returns what was inserted, in its order. @param fails so many times an insert of a token ends without an answer. */
async function sentBy(given: { readonly isByMonth?: boolean; readonly fails?: string }): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  let failures = given.fails === undefined ? 0 : 1;
  await storeRows(
    rows,
    { token: 'batch', records, isRepeated: false },
    {
      insert: async (_table, all, token) => {
        sent.push({ token, rows: all.length });
        if (token === given.fails && failures > 0) {
          failures -= 1;
          throw new Error('socket hang up');
        }
      },
      findRows: async () => new Set(),
      isByMonth: given.isByMonth === true,
      observe: () => undefined,
      signal: new AbortController().signal,
    },
  );
  return sent;
}

test('months are inserts of their own where an insert may be stored in part', async () => {
  expect(await sentBy({ isByMonth: true })).toEqual([
    { token: 'batch-bodies.2026-10', rows: 2 },
    { token: 'batch-bodies.2026-11', rows: 1 },
    { token: 'batch-requests.2026-10', rows: 2 },
    { token: 'batch-requests.2026-11', rows: 1 },
  ]);
});

test('a month that got no answer is sent again under its token, and no other', async () => {
  const tokens = (await sentBy({ isByMonth: true, fails: 'batch-bodies.2026-11' })).map(({ token }) => token);
  expect(tokens.slice(0, 3)).toEqual(['batch-bodies.2026-10', 'batch-bodies.2026-11', 'batch-bodies.2026-11']);
  expect(tokens).toHaveLength(5);
});

test('elsewhere a table is one insert', async () => {
  expect(await sentBy({})).toEqual([
    { token: 'batch-bodies', rows: 3 },
    { token: 'batch-requests', rows: 3 },
  ]);
});
