import { writeExactly } from '../../model/json/exact-numbers.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import type { LogFields } from './log-fields.ts';

export interface LoggedBody {
  readonly text: string;
  /** Undefined when it is no JSON. */
  readonly parsed: unknown;
  readonly contentType: string;
}

const json = 'application/json';

/**
 * Reads `textBody`, else `json`. Of a stream, the text is as it came (server-sent events, JSON by line) or JSON that lists its data.
 * @param exact `json` with the digits of its numbers.
 */
export function readResponseBody(response: LogFields, exact: unknown): LoggedBody {
  const value = response.value('json');
  const text = response.value('textBody') ?? undefined;
  if (text !== undefined && typeof text !== 'string') throw response.fault('textBody', 'must be a text');
  if (text !== undefined && (text !== '' || isEmpty(value))) return { text, parsed: parseJson(text), contentType: typeOf(text) };
  if (value === undefined) throw response.fault('json', 'is missing: send the response as `json`, or its text as `textBody`');
  const streamed = isJsonObject(exact) && Array.isArray(exact['streamed_data']) ? (exact['streamed_data'] as unknown[]) : undefined;
  if (streamed === undefined) return { text: writeExactly(exact), parsed: value, contentType: json };
  const events = streamed.map((data) => `data: ${writeExactly(data)}\n\n`).join('');
  return { text: events, parsed: undefined, contentType: 'text/event-stream' };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

/** Lines of server-sent events, of which the first says what the text is. */
const eventLine = /^(?:(?:data|event|id|retry):|:)/;

function typeOf(text: string): string {
  const start = text.trimStart();
  if (eventLine.test(start)) return 'text/event-stream';
  return start.startsWith('{') || start.startsWith('[') ? json : 'text/plain';
}
