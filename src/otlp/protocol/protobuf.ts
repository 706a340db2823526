import { PbfReader } from 'pbf';
import { MalformedSpans, spanLimits, SpanFault, SpanWork, TooManySpans } from '../received/limits.ts';
import type { AttributeValue, Attributes, Scope, Span, SpanEvent, SpanStatus } from '../received/span.ts';
import { type DecodedSpans, SpanCollector, tooDeep, tooManyAttributes, tooManyEvents } from './decoded.ts';
import { millisecondsOfBits } from './time.ts';

/**
 * Reads an `ExportTraceServiceRequest` (or `TracesData`, which has the same bytes): field numbers are those of opentelemetry-proto 1.x,
 * `opentelemetry/proto/trace/v1/trace.proto` and `common/v1/common.proto`. Fields without a meaning here are skipped.
 * @throws MalformedSpans when the bytes are no such message.
 */
export function decodeProtobuf(bytes: Uint8Array, work = new SpanWork()): DecodedSpans {
  const collector = new SpanCollector();
  try {
    const reader = new CountedReader(bytes, work);
    eachField(reader, bytes.length, (field) => {
      if (field === 1) readResourceSpans(reader, collector);
    });
  } catch (error) {
    if (error instanceof TooManySpans) throw error;
    throw new MalformedSpans('The body is no ExportTraceServiceRequest in the encoding of protocol buffers, or it is cut off.', {
      cause: error,
    });
  }
  return collector.result();
}

export class CountedReader extends PbfReader {
  private readonly work: SpanWork;

  constructor(bytes: Uint8Array, work: SpanWork) {
    super(bytes);
    this.work = work;
  }

  override nextField(end?: number): number {
    this.work.part();
    return super.nextField(end);
  }

  /** Nanoseconds since 1970 as milliseconds, with a fraction. */
  readMilliseconds(): number {
    const low = this.readFixed32();
    return millisecondsOfBits(low, this.readFixed32());
  }
}

/**
 * Calls `read` for each field up to `end`; it may leave a field unread. Invariant: no field reaches beyond the message that holds it. The
 * reader itself does not check that.
 */
export function eachField(reader: CountedReader, end: number, read: (field: number) => void): void {
  if (!(end <= reader.length)) throw new RangeError('a message reaches beyond the body');
  for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) read(field);
  if (reader.pos !== end) throw new RangeError('a field reaches beyond its message');
}

function eachFieldOfMessage(reader: CountedReader, read: (field: number) => void): void {
  eachField(reader, endOfMessage(reader), read);
}

export function endOfMessage(reader: CountedReader): number {
  const length = reader.readVarint();
  return length + reader.pos;
}

function readResourceSpans(reader: CountedReader, collector: SpanCollector): void {
  const end = endOfMessage(reader);
  const start = reader.pos;
  let resource: Attributes = new Map();
  // The resource may follow its spans.
  eachField(reader, end, (field) => {
    if (field === 1) resource = readResource(reader);
  });
  reader.pos = start;
  eachField(reader, end, (field) => {
    if (field === 2) readScopeSpans(reader, collector, resource);
  });
}

function readResource(reader: CountedReader): Attributes {
  const attributes = new Map<string, AttributeValue>();
  eachFieldOfMessage(reader, (field) => {
    if (field === 1) readAttribute(reader, attributes);
  });
  return attributes;
}

function readScopeSpans(reader: CountedReader, collector: SpanCollector, resource: Attributes): void {
  const end = endOfMessage(reader);
  const start = reader.pos;
  let scope: Scope = { name: '', version: '' };
  eachField(reader, end, (field) => {
    if (field === 1) scope = readScope(reader);
  });
  reader.pos = start;
  eachField(reader, end, (field) => {
    if (field === 2) readSpan(reader, collector, { resource, scope });
  });
}

function readScope(reader: CountedReader): Scope {
  const scope = { name: '', version: '' };
  eachFieldOfMessage(reader, (field) => {
    if (field === 1) scope.name = reader.readString();
    else if (field === 2) scope.version = reader.readString();
  });
  return scope;
}

/** A rejected span is skipped to its end. */
function readSpan(reader: CountedReader, collector: SpanCollector, shared: Pick<Span, 'resource' | 'scope'>): void {
  const end = endOfMessage(reader);
  // Skipped to its end, whatever it holds.
  collector.add(() => {
    try {
      return decodeSpan(reader, end, shared);
    } catch (error) {
      if (error instanceof SpanFault) reader.pos = end;
      throw error;
    }
  });
  reader.pos = end;
}

function decodeSpan(reader: CountedReader, end: number, { resource, scope }: Pick<Span, 'resource' | 'scope'>): Span {
  const attributes = new Map<string, AttributeValue>();
  const events: SpanEvent[] = [];
  const span = { traceId: '', spanId: '', parentSpanId: '', name: '', kind: 0, startMs: 0, endMs: 0 };
  let status: SpanStatus = { code: 0, message: '' };
  const readers: Readonly<Record<number, () => void>> = {
    1: () => (span.traceId = hexOf(reader.readBytes())),
    2: () => (span.spanId = hexOf(reader.readBytes())),
    4: () => (span.parentSpanId = parentOf(hexOf(reader.readBytes()))),
    5: () => (span.name = reader.readString()),
    6: () => (span.kind = reader.readVarint()),
    7: () => (span.startMs = integerMs(reader)),
    8: () => (span.endMs = integerMs(reader)),
    9: () => readAttribute(reader, attributes),
    11: () => {
      if (events.length >= spanLimits.events) throw tooManyEvents();
      events.push(readEvent(reader));
    },
    15: () => (status = readStatus(reader)),
  };
  eachField(reader, end, (field) => readers[field]?.());
  return { ...span, attributes, events, status, resource, scope };
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Some senders write zeros for a root. */
export function parentOf(spanId: string): string {
  return /^0*$/.test(spanId) ? '' : spanId;
}

function integerMs(reader: CountedReader): number {
  return Math.floor(reader.readMilliseconds());
}

function readEvent(reader: CountedReader): SpanEvent {
  const attributes = new Map<string, AttributeValue>();
  let [atMs, name] = [0, ''];
  eachFieldOfMessage(reader, (field) => {
    if (field === 1) atMs = integerMs(reader);
    else if (field === 2) name = reader.readString();
    else if (field === 3) readAttribute(reader, attributes);
  });
  return { name, atMs, attributes };
}

function readStatus(reader: CountedReader): SpanStatus {
  const status = { code: 0, message: '' };
  eachFieldOfMessage(reader, (field) => {
    if (field === 2) status.message = reader.readString();
    else if (field === 3) status.code = reader.readVarint();
  });
  return status;
}

export function readAttribute(reader: CountedReader, attributes: Map<string, AttributeValue>): void {
  if (attributes.size >= spanLimits.attributes) throw tooManyAttributes();
  const [key, value] = readKeyValue(reader, 0);
  attributes.set(key, value);
}

function readKeyValue(reader: CountedReader, depth: number): readonly [string, AttributeValue] {
  let key = '';
  let value: AttributeValue = null;
  eachFieldOfMessage(reader, (field) => {
    if (field === 1) key = reader.readString();
    else if (field === 2) value = readValue(reader, depth);
  });
  return [key, value];
}

export function readValue(reader: CountedReader, depth: number): AttributeValue {
  if (depth > spanLimits.depth) throw tooDeep();
  let value: AttributeValue = null;
  eachFieldOfMessage(reader, (field) => {
    value = valueOfField(reader, field, depth) ?? value;
  });
  return value;
}

/** Bytes become Base64, as JSON has them. */
function valueOfField(reader: CountedReader, field: number, depth: number): AttributeValue {
  switch (field) {
    case 1:
      return reader.readString();
    case 2:
      return reader.readBoolean();
    case 3:
      return reader.readVarint(true);
    case 4:
      return finite(reader.readDouble());
    case 5:
      return readList(reader, depth + 1);
    case 6:
      return readObject(reader, depth + 1);
    case 7:
      return Buffer.from(reader.readBytes()).toString('base64');
    default:
      return null;
  }
}

/** JSON has no infinity. */
export function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}

function readList(reader: CountedReader, depth: number): readonly AttributeValue[] {
  const values: AttributeValue[] = [];
  eachFieldOfMessage(reader, (field) => {
    if (field === 1) values.push(readValue(reader, depth));
  });
  return values;
}

function readObject(reader: CountedReader, depth: number): AttributeValue {
  const members: [string, AttributeValue][] = [];
  eachFieldOfMessage(reader, (field) => {
    if (field === 1) members.push([...readKeyValue(reader, depth)] as [string, AttributeValue]);
  });
  return Object.fromEntries(members);
}
