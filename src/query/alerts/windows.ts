import { startOf } from '../../model/time/calendar.ts';
import type { AlertPlan, AlertWindow } from './plan.ts';

/** Half open, Unix milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;

/** The window of a rule that is evaluated at a time. */
export function windowAt(window: AlertWindow, at: number): TimeRange {
  return window.kind === 'rolling' ? { from: at - window.ms, to: at } : { from: startOf(window.unit, window.timezone, at), to: at };
}

/** The window, then the same hours of each day before with which its value is compared. */
export function rangesAt({ window, baselineDays }: AlertPlan, at: number): readonly [TimeRange, ...TimeRange[]] {
  const range = windowAt(window, at);
  const before = Array.from({ length: baselineDays }, (_, index) => shifted(range, -(index + 1) * dayMs));
  return [range, ...before];
}

function shifted({ from, to }: TimeRange, ms: number): TimeRange {
  return { from: from + ms, to: to + ms };
}
