import type { GroupState } from '../../model/events/alert-vocabulary.ts';
import { type GroupMemory, type Measured, step, type StepEvent, type StepRules } from '../machine/state.ts';

export const everyMs = 10_000;

/** Rules that fire and recover at once; a test sets what it is about. */
const plainRules: StepRules = {
  comparison: 'gte',
  threshold: 10,
  minimumCount: 0,
  forMs: 0,
  recoverAfterMs: 0,
  newGroupDelayMs: 0,
  noData: 'ok',
  renotifyMs: null,
  muteUntil: null,
  zeroWithoutRequests: false,
  forgetAfterMs: null,
  maxGapMs: 90_000,
};

/** A value of one request, requests with their value, no requests, or an evaluation that fails. */
export type Given = number | { readonly count: number; readonly value: number | null } | 'none' | 'error';

export interface Walked {
  readonly states: readonly (GroupState | 'unknown')[];
  /** `index: message`, of each message. */
  readonly notified: readonly string[];
  /** First and last index of each incident, and its peak. */
  readonly incidents: readonly (readonly [from: number, to: number | null, peak: number | null])[];
}

/** Steps a group through a series, one value every ten seconds. @param skip seconds that pass in addition before an index. */
export function walk(rules: Partial<StepRules>, series: readonly Given[], skip: Readonly<Record<number, number>> = {}): Walked {
  const used = { ...plainRules, ...rules };
  const states: (GroupState | 'unknown')[] = [];
  const notified: string[] = [];
  const open = new Map<string, { from: number; to: number | null; peak: number | null }>();
  let memory: GroupMemory | undefined;
  let [at, previous]: [number, number | null] = [0, null];
  for (const [index, given] of series.entries()) {
    at += (index === 0 ? 0 : everyMs) + (skip[index] ?? 0) * 1000;
    if (given !== 'error') {
      const taken = step(used, memory, measuredOf(given), { at, previous, newId: () => `incident ${index}` });
      for (const event of taken.events) note(event, index, notified, open);
      memory = taken.memory;
      previous = at;
    }
    states.push(memory?.state ?? 'unknown');
  }
  return { states, notified, incidents: [...open.values()].map(({ from, to, peak }) => [from, to, peak] as const) };
}

function measuredOf(given: Exclude<Given, 'error'>): Measured {
  if (given === 'none') return undefined;
  return typeof given === 'number' ? { count: 1, value: given } : given;
}

function note(
  event: StepEvent,
  index: number,
  notified: string[],
  open: Map<string, { from: number; to: number | null; peak: number | null }>,
): void {
  if (event.kind === 'notify') notified.push(`${index}: ${event.message}`);
  if (event.kind === 'entered' || event.kind === 'notify') return;
  const { id, peak } = event.incident;
  if (event.kind === 'opened' && open.has(id)) throw new Error(`Incident ${id} opened twice.`);
  const known = open.get(id) ?? { from: index, to: null, peak };
  if (known.to !== null) throw new Error(`Incident ${id} went on after its end.`);
  open.set(id, { ...known, peak, to: event.kind === 'closed' ? index : null });
}
