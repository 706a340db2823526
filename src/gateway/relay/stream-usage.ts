import { isJsonObject, parseJson } from '../../model/text.ts';
import { usageQuestion } from '../../providers/openai/wire.ts';
import { edited, findTopMember, topObject, withFirstMember } from '../bodies/shape.ts';
import { bytes, bytesAt, findMember, lengthOfMark, skipWhitespace, type Span } from '../json/scan.ts';

const { member: optionsName, value: askedOptions, path: askedPath } = usageQuestion;
const question = `"${optionsName}":${askedOptions},`;
/** Maximum growth of a body by the added option. */
export const usageQuestionMaxBytes = question.length;

/** Whether `Svc-Stream-Usage` applies to this path. */
export function supportsUsageQuestion(path: string): boolean {
  return askedPath.test(path);
}

/** Larger bodies are scanned for the two members instead of parsed. */
const parsedMaxBytes = 64 * 1024;
/** A scanned body with larger `stream_options` stays unchanged. */
const optionsMaxBytes = 4096;

export interface StreamAsked {
  readonly isStream: boolean;
  readonly options: unknown;
}

/** @returns undefined if the body is not a JSON object, or its options cannot be read. */
export function readStreamAsked(body: Buffer): StreamAsked | undefined {
  if (body.length > parsedMaxBytes) return scanStreamAsked(body);
  const parsed = parseJson(body.toString('utf8', lengthOfMark(body)));
  return isJsonObject(parsed) ? { isStream: parsed['stream'] === true, options: parsed['stream_options'] } : undefined;
}

function scanStreamAsked(body: Buffer): StreamAsked | undefined {
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

/** The name with its escapes resolved; '' for a name too long for either member. */
function memberName(written: Buffer): unknown {
  if (written.length > 'stream_options'.length * String.raw`\u0000`.length) return '';
  return written.includes(bytes.backslash) ? parseJson(`"${written.toString()}"`) : written.toString();
}

/** Whether {@link askForStreamUsage} changes such a body. */
export function takesQuestion({ isStream, options }: StreamAsked): boolean {
  return isStream && (options === undefined || options === null || (isJsonObject(options) && options['include_usage'] !== true));
}

/**
 * Adds `include_usage` to the body of a streamed call that lacks it; every other byte stays.
 * @returns undefined for an unchanged body: no stream, already requested, or not JSON.
 */
export function askForStreamUsage(body: Buffer): Buffer | undefined {
  const asked = readStreamAsked(body);
  if (asked === undefined || !takesQuestion(asked)) return undefined;
  if (asked.options === undefined) return withFirstMember(body, optionsName, askedOptions);
  const span = findTopMember(body, optionsName);
  if (span === undefined) return undefined;
  if (asked.options === null) return edited(body, span, askedOptions);
  const answer = findMember(body, span.start, 'include_usage');
  if (answer !== undefined) return edited(body, answer, 'true');
  const at = span.start + 1;
  const isEmpty = body[skipWhitespace(body, at)] === bytes.closeBrace;
  return edited(body, { start: at, end: at }, isEmpty ? '"include_usage":true' : '"include_usage":true,');
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** A larger event cannot be the usage chunk; from there on everything passes. */
const maxEvent = 1024 * 1024;
/** A larger event passes; those after it are still checked. */
const maxUsageEvent = 16 * 1024;
/**
 * A stream has one usage chunk, perhaps with a few events that resemble it. Beyond this many everything passes, because each takes time to
 * parse.
 */
const maxSuspects = 100;
const usageName = Buffer.from('"usage"');
/** Tested before an event is parsed. */
const noChoices = /"choices"\s*:\s*\[\s*\]/;
const nothing = Buffer.alloc(0);

/** Hides the usage chunk from a client that did not ask for it. Every other byte passes unchanged; an event waits until it is complete. */
export class UsageChunkFilter {
  /** Bytes copied or scanned for a line end; at most a few times the bytes that passed. */
  worked = 0;
  private held: Buffer = nothing;
  /** Buffer in which `held` grows. TRICKY: its bytes may be on their way to the client, so no byte is written twice. */
  private store: Buffer = nothing;
  private stored = 0;
  /** Indexes in `held`: where its last line begins, and where the search for the end of that line continues. */
  private lineStart = 0;
  private looked = 0;
  private givenUp = false;
  private suspects = 0;

  /** @returns the bytes that go to the client now. */
  pass(chunk: Buffer): Buffer {
    if (this.givenUp) return chunk;
    const stream = this.held.length === 0 ? chunk : this.joined(chunk);
    const passed: Buffer[] = [];
    // Consecutive events pass as one slice: a slice per event of a few bytes would cost more than all the rest.
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
    // A line feed that follows belongs to this carriage return.
    this.looked = Math.max(this.lineStart, this.held.length - (this.held.at(-1) === carriageReturn ? 1 : 0));
    if (this.held.length > maxEvent || this.suspects > maxSuspects) {
      this.givenUp = true;
      passed.push(this.rest());
    }
    return passed.length === 1 ? (passed[0] ?? nothing) : Buffer.concat(passed);
  }

  /** Appends a chunk to `held` without copying all of it each time. */
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

  /** @returns the bytes still held when the stream ended. */
  rest(): Buffer {
    const { held } = this;
    this.held = nothing;
    return held.includes(usageName) && this.isUsageOnlyChunk(held) ? nothing : held;
  }

  /** Bounded by the size of an event and by the number of events parsed. */
  private isUsageOnlyChunk(event: Buffer): boolean {
    if (event.length > maxUsageEvent || this.suspects > maxSuspects) return false;
    const text = event.toString('utf8');
    if (!noChoices.test(text)) return false;
    this.suspects += 1;
    return isUsageAlone(text);
  }
}

/** Index of the next line break; the stream's length if there is none, or only its first half. */
function lineBreakFrom(stream: Buffer, from: number): number {
  for (let at = from; at < stream.length; at += 1) {
    if (stream[at] === lineFeed) return at;
    if (stream[at] === carriageReturn) return at + 1 === stream.length ? stream.length : at;
  }
  return stream.length;
}

/** Index of a text; the stream's length if it is absent. */
function placeOf(stream: Buffer, text: Buffer, from: number): number {
  const at = stream.indexOf(text, from);
  return at < 0 ? stream.length : at;
}

/** The chunk that `include_usage` adds has usage and no choices. */
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
