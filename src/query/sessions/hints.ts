import { nearValueQuestion } from '../hints/near-values.ts';
import type { HintProbe } from '../hints/question.ts';
import { longBodiesQuestion, nameQuestion, rangeQuestion } from '../requests/hints.ts';
import type { KnownNames } from '../hints/known-names.ts';
import { keptBounds } from './conditions.ts';
import { sessionCountStatement } from './list.ts';
import type { SessionsPlan } from './query.ts';
import type { SessionQueryStatement } from './question.ts';

/** Possible reasons for no sessions, the likeliest first. */
export function noSessionsQuestions(question: SessionQueryStatement, known: KnownNames): readonly HintProbe[] {
  return [nameQuestion(question, known), nearValueQuestion(question), rangeQuestion(question.tenant, keptBounds(question))].filter(
    (one) => one !== undefined,
  );
}

/** Possible reasons for an empty page of sessions, the likeliest first. */
export function sessionHintQuestions(plan: SessionsPlan, known: KnownNames): readonly HintProbe[] {
  return [...noSessionsQuestions(plan, known), ...[offsetQuestion(plan)].filter((one) => one !== undefined)];
}

/** Whether bodies exist of which the filter searches only the first part; undefined for a filter that reads none. */
export function longSessionBodiesQuestion(question: SessionQueryStatement): HintProbe | undefined {
  return longBodiesQuestion(question, keptBounds(question));
}

/** An offset behind the last session. */
function offsetQuestion(plan: SessionsPlan): HintProbe | undefined {
  if (plan.offset === 0) return undefined;
  return {
    statement: sessionCountStatement(plan),
    messageFor: ([row]) => {
      const total = Number(row?.['session_count'] ?? 0);
      return total === 0 ? undefined : `offset ${plan.offset} is past the last of ${total} matching sessions`;
    },
  };
}
