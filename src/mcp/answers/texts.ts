import { indexWithin } from '../../query/filter/memory/texts/find.ts';
import { isJsonObject } from '../../model/text.ts';

/**
 * Texts of bodies, whatever provider they are for: enough to recognise a call. What is not understood has none; `read_request` shows it.
 */

/** The text of the last message of the user, or of what else was asked. */
export function askedIn(body: unknown): string {
  if (!isJsonObject(body)) return textOf(body);
  const messages = [body['messages'], body['input'], body['contents']].find((list) => Array.isArray(list)) as unknown[] | undefined;
  const last = messages?.findLast((message) => !isJsonObject(message) || (message['role'] ?? 'user') === 'user');
  return textOf(last ?? messages?.at(-1) ?? body['prompt'] ?? body['input'] ?? body['query'] ?? body['inputText'] ?? body['texts']);
}

/** Everything that was said to the model. */
export function fullPromptIn(body: unknown): string {
  if (!isJsonObject(body)) return textOf(body);
  const parts = ['system', 'instructions', 'systemInstruction', 'messages', 'input', 'contents', 'prompt', 'query', 'inputText'];
  return parts
    .map((name) => textOf(body[name]))
    .filter((text) => text !== '')
    .join('\n');
}

/** The text of the first answer, or the message of an error. */
export function answeredIn(body: unknown): string {
  if (!isJsonObject(body)) return textOf(body);
  const { error, message, choices, content, output, candidates, detail } = body;
  if (error !== undefined && error !== null) return errorText(error);
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  const [candidate] = Array.isArray(candidates) ? (candidates as unknown[]) : [];
  for (const part of [choice, content, output, candidate, message, body['response'], body['text'], detail]) {
    const text = textOf(part);
    if (text !== '') return text;
  }
  return '';
}

function errorText(error: unknown): string {
  if (!isJsonObject(error)) return textOf(error);
  const kind = error['code'] ?? error['type'] ?? error['status'];
  const name = typeof kind === 'string' || typeof kind === 'number' ? `${kind}: ` : '';
  return `${name}${typeof error['message'] === 'string' ? error['message'] : JSON.stringify(error)}`;
}

/** Deeper text is left out. */
const maxDepth = 8;

/** Members that hold text, or what holds text. */
const textMembers = [
  'text',
  'content',
  'parts',
  'message',
  'input_text',
  'output_text',
  'delta',
  'arguments',
  'function',
  'tool_calls',
] as const;

function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (depth > maxDepth) return '';
  if (Array.isArray(value)) return joinTexts(value.map((item) => textOf(item, depth + 1)));
  if (!isJsonObject(value)) return '';
  const name = typeof value['name'] === 'string' && 'arguments' in value ? value['name'] : '';
  return joinTexts([name, ...textMembers.map((member) => textOf(value[member], depth + 1))]);
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(' ');
}

/** So many characters of a text in one line: from its beginning, or around the first sought text in it. */
export function excerpt(text: string, characters: number, sought: readonly string[] = []): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().toWellFormed();
  const points = Array.from(line.slice(0, maxExcerptSource));
  if (points.length <= characters) return line.length > maxExcerptSource ? `${points.join('')}…` : line;
  const lower = points.join('').toLowerCase();
  const at = Math.max(-1, ...sought.map((wanted) => indexWithin(lower, wanted.toLowerCase().replaceAll(/\s+/g, ' ').trim())));
  const start = at <= characters / 2 ? 0 : Math.min(at - Math.floor(characters / 4), points.length - characters);
  const end = start + characters;
  return `${start > 0 ? '…' : ''}${points.slice(start, end).join('')}${end < points.length ? '…' : ''}`;
}

/** Characters of a text that are looked at. */
const maxExcerptSource = 200_000;
