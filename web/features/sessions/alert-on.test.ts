import { expect, test } from 'vitest';
import { alertOn } from './alert-on.ts';

const besideUsual = (cost: number, usual: number) => ({
  own: { id: 's', name: 'export', cost, steps: 9, cached: null },
  usual: { by: 'name', days: 30, sessions: 19, cost: usual, steps: 9, cached: null } as const,
  list: { q: 'Team:search' },
});
const ruleOn = (name: string, cost: number, usual?: number) =>
  alertOn({ session_name: name, total_cost: cost }, 1000, usual === undefined ? null : besideUsual(cost, usual));

test('the rule is on sessions of its name, else on those of its properties', () => {
  expect(ruleOn('nightly export', 10.64).q).toBe('session_name:"nightly export"');
  expect(ruleOn('', 10.64, 0.0133).q).toBe('Team:search');
  expect(ruleOn('', 10.64).q).toBeUndefined();
});

test.each([
  ['a runaway: ten times the usual', 10.64, 0.0133, 0.1],
  ['one that ran away less: just below it', 0.55, 0.1, 0.55],
  ['an ordinary one: ten times the usual all the same', 0.2, 0.18, 2],
  ['one beside which nothing is usual: just below it', 10.64, undefined, 10],
])('its threshold beside %s', (_name, cost, usual, threshold) => {
  expect(ruleOn('export', cost, usual).threshold).toBe(threshold);
});
