import { PbfWriter } from 'pbf';
import { deriveIdOf } from './identify.ts';
import { type ReceivedLogs, receiveLogs } from '../receive.ts';
import type { Tags } from '../../model/record/exchange.ts';
import { type JsonAttribute, type JsonValue, writeAttributes, writeNanoseconds, writeValue } from './encode.ts';
import { attributesOf, spanIdOf, traceId, valueOf } from './spans.ts';

/** A log record as tests write it: body and attributes in plain JSON. */
export interface WrittenLog {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly eventName?: string;
  /** Nanoseconds since 1970. */
  readonly at?: bigint;
  readonly body?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

interface JsonRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly timeUnixNano: string;
  readonly eventName: string;
  readonly body: JsonValue;
  readonly attributes: readonly JsonAttribute[];
}

const firstAt = BigInt(Date.UTC(2026, 10, 1)) * 1_000_000n;

function recordsOf(logs: readonly WrittenLog[]): readonly JsonRecord[] {
  return logs.map((log, index) => ({
    traceId: log.traceId ?? traceId,
    spanId: log.spanId ?? spanIdOf(1),
    timeUnixNano: String(log.at ?? firstAt + BigInt(index) * 1000n),
    eventName: log.eventName ?? '',
    body: valueOf(log.body ?? null) as JsonValue,
    attributes: attributesOf(log.attributes ?? {}) as readonly JsonAttribute[],
  }));
}

/** An `ExportLogsServiceRequest` in JSON. */
export function logsRequestOf(logs: readonly WrittenLog[]): unknown {
  return { resourceLogs: [{ resource: {}, scopeLogs: [{ scope: { name: 'test' }, logRecords: recordsOf(logs) }] }] };
}

/** The same in the encoding of protocol buffers. */
export function encodedLogs(logs: readonly WrittenLog[]): Uint8Array {
  const writer = new PbfWriter();
  writer.writeMessage(
    1,
    (_, resourceLogs) =>
      resourceLogs.writeMessage(2, (all, scopeLogs) => all.forEach((each) => scopeLogs.writeMessage(2, writeLog, each)), recordsOf(logs)),
    undefined,
  );
  return writer.finish();
}

function writeLog(record: JsonRecord, writer: PbfWriter): void {
  writeNanoseconds(1, record.timeUnixNano, writer);
  writer.writeMessage(5, writeValue, record.body);
  writeAttributes(6, record.attributes, writer);
  writer.writeBytesField(9, Buffer.from(record.traceId, 'hex'));
  writer.writeBytesField(10, Buffer.from(record.spanId, 'hex'));
  if (record.eventName !== '') writer.writeStringField(12, record.eventName);
}

const now = Date.UTC(2026, 10, 2);

/** What becomes of log records that come in one request. */
export function receivedLogs(logs: readonly WrittenLog[], defaults: Tags = { properties: [] }): ReceivedLogs {
  const bytes = Buffer.from(JSON.stringify(logsRequestOf(logs)));
  return receiveLogs({ organizationId: 'organization', encoding: 'json', bytes, defaults, now }, { identify: deriveIdOf });
}
