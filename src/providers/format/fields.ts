import { isJsonObject, wellFormed } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { RequestFields, ResponseFields } from './provider.ts';

const nothing: JsonObject = {};

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : nothing;
}

/** The value if it is a list, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as well-formed text, empty for anything but a text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? wellFormed(value) : '';
}

/** The value if it is a safe integer of at least 0, else null. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** @param texts of the user's messages, in order. */
export function userTexts(texts: readonly string[]): Pick<RequestFields, 'firstUserText' | 'lastUserText'> {
  const said = texts.filter((text) => text !== '');
  return { firstUserText: said[0] ?? '', lastUserText: said.at(-1) ?? '' };
}

/** Joins the non-empty texts by newlines. */
export function joinLines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** JSON text for counting tokens; empty for an absent value or one nested too deep to serialise. */
export function jsonOf(value: unknown): string {
  try {
    return value === undefined || value === null ? '' : wellFormed(JSON.stringify(value));
  } catch {
    return '';
  }
}

export const noResponseFields: ResponseFields = {
  responseId: '',
  model: '',
  usage: unreportedUsage,
  serviceTier: '',
  completionText: '',
  finishReason: '',
  providerCost: null,
};
