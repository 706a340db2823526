import { nearestName } from '../../model/nearest-name.ts';

const maxText = 60;
const maxDepth = 6;
const maxKeys = 3;

/**
 * A caller's value as short JSON for an error sentence: long texts and deep values become `…`. TRICKY: JSON.stringify overflows the stack
 * on hostile nesting, so the value is truncated first.
 */
export function preview(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number too large to keep';
  return JSON.stringify(cut(value, maxDepth)) ?? 'nothing';
}

/** A caller's key in backticks, shortened. */
export function code(key: string): string {
  return `\`${clip(key)}\``;
}

/** Suggests the nearest known key; empty when none is near. */
export function didYouMean(key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known);
  return nearest === undefined ? '' : ` Did you mean ${code(nearest)}?`;
}

/** Keys as a list for people: `` `a`, `b`, `c` ``. */
export function codeList(keys: readonly string[]): string {
  return keys.map(code).join(', ');
}

function cut(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return clip(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, maxKeys).map((item) => cut(item, depth - 1));
  const entries = Object.entries(value);
  const shown = entries.slice(0, maxKeys).map(([key, item]) => [clip(key), cut(item, depth - 1)]);
  return Object.fromEntries(entries.length > maxKeys ? [...shown, ['…', '…']] : shown);
}

function clip(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}
