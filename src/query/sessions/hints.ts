import { nearValueProbe } from '../hints/near-values.ts';
import type { HintProbe } from '../hints/probe.ts';
import { longBodiesProbe, nameProbe, rangeProbe } from '../hints/hints.ts';
import type { KnownNames } from '../hints/known-names.ts';
import { matchedBounds } from './conditions.ts';
import { sessionCountStatement } from './list.ts';
import type { SessionsPlan } from './query.ts';
import type { SessionSelection } from './selection.ts';

/** Possible reasons for no sessions, the likeliest first. */
export function noSessionsProbes(selection: SessionSelection, known: KnownNames): readonly HintProbe[] {
  return [nameProbe(selection, known), nearValueProbe(selection), rangeProbe(selection.tenant, matchedBounds(selection))].filter(
    (one) => one !== undefined,
  );
}

/** Possible reasons for an empty page of sessions, the likeliest first. */
export function sessionHintProbes(plan: SessionsPlan, known: KnownNames): readonly HintProbe[] {
  return [...noSessionsProbes(plan, known), ...[offsetProbe(plan)].filter((one) => one !== undefined)];
}

/** Whether bodies exist of which the filter searches only the first part; undefined for a filter that reads none. */
export function longSessionBodiesProbe(selection: SessionSelection): HintProbe | undefined {
  return longBodiesProbe(selection, matchedBounds(selection));
}

/** An offset behind the last session. */
function offsetProbe(plan: SessionsPlan): HintProbe | undefined {
  if (plan.offset === 0) return undefined;
  return {
    statement: sessionCountStatement(plan),
    messageFor: ([row]) => {
      const total = Number(row?.['session_count'] ?? 0);
      return total === 0 ? undefined : `offset ${plan.offset} is past the last of ${total} matching sessions`;
    },
  };
}
