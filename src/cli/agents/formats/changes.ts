import { isDeepStrictEqual } from 'node:util';
import type { Change, Edit, Format } from './format.ts';
import { isGroup } from './format.ts';
import { edited, found } from './memory.ts';

type Value = Readonly<Record<string, unknown>>;

/** A file's text with our changes. @throws Error with a sentence when the text cannot be understood or has something else in the way. */
export function withChanges(format: Format, text: string, changes: readonly Change[]): string {
  return changes.reduce(
    (before, change) => {
      const value = format.parse(before);
      const edit = editFor(value, change);
      return edit === undefined ? before : checkedEdit(format, before, edit);
    },
    textOr(format, text),
  );
}

/**
 * A file's text without our changes: each place has again what `original` has there. What `original` lacks goes, also the groups that are
 * empty without it; all else stays as the text has it.
 */
export function withoutChanges(format: Format, text: string, changes: readonly Change[], original: string): string {
  const before = format.parse(textOr(format, original));
  return changes.toReversed().reduce(
    (now, change) => {
      const edit = editBack(format.parse(now), change, before);
      return edit === undefined ? now : checkedEdit(format, now, edit);
    },
    textOr(format, text),
  );
}

function textOr(format: Format, text: string): string {
  return text.trim() === '' ? format.empty : text;
}

/** TRICKY: a library that edits text may miss a place, as in a file that names a member twice: the result is read and compared. */
function checkedEdit(format: Format, text: string, edit: Edit): string {
  const expected = edited(format.parse(text), edit);
  const result = format.edit(text, edit);
  if (!isDeepStrictEqual(plain(format.parse(result)), plain(expected))) {
    throw new Error(`${edit.at.join('.')} cannot be changed without changing more; is it there twice?`);
  }
  return result;
}

/** Groups whatever their prototypes are. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.toISOString();
  return isGroup(value) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)])) : value;
}

/** @returns undefined when there is nothing to change. */
function editFor(value: Value, { at, value: to, elementBy, isDefault }: Change): Edit | undefined {
  requireGroups(value, at);
  const there = found(value, at);
  if (isDefault === true && there !== undefined) return undefined;
  if (elementBy === undefined) return { at, value: to };
  if (there === undefined) return { at, value: [to] };
  if (!Array.isArray(there)) throw new Error(`${at.join('.')} is no list`);
  const index = indexOf(there, elementBy, to);
  return index === -1 ? { at: [...at, 0], value: to, insert: true } : { at: [...at, index], value: to };
}

/** The edit that takes a change back; undefined: nothing of it is there. */
function editBack(value: Value, { at, value: to, elementBy, isDefault }: Change, before: Value): Edit | undefined {
  const [there, original] = [found(value, at), found(before, at)];
  if (there === undefined && original === undefined) return undefined;
  if (elementBy === undefined) {
    if (isDefault === true && original !== undefined) return undefined;
    return original === undefined ? removal(value, at, before) : { at, value: original };
  }
  const list = Array.isArray(there) ? (there as readonly unknown[]) : [];
  const index = indexOf(list, elementBy, to);
  if (index === -1) return undefined;
  const originals = Array.isArray(original) ? (original as readonly unknown[]) : [];
  const earlier = originals[indexOf(originals, elementBy, to)];
  if (earlier !== undefined) return { at: [...at, index], value: earlier };
  return list.length === 1 && original === undefined ? removal(value, at, before) : { at: [...at, index], value: undefined };
}

/** Removes a place, and with it the groups around it that hold nothing else and were not there before. */
function removal(value: Value, at: readonly string[], before: Value): Edit {
  let outermost = at;
  for (let depth = at.length - 1; depth > 0; depth -= 1) {
    const around = at.slice(0, depth);
    const group = found(value, around);
    if (found(before, around) !== undefined || !isGroup(group) || Object.keys(group).length > 1) break;
    outermost = around;
  }
  return { at: outermost, value: undefined };
}

function indexOf(list: readonly unknown[], name: string, like: unknown): number {
  return list.findIndex((element) => found(element, [name]) === found(like, [name]));
}

/** @throws Error when something on the way is no group of settings. */
function requireGroups(value: Value, at: readonly string[]): void {
  for (let depth = 1; depth < at.length; depth += 1) {
    const around = at.slice(0, depth);
    const there = found(value, around);
    if (there !== undefined && !isGroup(there)) throw new Error(`${around.join('.')} is no group of settings`);
  }
}
