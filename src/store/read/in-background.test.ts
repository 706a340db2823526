import { expect, test } from 'vitest';
import type { LaneState } from '../engine/connections.ts';
import { rowsInTurns, untilOthersRead } from './in-background.ts';

const lane = (name: LaneState['name'], busy: number): LaneState => ({ name, connections: 3, busy, waiting: 0 });

test('rows are those of the text, and other work runs between them', async () => {
  const rows = Array.from({ length: 400 }, (_, number) => ({ number, text: `${'x'.repeat(2000)}\n"` }));
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 0);
  const read = await rowsInTurns(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), (row) => ({ ...row, isDecoded: true }));
  clearInterval(counting);
  expect(read).toEqual(rows.map((row) => ({ ...row, isDecoded: true })));
  expect(turns).toBeGreaterThan(0);
  expect(await rowsInTurns('', (row) => row)).toEqual([]);
});

test('a read of an export waits while others read, and not for inserts or other exports', async () => {
  let asked = 0;
  const lanes = (): readonly LaneState[] => {
    asked += 1;
    return [lane('insert', 1), lane('export', 1), lane('short', asked < 4 ? 1 : 0), lane('long', 0)];
  };
  await untilOthersRead({ lanes });
  expect(asked).toBe(4);
  await untilOthersRead({ lanes });
  expect(asked).toBe(5);
});

test('nor for ever', async () => {
  await expect(untilOthersRead({ lanes: () => [lane('long', 1)] })).resolves.toBeUndefined();
});
