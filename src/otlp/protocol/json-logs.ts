import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';
import { MalformedSpans, SpanWork } from '../received/limits.ts';
import type { DecodedLogs, LogRecord } from '../received/log-record.ts';
import { millisecondsOfJson } from './time.ts';
import { attributesOf, listAt, textIn, valueOf } from './json.ts';
import { LogCollector } from './log-collector.ts';

/**
 * Reads an `ExportLogsServiceRequest` in JSON, by the rules of `decodeJson`. @throws MalformedSpans when the text is no such object.
 */
export function decodeJsonLogs(text: string, work = new SpanWork()): DecodedLogs {
  const body = parseJson(text);
  if (!isJsonObject(body)) throw new MalformedSpans('The body is no JSON object, is cut off, or holds too many values.');
  const collector = new LogCollector();
  for (const resourceLogs of listAt(body, 'resourceLogs')) {
    work.part();
    for (const scopeLogs of listAt(resourceLogs, 'scopeLogs')) {
      work.part();
      for (const record of listAt(scopeLogs, 'logRecords')) {
        work.part();
        collector.add(() => recordOf(record));
      }
    }
  }
  return collector.result();
}

/** When it was said, else when it was seen. */
function timeOf({ timeUnixNano: said, observedTimeUnixNano: seen }: JsonObject): number {
  const at = millisecondsOfJson(said);
  return at > 0 ? at : millisecondsOfJson(seen);
}

function recordOf(record: JsonObject): LogRecord {
  return {
    traceId: textIn(record, 'traceId').toLowerCase(),
    spanId: textIn(record, 'spanId').toLowerCase(),
    atMs: timeOf(record),
    eventName: textIn(record, 'eventName'),
    body: valueOf(record['body'], 0),
    attributes: attributesOf(listAt(record, 'attributes')),
  };
}
