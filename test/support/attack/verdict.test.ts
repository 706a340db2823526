import { expect, it } from 'vitest';
import type { Seen } from './neighbour.ts';
import { faultsOf, linesOf, type SurfaceRun, tableOf } from './verdict.ts';

const calm: Seen = { callsMs: [5, 6, 7], readsMs: [20, 30], visibleMs: [900], failures: [], taken: ['a', 'b'] };
const held: SurfaceRun = {
  surface: 'spans',
  words: 'long names',
  answers: [['200', 3]],
  quiet: { ...calm, taken: ['c'] },
  attacked: calm,
  waits: ['processors: core 2.0 s'],
  recorded: ['a', 'b', 'c', 'one of an earlier surface'],
  peaks: [
    ['core', 900e6],
    ['gateway', 200e6],
  ],
  processes: { before: [1, 2, 3], after: [1, 2, 3] },
};

it('a neighbour that was served as before was not harmed', () => {
  expect(faultsOf(held)).toEqual([]);
  expect(linesOf(held).at(-1)).toBe('  held');
  expect(tableOf([held])[1]).toMatch(/^spans .* held$/);
});

it('an aim is missed by a 99th percentile above it and above three times that without the attack, and that is no fault', () => {
  const slow = { ...held, attacked: { ...calm, callsMs: [5, 120], readsMs: [20, 400] } };
  expect(linesOf(slow).slice(-3)).toEqual([
    '  aim missed: the p99 of a call is 120 ms, and 7 ms without the attack',
    '  aim missed: the p99 of a read is 400 ms, and 30 ms without the attack',
    '  aim missed',
  ]);
  expect(tableOf([slow])[1]).toMatch(/ms +aim missed$/);
  expect(faultsOf(slow)).toEqual([]);
  expect(linesOf({ ...slow, quiet: { ...calm, callsMs: [50], readsMs: [140], taken: ['c'] } }).at(-1)).toBe('  held');
});

it.each([
  [[5, 100], [7], 'aim'],
  [[5, 120], [50], '3 times'],
  [[5, 120], [7], 'neither'],
])('the calls %j, beside %j without the attack, are shown to be within: %s', (attacked, quiet, within) => {
  const run = { ...held, attacked: { ...calm, callsMs: attacked }, quiet: { ...calm, callsMs: quiet } };
  expect(linesOf(run).join('\n')).toContain(`(${quiet[0]?.toFixed(1)} / ${quiet[0]} ms without), within: ${within}`);
  expect(tableOf([run])[1]).toMatch(new RegExp(`\\d ms +${within} +\\d`));
});

it.each<[string, Partial<SurfaceRun>, string]>([
  ['lost', { recorded: ['a', 'c'] }, '1 records are lost'],
  ['doubled', { recorded: ['a', 'b', 'c', 'a'] }, '1 records are doubled'],
  ['late', { attacked: { ...calm, visibleMs: [11_000] } }, 'a record was visible after 11000 ms only'],
  ['refused', { attacked: { ...calm, failures: ['call 503', 'call 503'] } }, '2 × call 503'],
  ['memory', { peaks: [['core', 1.6e9]] }, 'core took 1600 MB'],
  ['a restart', { processes: { before: [1, 2], after: [1, 4] } }, 'a process was started again'],
])('%s is a fault', (_, change, fault) => {
  const run = { ...held, ...change };
  expect(faultsOf(run)).toEqual([fault]);
  expect(tableOf([run])[1]).toMatch(/FAULT$/);
});
