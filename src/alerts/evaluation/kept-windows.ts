import type { Comparison } from '../../model/events/alert-message.ts';
import type { AlertWindowsTable } from '../../events/schema/alert-tables.ts';
import { windowAt } from '../../query/alerts/windows.ts';
import type { Memories } from '../machine/evaluate.ts';
import type { ReadyAlert } from '../machine/rule.ts';
import { gravityRank } from '../machine/state.ts';
import type { RuleState } from './rule-state.ts';

/** Groups of a window whose values are kept; with so many, there may have been others, none of them graver. */
export const maxKeptGroups = 100;

/**
 * The window whose values are to be kept after an evaluation: each length of a rolling window once, and a day, week or month when it has
 * ended, with the values that it had at the evaluation before.
 */
export function windowToKeep({ alert, plan }: ReadyAlert, before: RuleState, after: Memories, at: number): AlertWindowsTable | undefined {
  const { from, to } = windowAt(plan.window, at);
  if (plan.window.kind === 'rolling') {
    if (before.windowKeptAt !== null && before.windowKeptAt > from && before.windowKeptAt <= at) return undefined;
    return { rule_id: alert.id, starts_at: from, ends_at: to, content: contentOf(after, plan.comparison) };
  }
  if (before.evaluatedAt === null) return undefined;
  const last = windowAt(plan.window, before.evaluatedAt);
  if (last.from >= from) return undefined;
  return { rule_id: alert.id, starts_at: last.from, ends_at: from, content: contentOf(before.memories, plan.comparison) };
}

function contentOf(memories: Memories, comparison: Comparison): string {
  return keptValues(
    [...memories].map(([key, { value }]) => [key, value] as const),
    comparison,
  );
}

/** The values of a window that are kept: the most severe first. */
export function keptValues(values: readonly (readonly [key: string, value: number | null])[], comparison: Comparison): string {
  const ranked = values.map((entry) => ({ entry, rank: gravityRank(entry[1], comparison) }));
  const ordered = ranked.toSorted((one, other) => (one.rank < other.rank ? -1 : Number(one.rank > other.rank)));
  return JSON.stringify(ordered.slice(0, maxKeptGroups).map(({ entry }) => entry));
}

export function valuesKept({ content }: AlertWindowsTable): ReadonlyMap<string, number | null> {
  return new Map(JSON.parse(content) as [string, number | null][]);
}
