import type { AlertRulesSeenTable } from '../../events/schema/alert-tables.ts';
import type { Memories } from '../machine/evaluate.ts';

/** What is in memory of a rule; the groups that are ok are here alone. */
export interface RuleState {
  readonly memories: Memories;
  readonly seen: AlertRulesSeenTable | undefined;
  /** The latest evaluation that succeeded, Unix milliseconds; null: there was none. */
  readonly evaluatedAt: number | null;
  /** Groups have no state, as there are too many. */
  readonly isCut: boolean;
  /** How many those are at least. */
  readonly groupsLeftOut: number;
  /** End of the latest window whose values were kept. */
  readonly windowKeptAt: number | null;
}

export const unknownRule: RuleState = {
  memories: new Map(),
  seen: undefined,
  evaluatedAt: null,
  isCut: false,
  groupsLeftOut: 0,
  windowKeptAt: null,
};
