import { isJsonObject, parseJson } from '../model/text.ts';
import { edited, findTopMember, topObject, withFirstMember } from './body-shape.ts';
import { bytes, bytesAt, findMember, lengthOfMark, skipWhitespace, type Span } from './json-bytes.ts';

/** Paths of OpenAI's API whose streams say what was used only when they are asked. */
const askedPath = /^[^?]*\/completions\/?(?:\?|$)/;

const optionsName = 'stream_options';
const askedOptions = '{"include_usage":true}';
const question = `"${optionsName}":${askedOptions},`;
/** By how much a body grows at most when it is asked. */
export const usageQuestionMaxBytes = question.length;

/** Whether `Svc-Stream-Usage` has a meaning for calls of this path. */
export function takesUsageQuestion(path: string): boolean {
  return askedPath.test(path);
}

/** A larger body is not parsed for two of its members, but gone through. */
const parsedMaxBytes = 64 * 1024;
/** Larger options of a stream are none. */
const optionsMaxBytes = 4096;

/** What a body says of its stream. */
export interface StreamAsked {
  readonly isStream: boolean;
  readonly options: unknown;
}

/** @returns undefined for what is no JSON object. */
function streamAskedIn(body: Buffer, mark: number): StreamAsked | undefined {
  if (body.length > parsedMaxBytes) return streamAskedInLarge(body);
  const parsed = parseJson(body.toString('utf8', mark));
  return isJsonObject(parsed) ? { isStream: parsed['stream'] === true, options: parsed['stream_options'] } : undefined;
}

function streamAskedInLarge(body: Buffer): StreamAsked | undefined {
  const { object, isWhole } = topObject(body);
  if (object === undefined || !isWhole) return undefined;
  const asked: { stream?: Span; stream_options?: Span } = {};
  for (const { name, value } of object.members) {
    const text = memberName(bytesAt(body, name));
    if (text === 'stream' || text === 'stream_options') asked[text] = value;
  }
  const { stream, stream_options: span } = asked;
  const isStream = stream !== undefined && bytesAt(body, stream).toString() === 'true';
  if (span === undefined) return { isStream, options: undefined };
  const options = span.end - span.start > optionsMaxBytes ? undefined : parseJson(bytesAt(body, span).toString());
  return options === undefined ? undefined : { isStream, options };
}

/** A name with its escapes resolved; of one that is too long for what is looked for, nothing. */
function memberName(written: Buffer): unknown {
  if (written.length > 'stream_options'.length * String.raw`\u0000`.length) return '';
  return written.includes(bytes.backslash) ? parseJson(`"${written.toString()}"`) : written.toString();
}

/** What a body says of its stream. @returns undefined for what is no JSON object. */
export function readStreamAsked(body: Buffer): StreamAsked | undefined {
  return streamAskedIn(body, lengthOfMark(body));
}

/** Whether {@link askForUsage} adds its question to a body that says this. */
export function takesQuestion({ isStream, options }: StreamAsked): boolean {
  return isStream && (options === undefined || options === null || (isJsonObject(options) && options['include_usage'] !== true));
}

/**
 * The body of a streamed call that does not ask for its usage, with that question added; every other byte stays.
 * @returns undefined when there is nothing to add: no stream, asked already, or no JSON that could be asked.
 */
export function askForUsage(body: Buffer): Buffer | undefined {
  const mark = lengthOfMark(body);
  const asked = streamAskedIn(body, mark);
  if (asked?.isStream !== true) return undefined;
  if (asked.options === undefined) return withFirstMember(body, optionsName, askedOptions);
  const span = findTopMember(body, optionsName);
  if (span === undefined) return undefined;
  if (asked.options === null) return edited(body, span, askedOptions);
  if (!isJsonObject(asked.options) || asked.options['include_usage'] === true) return undefined;
  const answer = findMember(body, span.start, 'include_usage');
  if (answer !== undefined) return edited(body, answer, 'true');
  const isEmpty = body[skipWhitespace(body, span.start + 1)] === bytes.closeBrace;
  return inserted(body, span.start + 1, isEmpty ? '"include_usage":true' : '"include_usage":true,');
}

function inserted(body: Buffer, at: number, text: string): Buffer {
  return edited(body, { start: at, end: at }, text);
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** An event over this size is none that speaks of usage alone; from there on everything passes. */
const longestEvent = 1024 * 1024;
const nothing = Buffer.alloc(0);

/**
 * Keeps the event that says the usage, and nothing else, from a client that did not ask for it. Every other byte passes as it came; an event
 * waits until it is whole.
 */
export class UsageFilter {
  /** Bytes that were copied or looked for the end of a line; it stays within a few times those that passed. */
  worked = 0;
  /** The beginning of an event whose end has not come. */
  private held: Buffer = nothing;
  /** Where what is held is put together. TRICKY: its bytes may be on their way to the client, so that none is written twice. */
  private store: Buffer = nothing;
  private stored = 0;
  /** Where in what is held the last line begins, and where its end is looked for next. */
  private lineStart = 0;
  private looked = 0;
  private givenUp = false;

  /** What of the stream goes on to the client now. */
  pass(chunk: Buffer): Buffer {
    if (this.givenUp) return chunk;
    const stream = this.held.length === 0 ? chunk : this.joined(chunk);
    const passed: Buffer[] = [];
    let eventStart = 0;
    let { lineStart, looked } = this;
    this.worked += stream.length - looked;
    for (let next = endOfLine(stream, looked); next !== undefined; next = endOfLine(stream, looked)) {
      const isBlank = next.start === lineStart;
      lineStart = next.end;
      looked = lineStart;
      if (!isBlank) continue;
      const event = stream.subarray(eventStart, lineStart);
      if (!saysUsageAlone(event)) passed.push(event);
      eventStart = lineStart;
    }
    this.held = stream.subarray(eventStart);
    this.lineStart = lineStart - eventStart;
    // A line feed behind it belongs to it.
    this.looked = Math.max(this.lineStart, this.held.length - (this.held.at(-1) === carriageReturn ? 1 : 0));
    if (this.held.length > longestEvent) {
      this.givenUp = true;
      passed.push(this.rest());
    }
    return passed.length === 1 ? (passed[0] ?? nothing) : Buffer.concat(passed);
  }

  /** What is held with a piece behind it, without copying it for each piece. */
  private joined(chunk: Buffer): Buffer {
    const { held, store, stored } = this;
    const isLast = held.buffer === store.buffer && held.byteOffset + held.length === store.byteOffset + stored;
    if (!isLast || store.length - stored < chunk.length) {
      this.store = Buffer.allocUnsafeSlow(2 * (held.length + chunk.length));
      this.store.set(held);
      this.stored = held.length;
      this.worked += held.length;
    }
    const start = this.stored - held.length;
    this.store.set(chunk, this.stored);
    this.stored += chunk.length;
    this.worked += chunk.length;
    return this.store.subarray(start, this.stored);
  }

  /** What was waiting for its end when the stream ended. */
  rest(): Buffer {
    const { held } = this;
    this.held = nothing;
    return saysUsageAlone(held) ? nothing : held;
  }
}

/** The next line break; undefined when there is none, or only its first half. */
function endOfLine(stream: Buffer, from: number): Span | undefined {
  for (let at = from; at < stream.length; at += 1) {
    if (stream[at] === lineFeed) return { start: at, end: at + 1 };
    if (stream[at] !== carriageReturn) continue;
    if (at + 1 === stream.length) return undefined;
    return { start: at, end: stream[at + 1] === lineFeed ? at + 2 : at + 1 };
  }
  return undefined;
}

/** The chunk that `stream_options.include_usage` adds: usage, and no choice. */
function saysUsageAlone(event: Buffer): boolean {
  if (!event.includes('"usage"')) return false;
  const data = event
    .toString('utf8')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length));
  const chunk = parseJson(data.join('\n'));
  if (!isJsonObject(chunk)) return false;
  const choices = chunk['choices'];
  return Array.isArray(choices) && choices.length === 0 && isJsonObject(chunk['usage']);
}
