import { firstBytesOf } from '../../model/json/first-bytes.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { usageOption } from '../../providers/openai/wire.ts';
import { edited, findTopMember, topObject, withFirstMember } from '../bodies/shape.ts';
import { bytes, bytesAt, findMember, byteOrderMarkBytes, skipWhitespace, type Span } from '../json/scan.ts';

const { member: optionsName, value: includeUsage, path: supportedPaths } = usageOption;
const addedMember = `"${optionsName}":${includeUsage},`;
/** Maximum growth of a body by the added option. */
export const includeUsageMaxBytes = addedMember.length;

/** Whether `Svc-Stream-Usage` applies to this path. */
export function supportsIncludeUsage(path: string): boolean {
  return supportedPaths.test(path);
}

/** Larger bodies are scanned for the two members instead of parsed. */
const parsedMaxBytes = 64 * 1024;
/** A scanned body with larger `stream_options` stays unchanged. */
const optionsMaxBytes = 4096;

export interface StreamOptions {
  readonly isStream: boolean;
  readonly options: unknown;
}

/** @returns undefined if the body is not a JSON object, or its options cannot be read. */
export function readStreamOptions(body: Buffer): StreamOptions | undefined {
  if (body.length > parsedMaxBytes) return scanStreamOptions(body);
  const parsed = parseJson(body.toString('utf8', byteOrderMarkBytes(body)));
  return isJsonObject(parsed) ? { isStream: parsed['stream'] === true, options: parsed['stream_options'] } : undefined;
}

function scanStreamOptions(body: Buffer): StreamOptions | undefined {
  const { object, isComplete } = topObject(body);
  if (object === undefined || !isComplete) return undefined;
  const found: { stream?: Span; stream_options?: Span } = {};
  for (const { name, value } of object.members) {
    const text = memberName(bytesAt(body, name));
    if (text === 'stream' || text === 'stream_options') found[text] = value;
  }
  const { stream, stream_options: span } = found;
  const isStream = stream !== undefined && bytesAt(body, stream).toString() === 'true';
  if (span === undefined) return { isStream, options: undefined };
  const options = span.end - span.start > optionsMaxBytes ? undefined : parseJson(bytesAt(body, span).toString());
  return options === undefined ? undefined : { isStream, options };
}

/** The name with its escapes resolved; '' for a name too long for either member. */
function memberName(raw: Buffer): unknown {
  if (raw.length > 'stream_options'.length * String.raw`\u0000`.length) return '';
  return raw.includes(bytes.backslash) ? parseJson(`"${raw.toString()}"`) : raw.toString();
}

/** Whether {@link withIncludeUsage} changes such a body. */
export function lacksIncludeUsage({ isStream, options }: StreamOptions): boolean {
  return isStream && (options === undefined || options === null || (isJsonObject(options) && options['include_usage'] !== true));
}

/**
 * Adds `include_usage` to the body of a streamed call that lacks it; every other byte stays.
 * @returns undefined for an unchanged body: no stream, already requested, or not JSON.
 */
export function withIncludeUsage(body: Buffer): Buffer | undefined {
  const found = readStreamOptions(body);
  if (found === undefined || !lacksIncludeUsage(found)) return undefined;
  if (found.options === undefined) return withFirstMember(body, optionsName, includeUsage);
  const span = findTopMember(body, optionsName);
  if (span === undefined) return undefined;
  if (found.options === null) return edited(body, span, includeUsage);
  const flag = findMember(body, span.start, 'include_usage');
  if (flag !== undefined) return edited(body, flag, 'true');
  const at = span.start + 1;
  const isEmpty = body[skipWhitespace(body, at)] === bytes.closeBrace;
  return edited(body, { start: at, end: at }, isEmpty ? '"include_usage":true' : '"include_usage":true,');
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** A larger event cannot be the usage chunk; from there on everything passes. */
const maxEventBytes = 1024 * 1024;
/** A larger event passes; those after it are still checked. */
const maxUsageEventBytes = 16 * 1024;
/**
 * A stream has one usage chunk, perhaps with a few events that resemble it. Beyond this many everything passes, because each takes time to
 * parse.
 */
const maxCandidates = 100;
const usageName = Buffer.from('"usage"');
/** Tested before an event is parsed. */
const noChoices = /"choices"\s*:\s*\[\s*\]/;
const empty = Buffer.alloc(0);

/** Hides the usage chunk from a client that did not ask for it. Every other byte passes unchanged; an event waits until it is complete. */
export class UsageChunkFilter {
  /** Bytes copied or scanned for a line end; at most a few times the bytes that passed. */
  processedBytes = 0;
  private held: Buffer = empty;
  /** Buffer in which `held` grows. TRICKY: its bytes may be on their way to the client, so no byte is written twice. */
  private buffer: Buffer = empty;
  private bufferedBytes = 0;
  /** Indexes in `held`: where its last line begins, and where the search for the end of that line continues. */
  private lineStart = 0;
  private searchFrom = 0;
  private givenUp = false;
  private begun = false;
  private candidates = 0;

  /** @returns the bytes that go to the client now. */
  pass(chunk: Buffer): Buffer {
    if (!this.begun) this.begin(chunk);
    return this.givenUp ? chunk : this.withoutUsage(chunk);
  }

  private withoutUsage(chunk: Buffer): Buffer {
    const stream = this.held.length === 0 ? chunk : this.append(chunk);
    const passed: Buffer[] = [];
    // Consecutive events pass as one slice: a slice per event of a few bytes would cost more than all the rest.
    let passedTo = 0;
    let eventStart = 0;
    let usageAt = -1;
    let { lineStart } = this;
    this.processedBytes += stream.length - this.searchFrom;
    for (let at = lineBreakFrom(stream, this.searchFrom); at < stream.length; at = lineBreakFrom(stream, lineStart)) {
      const isBlank = at === lineStart;
      lineStart = at + (stream[at] === carriageReturn && stream[at + 1] === lineFeed ? 2 : 1);
      if (!isBlank) continue;
      if (usageAt < eventStart) usageAt = indexOrEnd(stream, usageName, eventStart);
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
    this.searchFrom = Math.max(this.lineStart, this.held.length - (this.held.at(-1) === carriageReturn ? 1 : 0));
    if (this.held.length > maxEventBytes || this.candidates > maxCandidates) {
      this.givenUp = true;
      passed.push(this.rest());
    }
    return passed.length === 1 ? (passed[0] ?? empty) : Buffer.concat(passed);
  }

  /** JSON, whatever its content type, is no stream of events, and must not wait for the end of one. */
  private begin(chunk: Buffer): void {
    const first = firstBytesOf(chunk);
    this.begun = first !== 'blank';
    this.givenUp = first === 'json' && this.held.length === 0;
  }

  /** Appends a chunk to `held` without copying all of it each time. */
  private append(chunk: Buffer): Buffer {
    const { held, buffer, bufferedBytes } = this;
    const isLast = held.buffer === buffer.buffer && held.byteOffset + held.length === buffer.byteOffset + bufferedBytes;
    if (!isLast || buffer.length - bufferedBytes < chunk.length) {
      this.buffer = Buffer.allocUnsafeSlow(2 * (held.length + chunk.length));
      this.buffer.set(held);
      this.bufferedBytes = held.length;
      this.processedBytes += held.length;
    }
    const start = this.bufferedBytes - held.length;
    this.buffer.set(chunk, this.bufferedBytes);
    this.bufferedBytes += chunk.length;
    this.processedBytes += chunk.length;
    return this.buffer.subarray(start, this.bufferedBytes);
  }

  /** @returns the bytes still held when the stream ended. */
  rest(): Buffer {
    const { held } = this;
    this.held = empty;
    return held.includes(usageName) && this.isUsageOnlyChunk(held) ? empty : held;
  }

  /** Bounded by the size of an event and by the number of events parsed. */
  private isUsageOnlyChunk(event: Buffer): boolean {
    if (event.length > maxUsageEventBytes || this.candidates > maxCandidates) return false;
    const text = event.toString('utf8');
    if (!noChoices.test(text)) return false;
    this.candidates += 1;
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
function indexOrEnd(stream: Buffer, text: Buffer, from: number): number {
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
