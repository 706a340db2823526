import { isJsonObject, wellFormed } from '../model/text.ts';
import type { JsonObject } from '../model/text.ts';
import { unreportedUsage } from '../model/record/usage.ts';
import type { ResponseFacts } from './provider.ts';

const nothing: JsonObject = {};

/** The value as an object; an empty one for anything else. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : nothing;
}

/** The value as a list; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text that can be stored; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? wellFormed(value) : '';
}

/** The value as a count; null for anything but a whole, exactly representable number from 0. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** The object without one of its keys. */
export function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** Joins the texts that are not empty by newlines. */
export function joinLines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** The value as JSON text, for counting; empty for what is absent or nested deeper than the stack. */
export function jsonOf(value: unknown): string {
  try {
    return value === undefined || value === null ? '' : wellFormed(JSON.stringify(value));
  } catch {
    return '';
  }
}

/** Facts of a response that says nothing. */
export const noResponseFacts: ResponseFacts = {
  responseId: '',
  model: '',
  usage: unreportedUsage,
  serviceTier: '',
  completionText: '',
  finishReason: '',
  providerCost: null,
};
