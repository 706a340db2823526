import { firstBytesOf } from '../../model/json/first-bytes.ts';
import { isIdentity } from '../http/content-coding.ts';
import { codingsOf, decodeCodings, isTooLong } from '../../platform/http/content-decoding.ts';
import { packedEventsIn } from '../json/packed-events.ts';
import { failedChoice, failureWords, literal, objectReportsError } from '../json/reported-errors.ts';
import type { UnpackingAllowance } from './unpacking-time.ts';
import { wireProfile } from '../../providers/wire-profile.ts';

/** What a reply has shown first: of its answer, or that it failed. */
export type Seen = 'nothing' | 'content' | 'error';

/** Of a line or of packed bytes; what is behind is passed by. */
const maxHeldBytes = 64 * 1024;
/** What is looked at of a reply: an event that repeats its request may have megabytes, and a file has no content that would end the look. */
const maxLookedBytes = 16 * 1024 * 1024;
/** How often the beginning of packed bytes is unpacked: a reply may come byte by byte. */
const maxUnpackings = 64;
/** Bytes that the unpackings of one reply give together: a few packed bytes may be half a megabyte each time. */
const maxUnpackedTogether = 2 * 1024 * 1024;
/** Of zstd: each takes time, and may give no byte. */
const maxUnpackedBlocks = 64;
/** Characters of binary messages that are looked at again with the next chunk. */
const overlap = 4096;
/** Characters in which an event names its type, and names that are looked at. */
const typeWithin = 2048;

const { contentEvents, streamEvents, contentTexts, contentObjects, failureEvents, failureMessageHeaders } = wireProfile;
const anyOf = (texts: readonly string[]): string => texts.join('|');
const ofContent = new RegExp(`^(?:${anyOf(contentEvents)})$`);
const ofFailures = new RegExp(`^(?:${literal(failureEvents)})$`);
const ofStreams = new RegExp(`^(?:${anyOf([...contentEvents, ...streamEvents, ...failureEvents])})$`);
/** A member with a text that is not empty, or with an object. Quotes within a text are escaped, so a name with its quotes is a name. */
const contentMember = new RegExp(String.raw`"(?:${anyOf(contentTexts)})"\s*:\s*"[^"]|"(?:${anyOf(contentObjects)})"\s*:\s*\{`);
const typeMember = /"(?:type|event_type)"\s*:\s*"([\w.-]+)"/g;

const identity: readonly string[] = [];

export interface BeginningOptions {
  /** Whether it looks for errors as well. */
  readonly errors?: boolean;
  /** Absent: packed replies are unpacked whenever a chunk comes. */
  readonly unpacking?: UnpackingAllowance | undefined;
}

/**
 * Looks for the first piece of content in a reply as its bytes pass: text, reasoning, the argument of a tool call, audio or a picture. What
 * comes before it is little: names, comments, an event that repeats the request. Nothing is parsed.
 *
 * Where it looks for errors, a reply that can report none has shown content with its first byte: neither JSON, nor events, nor messages, or
 * in a coding that is not unpacked here.
 */
export class ReplyBeginning {
  private seen: Seen = 'nothing';
  /** Undefined: not to be unpacked. */
  private readonly codings: readonly string[] | undefined;
  private readonly looksForErrors: boolean;
  private readonly unpacking: UnpackingAllowance | undefined;
  private readonly packed: Buffer[] = [];
  private packedBytes = 0;
  private unpackings = 0;
  private unpackedTogether = 0;
  private lookedBytes = 0;
  private unpackedBytes = 0;
  private isBinary: boolean | undefined;
  /** The line that is not complete yet, or the end of what was looked at in binary messages. */
  private held = '';
  private isPassingBy = false;
  private isAfterReturn = false;
  /** The name of the event whose lines come. */
  private event = '';

  /** @param contentEncoding of the body. */
  constructor(contentEncoding?: string, { errors = false, unpacking }: BeginningOptions = {}) {
    this.unpacking = unpacking;
    this.codings = isIdentity(contentEncoding) ? identity : codingsOf(contentEncoding);
    this.looksForErrors = errors;
    if (errors && this.codings === undefined) this.seen = 'content';
  }

  see(chunk: Buffer): Seen {
    if (this.seen !== 'nothing' || this.codings === undefined) return this.seen;
    this.seen = this.codings.length === 0 ? this.look(chunk) : this.unpack(chunk, this.codings);
    return this.seen;
  }

  /** At the end of the reply: its last line may have no end. */
  end(): Seen {
    if (this.seen === 'nothing' && this.isBinary !== true && !this.isPassingBy) this.seen = this.line(this.held);
    this.held = '';
    return this.seen;
  }

  private look(chunk: Buffer): Seen {
    if (this.lookedBytes > maxLookedBytes) return 'nothing';
    if (this.looksForErrors && this.lookedBytes === 0 && !mayReport(chunk)) return 'content';
    this.lookedBytes += chunk.length;
    this.isBinary ??= chunk[0] === 0;
    const text = chunk.toString('latin1');
    return this.isBinary ? this.messages(text) : this.lines(text);
  }

  /** The beginning of packed bytes is unpacked again with each chunk; it is short. */
  private unpack(chunk: Buffer, codings: readonly string[]): Seen {
    const isSpent = this.unpackings >= maxUnpackings || this.unpackedTogether > maxUnpackedTogether;
    if (this.packedBytes > maxHeldBytes || isSpent) return 'nothing';
    this.packed.push(chunk);
    this.packedBytes += chunk.length;
    // Who waits for the look gets the reply as if it could not be unpacked.
    if (this.unpacking?.isGiven() === false) return this.looksForErrors ? 'content' : 'nothing';
    this.unpackings += 1;
    const since = performance.now();
    const unpacked = unpackedStart(Buffer.concat(this.packed), codings);
    this.unpacking?.took(performance.now() - since);
    // More packed bytes make what is too long no shorter.
    this.unpackedTogether += unpacked === 'too long' ? Infinity : (unpacked?.length ?? 0);
    const more = unpacked === 'too long' ? undefined : unpacked?.subarray(this.unpackedBytes);
    if (more === undefined || more.length === 0) return 'nothing';
    this.unpackedBytes += more.length;
    return this.look(more);
  }

  private messages(text: string): Seen {
    const looked = this.held + text;
    this.held = looked.slice(-overlap);
    for (const event of packedEventsIn(looked)) {
      const seen = this.data(event, true);
      if (seen !== 'nothing') return seen;
    }
    if (contentMember.test(looked)) return 'content';
    return this.looksForErrors && failureMessageHeaders.some((header) => looked.includes(header)) ? 'error' : 'nothing';
  }

  private lines(text: string): Seen {
    const hasReturns = text.includes('\r');
    let start = 0;
    for (;;) {
      // A line feed behind a carriage return belongs to it.
      if (this.isAfterReturn && start < text.length) {
        this.isAfterReturn = false;
        if (text[start] === '\n') start += 1;
      }
      const end = hasReturns ? lineEnd(text, start) : text.indexOf('\n', start);
      if (end === -1) break;
      const line = this.held + text.slice(start, end);
      const isPassedBy = this.isPassingBy;
      this.held = '';
      this.isPassingBy = false;
      this.isAfterReturn = text[end] === '\r';
      start = end + 1;
      const seen = isPassedBy ? 'nothing' : this.line(line);
      if (seen !== 'nothing') return seen;
    }
    return this.isPassingBy ? 'nothing' : this.hold(text.slice(start));
  }

  private hold(text: string): Seen {
    this.held += text;
    if (this.held.length <= maxHeldBytes) return 'nothing';
    // A picture of megabytes comes in one line.
    const beginning = this.held;
    this.held = '';
    this.isPassingBy = true;
    return this.line(beginning);
  }

  private line(line: string): Seen {
    if (line === '') this.event = '';
    else if (line.startsWith('event:')) {
      this.event = line.slice('event:'.length).trim();
    } else if (line.startsWith('data:')) return this.data(line.slice('data:'.length), true);
    else if (!fieldLine.test(line)) return this.data(line, false);
    return 'nothing';
  }

  /** @param isEvent in a stream any error counts; in a body, one beside an answer is none. */
  private data(data: string, isEvent: boolean): Seen {
    const type = ofStreams.test(this.event) ? this.event : typeOf(data);
    const hasContent = (type === '' || ofContent.test(type)) && contentMember.test(data);
    if (this.looksForErrors && (isEvent || !hasContent) && this.reportsError(data)) return 'error';
    return hasContent ? 'content' : 'nothing';
  }

  private reportsError(data: string): boolean {
    if (ofFailures.test(this.event)) return true;
    if (!failureWords.some((word) => data.includes(word)) && !failureEvents.some((event) => data.includes(`"${event}"`))) return false;
    return failedChoice.test(data) || objectReportsError(Buffer.from(data, 'latin1')) === true;
  }
}

/** Beginnings of the lines of events. */
const eventFields = [':', 'data', 'event', 'id', 'retry'];

/** Whether bytes at the beginning of a reply may be of a body in which errors are reported. */
function mayReport(chunk: Buffer): boolean {
  if (firstBytesOf(chunk) !== 'other') return true;
  const beginning = chunk.toString('latin1', 0, 64).replace(/^[\s\u00bb\u00bf\u00ef]+/, '');
  return eventFields.some((field) => beginning.startsWith(field) || field.startsWith(beginning));
}

/** Comments and fields of events that hold no data. */
const fieldLine = /^(?::|id:|retry:)/;

function lineEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  const carriage = text.indexOf('\r', from);
  return feed === -1 || (carriage !== -1 && carriage < feed) ? carriage : feed;
}

/** The type of an event that a format knows, empty for any other. */
function typeOf(data: string): string {
  for (const [, type = ''] of data.slice(0, typeWithin).matchAll(typeMember)) if (ofStreams.test(type)) return type;
  return '';
}

const maxUnpackedBytes = 8 * maxHeldBytes;

function unpackedStart(bytes: Buffer, codings: readonly string[]): Buffer | 'too long' | undefined {
  try {
    return decodeCodings(bytes, codings, maxUnpackedBytes, maxUnpackedBlocks);
  } catch (error) {
    return isTooLong(error) ? 'too long' : undefined;
  }
}
