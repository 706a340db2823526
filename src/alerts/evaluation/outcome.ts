import type { NewDelivery } from '../../model/events/event.ts';
import { v7 } from 'uuid';
import { comparedSamples } from '../machine/baseline.ts';
import { evaluate, type Evaluated, type Memories } from '../machine/evaluate.ts';
import { asMeasured, type ReadyAlert } from '../machine/rule.ts';
import type { RuleChanges } from '../stored/write.ts';
import { changesOf } from './changes.ts';
import { windowToKeep } from './kept-windows.ts';
import type { Measurement } from './measure.ts';
import { deliveriesOf, type Messaging, noticeMessage, type NoticeContext } from './messages.ts';
import { closedByChange, failed, succeeded } from './rule-events.ts';
import { type RuleState, unknownRule } from './rule-state.ts';

/** What becomes of a rule in a round. */
export interface Outcome {
  readonly ruleId: string;
  readonly state: RuleState | undefined;
  readonly changes: readonly RuleChanges[];
  readonly deliveries: readonly NewDelivery[];
  /** The groups of before are others. */
  readonly isForgotten: boolean;
}

/** A rule with its state before, and what was measured. */
export interface MeasuredRule {
  readonly ready: ReadyAlert;
  readonly stored: RuleState;
  readonly measurement: Measurement;
}

export interface OutcomeOptions extends Messaging {
  /** Unix milliseconds. */
  readonly at: number;
  /** Bytes that the groups of the rule may take. */
  readonly maxBytes: number;
}

/** What the groups of a rule take, and what they would. */
export type GroupUsage = Pick<Evaluated, 'bytes' | 'wantedBytes'>;

/** Steps the groups of a rule by what was measured: a breach becomes an incident, its rows and its messages. */
export function outcomeOf(
  { ready, stored, measurement }: MeasuredRule,
  options: OutcomeOptions,
): { readonly outcome: Outcome; readonly usage: GroupUsage | undefined } {
  const { at, maxBytes, linkOf, subscribers } = options;
  const ruleId = ready.alert.id;
  const isOther = stored.seen !== undefined && stored.seen.fingerprint !== ready.fingerprint;
  const before = isOther ? asMeasured(ready, stored.seen.fingerprint) : ready;
  const closed = isOther ? closedByChange(before, stored.memories, at) : undefined;
  const ended = noticeDeliveries(before, closed, { at, reason: 'The rule measures something else now.' }, options);
  const known: RuleState = isOther ? { ...unknownRule, seen: stored.seen } : stored;
  const closing = closed === undefined ? [] : [changesOf(before, closed, at, undefined)];
  if ('error' in measurement) {
    const { seen, history, messages } = failed(ready, known.seen, { error: measurement.error, at }, linkOf);
    const outcome = {
      ruleId,
      state: { ...known, seen },
      changes: [...closing, { ...changesOf(ready, unchanged(known.memories), at, seen), history }],
      deliveries: [...ended, ...deliveriesOf(ready, messages, subscribers)],
      isForgotten: isOther,
    };
    return { outcome, usage: undefined };
  }
  const samples = comparedSamples(ready.plan, measurement.samples);
  const evaluated = evaluate(ready, known.memories, samples, { at, previous: known.evaluatedAt, newId: v7, maxBytes });
  const { seen, history, messages } = succeeded(ready, known.seen, at, linkOf);
  const window = windowToKeep(ready, known, evaluated.memories, at);
  const changes = changesOf(ready, evaluated, at, seen);
  const outcome = {
    ruleId,
    state: {
      memories: evaluated.memories,
      seen: seen ?? known.seen,
      evaluatedAt: at,
      isCut: measurement.isCut,
      groupsLeftOut: evaluated.leftOut,
      windowKeptAt: window?.ends_at ?? known.windowKeptAt,
    },
    changes: [...closing, { ...changes, history: [...history, ...changes.history], windows: window === undefined ? [] : [window] }],
    deliveries: [
      ...ended,
      ...noticeDeliveries(ready, evaluated, { at, reason: null }, options),
      ...deliveriesOf(ready, messages, subscribers),
    ],
    isForgotten: isOther,
  };
  return { outcome, usage: evaluated };
}

/** The notices of an evaluation, to whoever gets them. */
export function noticeDeliveries(
  ready: ReadyAlert,
  evaluated: Evaluated | undefined,
  context: NoticeContext,
  { linkOf, subscribers }: Messaging,
): readonly NewDelivery[] {
  const messages = evaluated?.notices.map((notice) => noticeMessage(ready, notice, context, linkOf)) ?? [];
  return deliveriesOf(ready, messages, subscribers);
}

function unchanged(memories: Memories): Evaluated {
  return { memories, changed: new Map(), entered: [], incidents: [], notices: [], leftOut: 0, bytes: 0, wantedBytes: 0 };
}
