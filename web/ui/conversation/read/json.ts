import { isMarkedNumber, readExactly, writeExactly } from '../../../../src/model/json/exact-numbers.ts';

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsOf(value: unknown): readonly Json[] {
  return arrayOf(value).filter(isObject);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The first value that is a text with something in it. */
export function firstText(...values: readonly unknown[]): string {
  return textOf(values.find((value) => typeof value === 'string' && value !== ''));
}

/** Laid out, a value that is nested more deeply is mostly white space, and no writer of JSON takes any depth. */
const maxDepth = 200;

/** A value as JSON, with the digits of its numbers; empty for none. @param indent spaces of a level. */
export function jsonText(value: unknown, indent?: number): string {
  return value === undefined ? '' : writeExactly(value, indent);
}

/** A value for people: a text as it is, anything else as JSON. */
export function shownText(value: unknown, indent?: number): string {
  return typeof value === 'string' && !isMarkedNumber(value) ? value : jsonText(value, indent);
}

/** JSON that stands in a text, such as the arguments of a tool; the text itself where it is none, or is nested too deeply. */
export function parsed(text: unknown): unknown {
  if (typeof text !== 'string' || isNestedDeeper(text, maxDepth)) return text;
  try {
    return readExactly(text);
  } catch {
    return text;
  }
}

function isNestedDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > most) return true;
  }
  return false;
}
