import { isJsonObject, type JsonObject } from '../../model/text.ts';
import type { Reducer } from './fold.ts';

/** Counts nested deeper are not merged; the last ones are used. Keeps a hostile stream from overflowing the stack. */
const maxDepth = 4;

/**
 * The usage of a stream that reports it several times. Providers repeat all counts so far, and some repeat one as 0 or null at the end, so a
 * count never falls. Of anything else the last value is used.
 */
export const cumulativeCounts: Reducer = (values) => {
  const present = values.filter((value) => value !== null && value !== '');
  return present.length === 0 ? values.at(-1) : present.reduce((before, later) => laterCounts(before, later));
};

/** One step of {@link cumulativeCounts}. */
export function laterCounts(before: unknown, later: unknown, depth = 0): unknown {
  if (typeof before === 'number' && typeof later === 'number') return Math.max(before, later);
  if (!isJsonObject(before) || !isJsonObject(later)) return (later ?? null) === null ? before : later;
  if (depth >= maxDepth) return later;
  const raised = Object.entries(later).map(([key, value]): [string, unknown] => [key, laterCounts(before[key], value, depth + 1)]);
  return { ...before, ...Object.fromEntries(raised) };
}

/** The later counts with the earlier ones in place of zeros: of a provider whose counts may fall, but not to nothing. */
export function withoutZeros(before: JsonObject, later: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(later).map(([key, value]) => [key, value === 0 ? (before[key] ?? value) : value]));
}
