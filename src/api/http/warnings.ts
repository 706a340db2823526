import type { Context } from 'hono';

const warnings = new WeakMap<Context, readonly string[]>();

/** Maximum characters of an explanatory header; the rest is cut off. */
const maxHeaderCharacters = 1000;

export function addWarning(context: Context, sentence: string): void {
  warnings.set(context, [...warningsOf(context), sentence]);
}

export function warningsOf(context: Context): readonly string[] {
  return warnings.get(context) ?? [];
}

/** Appends to a header after `; `. */
export function appendSentence(context: Context, header: 'svc-hint' | 'svc-warning', sentence: string): void {
  const present = context.res.headers.get(header);
  const text = sentence.replaceAll(/[^\u0020-\u007e]/g, escaped);
  context.header(header, (present === null ? text : `${present}; ${text}`).slice(0, maxHeaderCharacters));
}

/** Headers carry ASCII only. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
