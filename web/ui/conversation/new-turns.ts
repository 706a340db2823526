import type { Turn } from './read/part.ts';

/** Where what is new in a request begins, and how that is known. */
export interface NewTurns {
  /** Index of the first new turn. */
  readonly from: number;
  /** `before`: the request before it in its session sent the others. `answer`: the others come before the last answer. */
  readonly since: 'before' | 'answer';
}

/** @param before The turns of the request before it in its session; undefined: there is none. */
export function newTurns(turns: readonly Turn[], before: readonly Turn[] | undefined): NewTurns {
  const shared = before === undefined ? 0 : sharedLength(turns, before);
  const isContinued = shared === before?.length && turns.slice(0, shared).some(({ role }) => role === 'user');
  if (!isContinued) return { from: turns.findLastIndex(({ role }) => role === 'assistant') + 1, since: 'answer' };
  // The answer to the request before it.
  const from = turns.findIndex(({ role }, at) => at >= shared && role !== 'assistant');
  return { from: from === -1 ? turns.length : from, since: 'before' };
}

/** How many turns at the beginning are the same. */
function sharedLength(left: readonly Turn[], right: readonly Turn[]): number {
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at += 1) {
    if (!isSame(left[at], right[at])) return at;
  }
  return end;
}

function isSame(left: Turn | undefined, right: Turn | undefined): boolean {
  return left?.role === right?.role && isSameValue(left?.parts, right?.parts);
}

function isSameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  const [one, other] = [left as Readonly<Record<string, unknown>>, right as Readonly<Record<string, unknown>>];
  return names.length === others.length && names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]));
}
