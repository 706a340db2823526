import { expect, test } from 'vitest';
import type { AlertPlan } from './plan.ts';
import { previewSteps } from './preview.ts';

const minute = 60_000;
const day = 1440 * minute;
const end = Date.UTC(2026, 0, 31, 12, 0, 7);
const plan = { window: { kind: 'rolling', ms: 60 * minute }, dimensions: [], baselineDays: 0 } as unknown as AlertPlan;

test.each([
  ['every ten seconds of an hour', 60 * minute, 10_000],
  ['every few minutes of a week', 7 * day, 70_000],
  ['less often in a year', 366 * day, 3_520_000],
])('a preview evaluates %s, and at its end, which has the newest requests', (_what, length, stepMs) => {
  const steps = previewSteps(plan, { from: end - length, to: end }, 10_000);
  expect(steps.stepMs).toBe(stepMs);
  const last = steps.first + (steps.count - 1) * steps.stepMs;
  expect(end - last).toBe(7000);
  expect(steps.first - (end - length)).toBeGreaterThanOrEqual(0);
  expect(steps.first - (end - length)).toBeLessThan(stepMs);
});

test('a preview of less than an interval may have no evaluation', () => {
  expect(previewSteps(plan, { from: end - 5000, to: end }, 10_000).count).toBe(0);
});
