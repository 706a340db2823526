import { expect, test } from 'vitest';
import type { LaneState } from '../engine/lanes.ts';
import { untilOthersRead } from './in-background.ts';

const lane = (name: LaneState['name'], busy: number): LaneState => ({ name, connections: 3, busy, waiting: 0 });

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
