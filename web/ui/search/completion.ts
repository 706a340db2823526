import type { OperatorFamily } from '../../../src/model/vocabulary/operators.ts';
import { isBare, quote } from '../../../src/query/language/scanner.ts';

/** What is being written at a place of a search. */
export type Writing =
  | { readonly kind: 'name'; readonly from: number; readonly to: number; readonly prefix: string }
  | {
      readonly kind: 'value';
      readonly name: string;
      readonly from: number;
      readonly to: number;
      readonly prefix: string;
      /** Whether an operator such as `>=` stands before the value. */
      readonly hasOperator: boolean;
    };

/** An entry of the list below the search. */
export interface Completion {
  /** What stands in the list. */
  readonly title: string;
  /** What it is, in a word. */
  readonly about: string;
  /** What takes the place of what is being written. */
  readonly text: string;
  /** Whether something has to follow: the value behind a name. */
  readonly isOpen: boolean;
}

/** What ends a bare text, and a bare name. */
const ends = { text: /[\s()"]/, name: /[\s()":]/ } as const;

/** @param caret Index in the text. */
export function writingAt(text: string, caret: number): Writing {
  let at = 0;
  for (;;) {
    while (at < caret && /[\s(]/.test(text[at] ?? '')) at += 1;
    while (at < caret && text[at] === '-') at += 1;
    const from = at;
    at = behindTerm(text, at, 'name');
    if (at >= caret) return { kind: 'name', from, to: at, prefix: unquoted(text.slice(from, caret)) };
    if (text[at] === ')') at += 1;
    if (text[at] !== ':') {
      at = Math.max(at, from + 1);
      continue;
    }
    const name = unquoted(text.slice(from, at));
    at += 1;
    const sign = /^(?:>=|<=|>|<|~|=|ilike:|like:)/.exec(text.slice(at))?.[0] ?? '';
    const begin = at + (caret >= at + sign.length ? sign.length : 0);
    at = behindTerm(text, begin, 'text');
    if (at < caret) continue;
    return { kind: 'value', name, from: begin, to: at, prefix: unquoted(text.slice(begin, caret)), hasOperator: sign !== '' };
  }
}

/** The end of a quoted or bare text. */
function behindTerm(text: string, from: number, kind: keyof typeof ends): number {
  let at = from;
  if (text[at] === '"') {
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    return Math.min(text.length, at + 1);
  }
  while (at < text.length && !ends[kind].test(text[at] ?? '')) at += 1;
  return at;
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1).replace(/"$/, '').replaceAll(/\\(.)/g, '$1') : text;
}

/** A name as it is written before its colon. */
export function writtenName(name: string): string {
  return isBare(name) ? name : quote(name);
}

export function writtenValue(value: string): string {
  return isBare(value) && !/^[<>=~]/.test(value) ? value : quote(value);
}

/** What a value can have before it, by the family of its field. */
const operators: Readonly<Record<OperatorFamily, Readonly<Record<string, string>>>> = {
  text: { '~': 'contains', 'like:': 'is like', 'ilike:': 'is like, in any case' },
  number: { '>=': 'is at least', '<=': 'is at most', '>': 'is over', '<': 'is under' },
  timestamp: { '>=': 'is at or after', '<=': 'is at or before', '>': 'is after', '<': 'is before' },
  boolean: {},
};

/** The operators of a value that is not begun yet. */
export function operatorsAt(writing: Writing, family: OperatorFamily): readonly Completion[] {
  if (writing.kind === 'name' || writing.hasOperator || writing.prefix !== '') return [];
  return Object.entries(operators[family]).map(([sign, about]) => ({ title: sign, about, text: sign, isOpen: true }));
}

/** @returns the text with a completion in the place of what was being written, and the new caret. */
export function completed(
  text: string,
  { from, to }: Writing,
  { text: chosen, isOpen }: Completion,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(to);
  const gap = isOpen || rest.startsWith(' ') ? '' : ' ';
  return { text: text.slice(0, from) + chosen + gap + rest, caret: from + chosen.length + (isOpen ? 0 : 1) };
}

/** Those that begin with the prefix first, then those that contain it. */
export function matching<Entry extends { readonly title: string }>(
  entries: readonly Entry[],
  prefix: string,
  limit: number,
): readonly Entry[] {
  const wanted = prefix.toLowerCase();
  const begins = entries.filter(({ title }) => title.toLowerCase().startsWith(wanted));
  const contains = entries.filter(({ title }) => !title.toLowerCase().startsWith(wanted) && title.toLowerCase().includes(wanted));
  return [...begins, ...contains].slice(0, limit);
}

/** The only value that goes on from what is being written: there is no other that it could mean. */
export function onlyValue(writing: Writing, completions: readonly Completion[]): Completion | undefined {
  const [only, other] = completions;
  const isBegun = writing.kind === 'value' && !writing.hasOperator && writing.prefix !== '';
  if (!isBegun || only === undefined || other !== undefined) return undefined;
  return only.isOpen || only.title === writing.prefix ? undefined : only;
}
