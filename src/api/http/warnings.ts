import type { Context } from 'hono';

/** What a call's answer has to say beside its data, in the order in which it came up. */
const warnings = new WeakMap<Context, readonly string[]>();

/** Characters of a header that explains something; the rest is cut off. */
const maxHeaderCharacters = 1000;

/** Adds a sentence to the `warnings` of a call's answer. */
export function addWarning(context: Context, sentence: string): void {
  warnings.set(context, [...warningsOf(context), sentence]);
}

/** The warnings of a call so far. */
export function warningsOf(context: Context): readonly string[] {
  return warnings.get(context) ?? [];
}

/** Adds a sentence to a header that explains something; a second one stands behind the first. */
export function appendSentence(context: Context, header: 'svc-hint' | 'svc-warning', sentence: string): void {
  const present = context.res.headers.get(header);
  const text = sentence.replaceAll(/[^\u0020-\u007e]/g, escaped);
  context.header(header, (present === null ? text : `${present}; ${text}`).slice(0, maxHeaderCharacters));
}

/** A header holds ASCII alone. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
