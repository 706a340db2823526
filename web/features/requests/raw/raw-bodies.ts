import { formatAmount } from '../../../lib/format.ts';
import type { BodyBeginning } from '../../../../src/client/client.ts';
import { isObject, jsonText, parsed } from '../../../ui/conversation/read/json.ts';

/** Characters of a body that are shown; the rest is in the download. */
export const shownLength = 16 * 1024 * 1024;

/** Characters of a line that are shown, as of a picture in base64: the layout of a longer one holds the page up. */
export const shownLineLength = 20_000;

/** A body as it is recorded. */
export interface RawBody {
  readonly kind: 'json' | 'text' | 'bytes';
  /** Of bytes, base64. Of megabytes of JSON it takes a while. */
  readonly text: () => string;
  readonly contentType: string;
}

/** @param body As the API shows it. @returns undefined: none is kept. */
export function rawBody(body: unknown): RawBody | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string') {
    return { kind: 'text', text: () => body, contentType: /^\s*[{[]/.test(body) ? 'application/json' : 'text/plain' };
  }
  if (isObject(body) && Object.keys(body).length === 2) {
    const { base64, content_type: contentType } = body;
    if (typeof base64 === 'string' && typeof contentType === 'string') return { kind: 'bytes', text: () => base64, contentType };
  }
  // The record has JSON as this writes it.
  return { kind: 'json', text: () => jsonText(body), contentType: 'application/json' };
}

/** A body as it is shown. */
export interface BodyView {
  readonly lines: readonly string[];
  readonly isJson: boolean;
  readonly isCut: boolean;
  /** Lines of which a part is shown. */
  readonly longLines: number;
}

/** @param body As the API shows it. */
export function shownBody(body: unknown, { kind, text }: RawBody): BodyView {
  const isJson = kind === 'json';
  const whole = isJson ? jsonText(body, 2) : text();
  // Laid out JSON has no other ends of lines, and one character is found several times as fast.
  const lines = whole.slice(0, shownLength).split(isJson ? '\n' : /\r\n?|\n/);
  const longLines = lines.filter(({ length }) => length > shownLineLength).length;
  return { lines: longLines === 0 ? lines : lines.map(shownLine), isJson, isCut: whole.length > shownLength, longLines };
}

/** Lines of a body that are in view before the others are laid out: more than any window has. */
const firstLines = 400;

/**
 * The first lines of a body, laid out as in {@link shownBody}: of megabytes they are there at once. @returns undefined where the whole takes
 * no longer, as of a text.
 */
export function beginningOf(body: unknown, { kind }: RawBody): readonly string[] | undefined {
  if (kind !== 'json') return undefined;
  const lines: string[] = [];
  for (const line of laidOut(body, { indent: '', name: '', end: '' })) {
    if (lines.length === firstLines) return lines;
    lines.push(shownLine(line));
  }
  // All of it: what is told beside it must be found out all the same.
  return undefined;
}

/** The first lines of a body of which no more than its beginning is there. They stand in the whole as well. */
export function linesOfBeginning({ kind, text }: BodyBeginning): readonly string[] {
  const { json, depth } = closedJson(text);
  const value = kind === 'json' ? parsed(json) : text;
  // A line of base64 is long, and one that is nested deeply is none.
  if (typeof value === 'string') return kind === 'text' ? text.split(/\r\n?|\n/, firstLines).map(shownLine) : [''];
  const lines: string[] = [];
  // At the end stand the brackets that were added, and what may go on before them.
  const added = depth + 1;
  for (const line of laidOut(value, { indent: '', name: '', end: '' })) {
    if (lines.length === firstLines + added) break;
    lines.push(shownLine(line));
  }
  return lines.length > added ? lines.slice(0, -added) : [''];
}

/** A body from its beginning, as the API shows it; undefined where it goes on, or the API alone says what it is. */
export function bodyOfBeginning(beginning: BodyBeginning | null): { readonly body: unknown } | undefined {
  if (beginning === null) return { body: null };
  const { kind, text, content_type: contentType, is_whole: isWhole } = beginning;
  if (!isWhole) return undefined;
  if (kind !== 'json') return { body: kind === 'text' ? text : { base64: text, content_type: contentType } };
  const body = parsed(text);
  return body === text ? undefined : { body };
}

/** JSON whose end is missing, closed behind the last of its values that is whole. @returns with it, how many brackets were added. */
function closedJson(text: string): { readonly json: string; readonly depth: number } {
  const open: string[] = [];
  let end = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*(?:"|$)|[[\]{},]/gs)) {
    if (token.startsWith('"')) continue;
    if (token === '[' || token === '{') open.push(token === '[' ? ']' : '}');
    else if (token !== ',') open.pop();
    end = token === ',' ? index : index + 1;
  }
  return { json: text.slice(0, end) + open.toReversed().join(''), depth: open.length };
}

interface Place {
  readonly indent: string;
  /** What stands before the value, and behind it. */
  readonly name: string;
  readonly end: string;
}

/** The lines of a value as `JSON.stringify` lays them out, made one by one. */
function* laidOut(value: unknown, { indent, name, end }: Place): Generator<string> {
  const isList = Array.isArray(value);
  const names = !isList && isObject(value) ? Object.keys(value) : [];
  const count = isList ? value.length : names.length;
  if (count === 0) {
    yield indent + name + jsonText(value) + end;
    return;
  }
  yield indent + name + (isList ? '[' : '{');
  for (let index = 0; index < count; index += 1) {
    const key = names[index] ?? '';
    const member: unknown = isList ? value[index] : (value as Readonly<Record<string, unknown>>)[key];
    yield* laidOut(member, { indent: `${indent}  `, name: isList ? '' : `${jsonText(key)}: `, end: index === count - 1 ? '' : ',' });
  }
  yield indent + (isList ? ']' : '}') + end;
}

function shownLine(line: string): string {
  const more = line.length - shownLineLength;
  return more <= 0 ? line : `${line.slice(0, shownLineLength)}… and ${formatAmount(more, 'more character')}`;
}
