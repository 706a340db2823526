import { MalformedSpans, SpanFault, SpanWork, TooManySpans } from '../received/limits.ts';
import type { DecodedLogs, LogRecord } from '../received/log-record.ts';
import type { AttributeValue } from '../received/span.ts';
import { LogCollector } from './log-collector.ts';
import { CountedReader, eachField, endOfMessage, hexOf, readAttribute, readValue } from './protobuf.ts';

/** Ways in which a field is written. */
const [fixed64, bytesWithLength] = [1, 2];

/**
 * Reads an `ExportLogsServiceRequest`: field numbers are those of opentelemetry-proto 1.x, `opentelemetry/proto/logs/v1/logs.proto`.
 * @throws MalformedSpans when the bytes are no such message.
 */
export function decodeProtobufLogs(bytes: Uint8Array, work = new SpanWork()): DecodedLogs {
  const collector = new LogCollector();
  try {
    const reader = new CountedReader(bytes, work);
    eachField(reader, bytes.length, (field) => {
      if (field === 1) readMessages(reader, () => readMessages(reader, () => readRecord(reader, collector)));
    });
  } catch (error) {
    if (error instanceof TooManySpans) throw error;
    throw new MalformedSpans('The body is no ExportLogsServiceRequest in the encoding of protocol buffers, or it is cut off.', {
      cause: error,
    });
  }
  return collector.result();
}

/** Resources and scopes alike have what is in them in their second field. */
function readMessages(reader: CountedReader, read: () => void): void {
  expectType(reader, bytesWithLength);
  eachField(reader, endOfMessage(reader), (field) => {
    if (field === 2) read();
  });
}

/** A rejected record is skipped to its end. */
function readRecord(reader: CountedReader, collector: LogCollector): void {
  expectType(reader, bytesWithLength);
  const end = endOfMessage(reader);
  collector.add(() => {
    try {
      return decodeRecord(reader, end);
    } catch (error) {
      if (error instanceof SpanFault) reader.pos = end;
      throw error;
    }
  });
  reader.pos = end;
}

function decodeRecord(reader: CountedReader, end: number): LogRecord {
  const attributes = new Map<string, AttributeValue>();
  const record = { traceId: '', spanId: '', eventName: '' };
  let [at, observedAt, body]: [number, number, AttributeValue] = [0, 0, null];
  const readers: Readonly<Record<number, readonly [type: number, read: () => void]>> = {
    1: [fixed64, () => (at = reader.readMilliseconds())],
    5: [bytesWithLength, () => (body = readValue(reader, 0))],
    6: [bytesWithLength, () => readAttribute(reader, attributes)],
    9: [bytesWithLength, () => (record.traceId = hexOf(reader.readBytes()))],
    10: [bytesWithLength, () => (record.spanId = hexOf(reader.readBytes()))],
    11: [fixed64, () => (observedAt = reader.readMilliseconds())],
    12: [bytesWithLength, () => (record.eventName = reader.readString())],
  };
  eachField(reader, end, (field) => {
    const known = readers[field];
    if (known === undefined) return;
    expectType(reader, known[0]);
    known[1]();
  });
  return { ...record, atMs: at || observedAt, body, attributes };
}

/** TRICKY: a trace has its texts and numbers in fields of the same numbers, and would be read as records of nonsense. */
function expectType({ type }: CountedReader, expected: number): void {
  if (type !== expected) throw new RangeError(`a field is written in way ${type} and not ${expected}`);
}
