import { digitsOf, isMarkedNumber, writeExactly } from '../../model/json/exact-numbers.ts';
import { isJsonObject, type JsonObject, parseExactly } from '../../model/text.ts';

/** A message of OpenAI's chat, the form that all dialects are brought into. */
export interface ChatMessage {
  readonly role: string;
  /** Null: the message consists of tool calls. */
  readonly content: string | readonly JsonObject[] | null;
  readonly reasoning_content?: string;
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly ToolCall[];
}

export interface ToolCall {
  readonly id?: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message of a response, with the reason why it ended. */
export interface ChatChoice {
  readonly message: ChatMessage;
  readonly finishReason: string;
}

/** Text as it is, anything else as JSON, in which numbers have the digits that they came with. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return isMarkedNumber(value) ? digitsOf(value) : value;
  return value === undefined || value === null ? '' : writeExactly(value);
}

/**
 * Dialects put JSON into texts. Returns what the text holds when that is a list or an object, else the value itself. Numbers that JavaScript
 * would change are marked texts, for `writeExactly`.
 */
export function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return parseExactly(value) ?? value;
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  const list = unpacked(value);
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

export function textMember(object: JsonObject, names: readonly string[]): string {
  const found = names.map((name) => object[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? found : '';
}
