import { jsonExcess } from '../model/json/bounds.ts';
import { digitsOf, eachLostNumber, isMarkedNumber, withFewMarkedNumbers, writeExactly } from '../model/json/exact-numbers.ts';
import { isJsonObject, parseJson, parseRecordedJson } from '../model/text.ts';
import type { Redactor } from './redactor.ts';
import { withoutTokenLists } from './token-lists.ts';

/** Max depth of JSON within strings: a tool's arguments, a document in them, a record in that. */
const maxTextDepth = 8;
/** Longer texts beyond the parser's limits count as JSON; shorter ones are parsed at any depth to find out. */
const maxProbedLength = 1_000_000;

/**
 * Redacts the strings, member names and card numbers of a JSON value, whose marked numbers stay so. When anything matched, token lists are removed too, because they
 * spell out the text. @returns the same value when nothing matched. @throws RangeError for JSON beyond the parser's limits.
 */
export function redactJson(value: unknown, redactor: Redactor): unknown {
  return redactParsed(value, redactor, maxTextDepth);
}

/**
 * Redacts one document. Token lists are recognised by name before a rule can change the name, in the value and in its JSON strings but no
 * deeper, as each level would search them again.
 */
function redactParsed(value: unknown, redactor: Redactor, depthLeft: number): unknown {
  const redacted = redactValue(value, redactor, depthLeft);
  if (redacted === value || depthLeft < maxTextDepth - 1) return redacted;
  const stripped = withoutTokenLists(value);
  return stripped === value ? redacted : redactValue(stripped, redactor, depthLeft);
}

/**
 * Redacts a text. JSON, whole or by line, is parsed, redacted and written back, because an escape can hide a match
 * (`john\u0040example.com`). @throws as {@link redactJson} does.
 */
export function redactText(text: string, redactor: Redactor): string {
  return redactString(text, redactor, maxTextDepth);
}

function redactString(text: string, redactor: Redactor, depthLeft: number): string {
  return redactor.text(depthLeft > 0 && /[[{]/.test(text) ? redactLines(text, redactor, depthLeft - 1) : text);
}

function redactLines(text: string, redactor: Redactor, depthLeft: number): string {
  const asOne = redactDocument(text, redactor, depthLeft);
  if (asOne !== undefined || !text.includes('\n')) return asOne ?? text;
  // Lines of an event stream hold JSON after `data:`.
  const parts: string[] = [];
  let copied = 0;
  // TRICKY: one at a time. V8 aborts the process when tens of millions of lines are replaced at once; no `catch` runs.
  for (const { 1: start = '', 2: document = '', index } of text.matchAll(/^([ \t]*(?:data:[ \t]*)?)([[{].*)$/gm)) {
    const redacted = redactDocument(document, redactor, depthLeft);
    if (redacted === undefined || redacted === document) continue;
    const at = index + start.length;
    parts.push(text.slice(copied, at), redacted);
    copied = at + document.length;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied);
}

/** @returns undefined unless the text is a JSON object or array. */
function redactDocument(text: string, redactor: Redactor, depthLeft: number): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const marked = withFewMarkedNumbers(text, 'digits');
  const value = parseJson(marked ?? text);
  if (value === undefined) throwIfExcessive(text);
  if (!isJsonObject(value) && !Array.isArray(value)) return undefined;
  const redacted = redactParsed(value, redactor, depthLeft);
  if (redacted === value && (marked !== undefined || !hidesNumber(text, redactor)) && !escapesHideMatch(text, redactor)) return text;
  if (marked === undefined) throw new RangeError('the JSON has more numbers with digits of their own than are written back');
  return writeExactly(redacted);
}

/** Whether a rule finds a number in its digits, which the parsed value lacks without marks. */
function hidesNumber(text: string, redactor: Redactor): boolean {
  let isFound = false;
  eachLostNumber(text, 'digits', (digits) => {
    isFound = redactor.number(digits) !== undefined;
    return !isFound;
  });
  return isFound;
}

/** @throws RangeError for JSON beyond the parser's limits: its escapes could hide matches. */
function throwIfExcessive(text: string): void {
  if (jsonExcess(text) === undefined) return;
  const isJson = text.length > maxProbedLength || parseRecordedJson(text) !== undefined;
  if (isJson) throw new RangeError('the JSON is nested deeper, or has more values, than is looked into');
}

/** Whether escapes hide a match that the parsed value lacks: of members with the same name it has only the last. */
function escapesHideMatch(text: string, redactor: Redactor): boolean {
  if (!text.includes('\\u')) return false;
  const unescaped = text.replaceAll(/\\u([0-9a-f]{4})/gi, (_escape, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)));
  return redactor.text(unescaped) !== unescaped;
}

function redactValue(value: unknown, redactor: Redactor, depthLeft: number): unknown {
  if (isMarkedNumber(value)) return redactor.number(digitsOf(value)) ?? value;
  if (typeof value === 'string') return redactString(value, redactor, depthLeft);
  if (typeof value === 'number') return redactor.number(String(value)) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? redactList(value, redactor, depthLeft) : redactMembers(value, redactor, depthLeft);
}

function redactList(list: readonly unknown[], redactor: Redactor, depthLeft: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, value] of list.entries()) {
    const redacted = redactValue(value, redactor, depthLeft);
    if (redacted === value) continue;
    copy ??= [...list];
    copy[index] = redacted;
  }
  return copy ?? list;
}

function redactMembers(object: object, redactor: Redactor, depthLeft: number): object {
  const members: [string, unknown][] = Object.entries(object);
  const taken = new Map<string, number>();
  let changed = false;
  for (const member of members) {
    const [name, value] = member;
    member[0] = freeName(redactor.text(name), taken);
    member[1] = redactValue(value, redactor, depthLeft);
    changed ||= member[0] !== name || member[1] !== value;
  }
  // `Object.fromEntries` makes `__proto__` an ordinary member.
  return changed ? Object.fromEntries(members) : object;
}

/** Keeps names distinct that differed only in redacted characters. @param taken names with their latest number. */
export function freeName(name: string, taken: Map<string, number>): string {
  const last = taken.get(name);
  if (last === undefined) {
    taken.set(name, 1);
    return name;
  }
  taken.set(name, last + 1);
  return freeName(`${name} ${last + 1}`, taken);
}
