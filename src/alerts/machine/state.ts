import type { Comparison } from '../../model/events/alert-message.ts';
import type { GroupState, NoDataMode } from '../../model/events/alert-vocabulary.ts';

/**
 * # The states of a group
 *
 * `step` takes what is known of a group, what was measured, and the time, and returns what is known then and what happened. It has no
 * clock and no store, so that the evaluator and the preview are the same machine.
 *
 *   ok          The condition is not met.
 *   pending     It is met, but not for `forMs` yet, or the group is younger than `newGroupDelayMs`. An incident that no data made stays open.
 *   firing      It is met: an incident is open.
 *   recovering  It is not met, for less than `recoverAfterMs`: the incident is still open.
 *   no_data     There is no value, which the rule wants to be told: an incident is open.
 *
 * A group is known while it has requests in the window, an open incident, or a met condition; then it is forgotten, and is new when it
 * comes back. Muting changes no state: it holds messages back. An evaluation that fails takes no step, and no time passes for `pending`
 * and `recovering` over a gap between two steps.
 */
export interface StepRules {
  readonly comparison: Comparison;
  readonly threshold: number;
  readonly minimumCount: number;
  readonly forMs: number;
  readonly recoverAfterMs: number;
  readonly newGroupDelayMs: number;
  readonly noData: NoDataMode;
  /** Null: a message is not repeated. */
  readonly renotifyMs: number | null;
  /** Unix milliseconds. */
  readonly muteUntil: number | null;
  /** No requests make 0, not an absent value. */
  readonly zeroWithoutRequests: boolean;
  /** A group without requests for so long is forgotten, also in an incident; null: never. */
  readonly forgetAfterMs: number | null;
  /** Two steps further apart are a gap. */
  readonly maxGapMs: number;
}

export interface OpenIncident {
  readonly id: string;
  readonly reason: 'threshold' | 'no_data';
  readonly startedAt: number;
  /** Null: the condition was not met yet, as the incident is of no data. */
  readonly peak: number | null;
  /** When a message was sent last; null: none was. */
  readonly notifiedAt: number | null;
  /** The incidents that were told together have one; null until then. `evaluate.ts` sets it. */
  readonly notice: string | null;
}

export interface GroupMemory {
  readonly state: GroupState;
  readonly since: number;
  /** When the group's requests came into the window. */
  readonly firstSeen: number;
  /** When they left it; null: there are some. */
  readonly absentSince: number | null;
  readonly value: number | null;
  readonly incident: OpenIncident | null;
}

/** What was measured of a group; undefined: it has no requests. */
export type Measured = { readonly count: number; readonly value: number | null } | undefined;

export interface StepTime {
  readonly at: number;
  /** The step before; null: there was none. */
  readonly previous: number | null;
  /** Names an incident that opens. */
  readonly newId: () => string;
}

export type NotificationKind = 'triggered' | 'resolved' | 'still_firing' | 'no_data';

export type StepEvent =
  | { readonly kind: 'entered'; readonly state: GroupState }
  | { readonly kind: 'opened' | 'changed'; readonly incident: OpenIncident }
  | { readonly kind: 'closed'; readonly incident: OpenIncident; readonly endedAt: number }
  /** A message is due. */
  | { readonly kind: 'notify'; readonly message: NotificationKind; readonly incident: OpenIncident };

export interface Step {
  /** Undefined: nothing is to be known of the group. */
  readonly memory: GroupMemory | undefined;
  readonly events: readonly StepEvent[];
}

/** What the value says of the condition. */
type Verdict = 'breach' | 'within' | 'none' | 'keep';

export function breaches(value: number, { comparison, threshold }: Pick<StepRules, 'comparison' | 'threshold'>): boolean {
  switch (comparison) {
    case 'gte':
      return value >= threshold;
    case 'gt':
      return value > threshold;
    case 'lt':
      return value < threshold;
    case 'lte':
      return value <= threshold;
  }
}

/** The value further beyond the threshold. */
export function worseOf(one: number | null, other: number | null, comparison: Comparison): number | null {
  if (one === null || other === null) return one ?? other;
  return comparison === 'gte' || comparison === 'gt' ? Math.max(one, other) : Math.min(one, other);
}

/** Orders values: the further beyond the threshold, the smaller; no value is last. */
export function gravityRank(value: number | null, comparison: Comparison): number {
  if (value === null) return Infinity;
  return comparison === 'gte' || comparison === 'gt' ? -value : value;
}

export function step(rules: StepRules, known: GroupMemory | undefined, measured: Measured, time: StepTime): Step {
  const { at } = time;
  const value = measured === undefined && rules.zeroWithoutRequests ? 0 : (measured?.value ?? null);
  const verdict = verdictOf(rules, measured, value);
  const current = resetAfterGap(rules, known ?? unknownGroup(at), time, verdict);
  const present: GroupMemory = { ...current, value, absentSince: measured === undefined ? (current.absentSince ?? at) : null };
  const state = stateAfter(rules, present, verdict, at);
  const moved: GroupMemory = { ...present, state, since: state === present.state ? present.since : at };
  const entered: readonly StepEvent[] = state === (known?.state ?? 'ok') ? [] : [{ kind: 'entered', state }];
  const { incident, events } = withIncident(rules, moved, current, time);
  const isKnown = moved.absentSince === null || state !== 'ok';
  return { memory: isKnown ? { ...moved, incident } : undefined, events: [...entered, ...events] };
}

function verdictOf(rules: StepRules, measured: Measured, value: number | null): Verdict {
  if (value === null) return ({ ok: 'within', keep: 'keep', alert: 'none' } as const)[rules.noData];
  if ((measured?.count ?? 0) < rules.minimumCount) return 'within';
  return breaches(value, rules) ? 'breach' : 'within';
}

function unknownGroup(at: number): GroupMemory {
  return { state: 'ok', since: at, firstSeen: at, absentSince: null, value: null, incident: null };
}

/** Over a gap, a clock that was set back, or a window that keeps the state, nothing is known: what takes time begins again. */
function resetAfterGap({ maxGapMs }: StepRules, memory: GroupMemory, { at, previous }: StepTime, verdict: Verdict): GroupMemory {
  const isGap = previous !== null && (at < previous || at - previous > maxGapMs);
  if (!isGap && verdict !== 'keep') return memory;
  const { state, since, firstSeen, incident } = memory;
  return {
    ...memory,
    since: state === 'pending' || state === 'recovering' ? at : Math.min(since, at),
    firstSeen: Math.min(firstSeen, at),
    incident: typeof incident?.notifiedAt === 'number' ? { ...incident, notifiedAt: Math.min(incident.notifiedAt, at) } : incident,
  };
}

function stateAfter(rules: StepRules, memory: GroupMemory, verdict: Verdict, at: number): GroupState {
  const { state, since, firstSeen, absentSince, incident } = memory;
  if (rules.forgetAfterMs !== null && absentSince !== null && at - absentSince >= rules.forgetAfterMs) return 'ok';
  switch (verdict) {
    case 'keep':
      return state;
    case 'none':
      return 'no_data';
    case 'breach': {
      if (incident !== null && incident.peak !== null) return 'firing';
      const metSince = state === 'pending' ? since : at;
      return at >= Math.max(metSince + rules.forMs, firstSeen + rules.newGroupDelayMs) ? 'firing' : 'pending';
    }
    case 'within': {
      if (incident === null) return 'ok';
      const unmetSince = state === 'recovering' ? since : at;
      return at - unmetSince >= rules.recoverAfterMs ? 'ok' : 'recovering';
    }
  }
}

/** The incident of a group in its new state. @param before the group in its state before. */
function withIncident(
  rules: StepRules,
  { state, value, incident: open }: GroupMemory,
  before: GroupMemory,
  time: StepTime,
): { readonly incident: OpenIncident | null; readonly events: readonly StepEvent[] } {
  if (open !== null && state === 'ok') {
    const closed: StepEvent = { kind: 'closed', incident: open, endedAt: time.at };
    return {
      incident: null,
      events: open.notifiedAt === null ? [closed] : [closed, { kind: 'notify', message: 'resolved', incident: open }],
    };
  }
  if (open === null && state !== 'firing' && state !== 'no_data') return { incident: null, events: [] };
  const current = open ?? newIncident(state, value, time);
  const peaked = state === 'firing' ? { ...current, peak: worseOf(current.peak, value, rules.comparison) } : current;
  const message = messageDue(rules, peaked, { state, before: before.state, at: time.at });
  const incident = message === undefined ? peaked : { ...peaked, reason: reasonAfter(peaked, message), notifiedAt: time.at };
  return {
    incident,
    events: [
      ...(isTouched(open, incident) ? [{ kind: open === null ? 'opened' : 'changed', incident } as const] : []),
      ...(message === undefined ? [] : [{ kind: 'notify', message, incident } as const]),
    ],
  };
}

function newIncident(state: GroupState, value: number | null, { at, newId }: StepTime): OpenIncident {
  const reason = state === 'no_data' ? 'no_data' : 'threshold';
  return { id: newId(), reason, startedAt: at, peak: value, notifiedAt: null, notice: null };
}

/** Data that came back beyond the threshold is another reason, which is told. */
function reasonAfter({ reason }: OpenIncident, message: NotificationKind): OpenIncident['reason'] {
  return message === 'triggered' ? 'threshold' : reason;
}

function isTouched(before: OpenIncident | null, after: OpenIncident): boolean {
  return before === null || after.peak !== before.peak || after.notifiedAt !== before.notifiedAt;
}

interface Moment {
  readonly state: GroupState;
  readonly before: GroupState;
  readonly at: number;
}

/** The message that an open incident is due, unless the rule is muted. */
function messageDue(
  { muteUntil, renotifyMs }: StepRules,
  { reason, notifiedAt }: OpenIncident,
  { state, before, at }: Moment,
): NotificationKind | undefined {
  if (state === 'recovering' || state === 'pending' || (muteUntil !== null && at < muteUntil)) return undefined;
  if (state === 'no_data' && (notifiedAt === null || before !== 'no_data')) return 'no_data';
  if (notifiedAt === null || (state === 'firing' && reason === 'no_data')) return 'triggered';
  return renotifyMs !== null && at - notifiedAt >= renotifyMs ? 'still_firing' : undefined;
}
