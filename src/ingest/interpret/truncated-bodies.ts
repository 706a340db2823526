import type { Exchange } from '../../model/record/exchange.ts';
import { firstBytesOf } from '../../model/json/first-bytes.ts';
import { withoutLongRuns } from '../../model/json/long-runs.ts';
import { endOfJsonString } from '../../model/json/strings.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';
import { type Usage, unreportedUsage } from '../../model/record/usage.ts';
import { noResponseFields } from '../../providers/format/fields.ts';
import type { ResponseFields, WireFormat } from '../../providers/format/provider.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { beginsAmazonMessage, readLastAmazonEvents } from '../../providers/amazon/event-stream.ts';
import { laterCounts } from '../../providers/format/cumulative.ts';
import { eventsOfLines, readServerSentEvents } from '../../providers/format/sse.ts';
import { errorIn } from './error-events.ts';
import { readForm } from './multipart.ts';

/** Bytes of the recorded body read again with its tail, for members that span the cut. */
const overlapBytes = 64 * 1024;
/** Characters at the end of an unparsed text that are searched for its last members. */
const endLength = 64 * 1024;
/** Characters at its end of which long strings are shortened first. */
const maxSearched = 16 * 1024 * 1024;
/** Max structural characters of a JSON text scanned for its first members. */
const maxMarks = 1_000_000;
/** Max characters of a searched name, with its first quote. */
const maxKey = 16;
/** Last members of a name that are tried. */
const maxTries = 8;
/** Characters behind an object with a usage that are looked at. */
const maxBehind = 512;

/** What the end of a response says. */
export interface EndOfResponse {
  readonly fields: ResponseFields;
  /** What an event of a stream says of an error; undefined: none does. */
  readonly errorEvent?: unknown;
}

/**
 * Adds the fields of the events or members behind the recorded part of a truncated response, and of those that span the cut: its usage, of a
 * stream as of an image. Its texts are recorded as far as they were kept. The end of a compressed body cannot be read.
 */
export function withTruncatedTail(fields: ResponseFields, exchange: Exchange, format: WireFormat | undefined): EndOfResponse {
  const { responseTail, responseBody, responseHead } = exchange;
  if (responseTail === undefined || !isPlain(responseHead?.headers['content-encoding'])) return { fields };
  const isJson = firstBytesOf(responseBody) === 'json';
  const bytes = lastOfResponse(exchange, isJson);
  if (!isJson && !beginsAmazonMessage(responseBody)) {
    const { fields: last, errorEvent } = lastOfStream(bytes, format, fields.model);
    return { fields: mergedFields(fields, last), errorEvent };
  }
  if (format === undefined) return { fields };
  return {
    fields: mergedFields(fields, isJson ? lastOfJson(exchange, bytes, format, fields.model) : lastMessages(bytes, format, fields.model)),
  };
}

function lastMessages(bytes: Buffer, format: WireFormat, model: string): ResponseFields {
  return format.readResponse(withModel(format.assembleStream(readLastAmazonEvents(bytes)).body, model));
}

function lastOfJson({ responseBody }: Exchange, bytes: Buffer, format: WireFormat, model: string): ResponseFields {
  const first = firstMembers(Buffer.from(responseBody).toString('utf8'), responseMembers);
  const last = membersOfTail(bytes.toString('utf8'), format);
  return format.readResponse(isJsonObject(last) ? withModel({ ...first, ...last }, model) : first);
}

/** What the last events of a stream say, and of one whose beginning is lost because it is longer than what is kept, its fields. */
function lastOfStream(bytes: Buffer, format: WireFormat | undefined, model?: string): EndOfResponse {
  const events = readServerSentEvents([bytes]);
  const errorEvent = errorIn(events);
  if (format === undefined) return { fields: noResponseFields, errorEvent };
  const fields = format.readResponse(withModel(format.assembleStream(events).body, model));
  const members = fields.usage.raw === null ? membersOfLastEvent(bytes.toString('utf8')) : undefined;
  if (members === undefined) return { fields, errorEvent };
  return { fields: mergedFields(fields, format.readResponse(withModel(members, model))), errorEvent };
}

/** Recorded bytes beyond this number are not read again with the tail. */
const maxRejoinedBytes = 1024 * 1024;

/**
 * The tail, with the recorded part of the event that spans the cut where nothing is missing in between; of a JSON body, with all of its
 * recorded part. As in the tail, long strings are shortened.
 */
function lastOfResponse({ responseBody, responseTail, end }: Exchange, isJson: boolean): Buffer {
  const tail = Buffer.from(responseTail ?? []);
  const follows = end?.responseTailFollows === true || end?.responseBytes === responseBody.length + tail.length;
  if (!follows) return tail;
  const recorded = Buffer.from(responseBody.buffer, responseBody.byteOffset, responseBody.length);
  const begun = withoutLongRuns(isJson ? recorded : recorded.subarray(startOfLastEvent(recorded)));
  return begun.length > maxRejoinedBytes ? Buffer.concat([begun.subarray(-overlapBytes), tail]) : Buffer.concat([begun, tail]);
}

/** TRICKY: the bytes of an Amazon message need their checksum, so those of one that spans the cut are no message. */
function startOfLastEvent(recorded: Buffer): number {
  return Math.max(0, ...['\n\n', '\r\n\r\n', '\r\r'].map((blankLine) => recorded.lastIndexOf(blankLine)));
}

/** The whole body where it is there, else its last lines, else its last members. */
function membersOfTail(text: string, format: WireFormat): unknown {
  const parsed = parseJson(text);
  if (isJsonObject(parsed)) return parsed;
  const lines = text.slice(text.indexOf('\n') + 1);
  const list = format.assembleList?.(lines);
  if (list?.understood === true) return list.body;
  const stream = format.assembleStream(eventsOfLines(lines));
  return stream.understood ? stream.body : lastMembers(text, billedMember);
}

/** Adds the model's name, which the end of a response lacks: usage of other models is recognised by a different name. */
function withModel(body: unknown, model: unknown): unknown {
  return isJsonObject(body) && typeof model === 'string' && model !== '' && !('model' in body) ? { ...body, model } : body;
}

/** What the end of a stream says that is nested too deeply, or costs too much, to be parsed. */
export function endOfStream(text: string, format: WireFormat | undefined): EndOfResponse {
  return lastOfStream(withoutLongRuns(Buffer.from(text.slice(-maxSearched))).subarray(-endLength), format);
}

/** Facts of such a body: its usage, which is at the end, and its model, which it names before its texts. */
export function fieldsAtEnd(text = '', format: WireFormat): ResponseFields {
  const end = text.slice(-endLength);
  const { model } = firstMembers(text, callMembers);
  return format.readResponse(withModel(lastMembers(end, billedMember) ?? {}, model));
}

/** `model` and `user` of a JSON body that is too large to be parsed; undefined without either. */
export function outermostMembers(text = ''): JsonObject | undefined {
  return membersOf(text, text.slice(-endLength));
}

/** Form fields after the recorded part, usually after the file. */
export function multipartTail({ requestTail, requestBody, end }: Exchange, contentType: string, encoding: string | undefined): JsonObject {
  return requestTail === undefined || !isPlain(encoding)
    ? {}
    : readForm(lastBytes(requestBody, requestTail, end?.requestBytes), contentType);
}

function isPlain(encoding = 'identity'): boolean {
  return encoding.trim().toLowerCase() === 'identity';
}

/** The tail, with the end of the recorded body where nothing is missing in between. */
function lastBytes(body: Uint8Array, tail: Uint8Array, passedBytes: number | undefined): Buffer {
  const follows = passedBytes === body.length + tail.length;
  return Buffer.concat([follows ? body.subarray(Math.max(0, body.length - overlapBytes)) : new Uint8Array(), tail]);
}

/** `model` and `user` of a truncated JSON body, which come before or after the messages; undefined without either. */
export function truncatedMembers({ requestTail, requestBody, end }: Exchange, encoding: string | undefined): JsonObject | undefined {
  if (requestTail === undefined || !isPlain(encoding)) return undefined;
  return membersOf(Buffer.from(requestBody).toString('utf8'), lastBytes(requestBody, requestTail, end?.requestBytes).toString('utf8'));
}

function membersOf(beginning: string, end: string): JsonObject | undefined {
  const last = lastMembers(end, /"(?:model|user)"\s*:/g);
  const found = { ...(isJsonObject(last) ? last : {}), ...firstMembers(beginning, callMembers) };
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Structural characters of JSON. */
const shape = /["{}[\]:,]/g;
/** What a call costs by. */
const billedMembers = [...wireProfile.usageMembers, 'service_tier'];
const billedMember = new RegExp(String.raw`"(?:${billedMembers.join('|')})"\s*:`, 'g');
/** What may stand between the object with the usage and the end of its event. */
const endOfEvent = /^(?:,"\w+":[\w.+-]+)*\}?\s*(?:[\r\n]|$)/;

/** Members of a call that are read from a part of it. */
const callMembers: ReadonlySet<string> = new Set(['model', 'user']);
/** Members of a response that are. */
const responseMembers: ReadonlySet<string> = new Set(['model', 'id', ...billedMembers]);

/** Strings and objects of the outermost object under the given names, as far as the text goes. */
function firstMembers(text: string, names: ReadonlySet<string>): JsonObject {
  const scan = new MemberScan(text, names);
  const marks = new RegExp(shape);
  let marksLeft = maxMarks;
  for (let mark = marks.exec(text); mark !== null && marksLeft > 0; mark = marks.exec(text)) {
    marksLeft -= 1;
    const { 0: character, index } = mark;
    if (character !== '"') {
      scan.takeMark(character, index);
      continue;
    }
    const end = endOfJsonString(text, index + 1);
    if (end === -1) break;
    marks.lastIndex = end + 1;
    scan.takeString(index, end);
  }
  return scan.found;
}

class MemberScan {
  readonly found: Record<string, unknown> = {};
  private readonly text: string;
  private readonly names: ReadonlySet<string>;
  private depth = 0;
  /** The latest string of the outermost object, which may be a name. */
  private last = '';
  private key: string | undefined;
  private valueStart = 0;

  constructor(text: string, names: ReadonlySet<string>) {
    this.text = text;
    this.names = names;
  }

  takeString(start: number, end: number): void {
    if (this.depth !== 1) return;
    const { key } = this;
    if (key !== undefined && this.names.has(key)) this.found[key] = parseJson(this.text.slice(start, end + 1));
    else this.last = end - start <= maxKey ? this.text.slice(start + 1, end) : '';
  }

  takeMark(character: string, index: number): void {
    if (character === '{' || character === '[') {
      if (this.depth === 1) this.valueStart = index;
      this.depth += 1;
    } else if (character === '}' || character === ']') {
      this.depth -= 1;
      if (this.depth === 1) this.takeValue(index);
    } else if (this.depth === 1) this.key = character === ':' ? this.last : undefined;
  }

  private takeValue(end: number): void {
    const { key } = this;
    if (key !== undefined && this.names.has(key)) this.found[key] = parseJson(this.text.slice(this.valueStart, end + 1));
  }
}

/** The last members of the outermost object, from the first match after which the text closes that object. */
function lastMembers(text: string, member: RegExp): unknown {
  const end = text.trimEnd().replace(/\]$/, '');
  const starts = [...end.matchAll(member)].map(({ index }) => index).slice(-maxTries);
  for (const start of starts) {
    const parsed = parseJson(`{${end.slice(start)}`);
    if (isJsonObject(parsed)) return parsed;
  }
  return undefined;
}

/**
 * The last members of the outermost object of a stream's last event, or of the response in it, from the first one with a price on. They are
 * found without the beginning of the event.
 */
function membersOfLastEvent(text: string): JsonObject | undefined {
  const starts = [...text.matchAll(billedMember)].map(({ index }) => index).slice(-maxTries);
  const ends = starts.map((start) => endOfHolder(text, start));
  const end = ends.findLast((index) => index !== -1 && endOfEvent.test(text.slice(index + 1, index + 1 + maxBehind)));
  if (end === undefined) return undefined;
  const parsed = parseJson(`{${text.slice(starts[ends.indexOf(end)], end + 1)}`);
  return isJsonObject(parsed) ? parsed : undefined;
}

/** Where the object is closed whose member begins at an index; -1 where it is not. */
function endOfHolder(text: string, start: number): number {
  const marks = new RegExp(shape);
  marks.lastIndex = start;
  let depth = 1;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const { 0: character, index } = mark;
    if (character === '"') {
      const end = endOfJsonString(text, index + 1);
      if (end === -1) return -1;
      marks.lastIndex = end + 1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

function mergedFields(first: ResponseFields, last: ResponseFields): ResponseFields {
  return {
    responseId: first.responseId || last.responseId,
    model: first.model || last.model,
    usage: mergedUsage(first.usage, last.usage),
    serviceTier: last.serviceTier || first.serviceTier,
    completionText: first.completionText,
    finishReason: last.finishReason || first.finishReason,
    providerCost: last.providerCost ?? first.providerCost,
    ...billsOf(last.bills ?? first.bills),
  };
}

function billsOf(bills: ResponseFields['bills']): Pick<ResponseFields, 'bills'> {
  return bills === undefined ? {} : { bills };
}

/** Some providers report input at the beginning and output at the end. */
function mergedUsage(first: Usage, last: Usage): Usage {
  if (last.raw === null) return first;
  const names = Object.keys(unreportedUsage) as (keyof Usage)[];
  const counts = Object.fromEntries(names.map((name) => [name, laterCounts(first[name], last[name])])) as unknown as Usage;
  const raw = laterCounts(first.raw, last.raw);
  return { ...counts, raw };
}
