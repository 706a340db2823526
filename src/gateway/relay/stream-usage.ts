import { isJsonObject, parseJson } from '../../model/text.ts';
import { usageQuestion } from '../../providers/openai/wire.ts';
import { edited, findTopMember, topObject, withFirstMember } from '../bodies/shape.ts';
import { bytes, bytesAt, findMember, lengthOfMark, skipWhitespace, type Span } from '../json/scan.ts';

const { member: optionsName, value: askedOptions, path: askedPath } = usageQuestion;
const question = `"${optionsName}":${askedOptions},`;
/** By how much a body grows at most when it is asked. */
export const usageQuestionMaxBytes = question.length;

/** Whether `Svc-Stream-Usage` has a meaning for calls of this path. */
export function supportsUsageQuestion(path: string): boolean {
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

/** Whether {@link askForStreamUsage} adds its question to a body that says this. */
export function takesQuestion({ isStream, options }: StreamAsked): boolean {
  return isStream && (options === undefined || options === null || (isJsonObject(options) && options['include_usage'] !== true));
}

/**
 * The body of a streamed call that does not ask for its usage, with that question added; every other byte stays.
 * @returns undefined when there is nothing to add: no stream, asked already, or no JSON that could be asked.
 */
export function askForStreamUsage(body: Buffer): Buffer | undefined {
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
const maxEvent = 1024 * 1024;
/** Nor is one over this, but those behind it may be. */
const maxUsageEvent = 16 * 1024;
/** A stream has one event that says the usage, or a few that look like it. Of one that has more of them everything passes: each takes some time. */
const maxSuspects = 100;
const usageName = Buffer.from('"usage"');
/** In an event of usage alone. */
const noChoices = /"choices"\s*:\s*\[\s*\]/;
const nothing = Buffer.alloc(0);

/**
 * Keeps the event that says the usage, and nothing else, from a client that did not ask for it. Every other byte passes as it came; an event
 * waits until it is whole.
 */
export class UsageChunkFilter {
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
  /** Events that were parsed. */
  private suspects = 0;

  /** What of the stream goes on to the client now. */
  pass(chunk: Buffer): Buffer {
    if (this.givenUp) return chunk;
    const stream = this.held.length === 0 ? chunk : this.joined(chunk);
    const passed: Buffer[] = [];
    // What passes is not taken apart: a piece for each event of a few bytes would take more than all else that is done for them.
    let passedTo = 0;
    let eventStart = 0;
    let usageAt = -1;
    let { lineStart } = this;
    this.worked += stream.length - this.looked;
    for (let at = lineBreakFrom(stream, this.looked); at < stream.length; at = lineBreakFrom(stream, lineStart)) {
      const isBlank = at === lineStart;
      lineStart = at + (stream[at] === carriageReturn && stream[at + 1] === lineFeed ? 2 : 1);
      if (!isBlank) continue;
      if (usageAt < eventStart) usageAt = placeOf(stream, usageName, eventStart);
      if (usageAt < lineStart && this.isUsageOnlyChunk(stream.subarray(eventStart, lineStart))) {
        passed.push(stream.subarray(passedTo, eventStart));
        passedTo = lineStart;
      }
      eventStart = lineStart;
    }
    passed.push(stream.subarray(passedTo, eventStart));
    this.held = stream.subarray(eventStart);
    this.lineStart = lineStart - eventStart;
    // A line feed behind it belongs to it.
    this.looked = Math.max(this.lineStart, this.held.length - (this.held.at(-1) === carriageReturn ? 1 : 0));
    if (this.held.length > maxEvent || this.suspects > maxSuspects) {
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
    return held.includes(usageName) && this.isUsageOnlyChunk(held) ? nothing : held;
  }

  /** Whether this is the event that was asked for. What is parsed for that is bounded, of an event and of the stream. */
  private isUsageOnlyChunk(event: Buffer): boolean {
    if (event.length > maxUsageEvent || this.suspects > maxSuspects) return false;
    const text = event.toString('utf8');
    if (!noChoices.test(text)) return false;
    this.suspects += 1;
    return isUsageAlone(text);
  }
}

/** Where the next line break is; the length of the stream when there is none, or only its first half. */
function lineBreakFrom(stream: Buffer, from: number): number {
  for (let at = from; at < stream.length; at += 1) {
    if (stream[at] === lineFeed) return at;
    if (stream[at] === carriageReturn) return at + 1 === stream.length ? stream.length : at;
  }
  return stream.length;
}

/** Where a text begins, at this place or behind it; the length of the stream when it does not. */
function placeOf(stream: Buffer, text: Buffer, from: number): number {
  const at = stream.indexOf(text, from);
  return at < 0 ? stream.length : at;
}

/** The chunk that `stream_options.include_usage` adds: usage, and no choice. */
function isUsageAlone(event: string): boolean {
  const data = event
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length));
  const chunk = parseJson(data.join('\n'));
  if (!isJsonObject(chunk)) return false;
  const choices = chunk['choices'];
  return Array.isArray(choices) && choices.length === 0 && isJsonObject(chunk['usage']);
}
