import { isJsonObject, type JsonObject } from '../../../model/text.ts';
import type { FakeRecord } from './records.ts';

/** What of a record is not in the item of our API, in words; from the record alone, not by the code under test. */
export function faultsOf({ id, createdAt, row, bodies }: FakeRecord, item: JsonObject | undefined): string[] {
  if (item === undefined) return [`${id} is missing`];
  const properties = row['request_properties'] as Readonly<Record<string, string>>;
  const rating = (row['scores'] as JsonObject)['helicone-score-feedback'];
  const expected: JsonObject = {
    request_id: id,
    request_created_at: new Date(createdAt).toISOString(),
    response_created_at: row['response_created_at'],
    request_user_id: row['request_user_id'],
    request_model: row['request_model'],
    model: row['model'],
    provider: row['provider'] === 'google-ai-studio' ? 'GOOGLE' : row['provider'],
    response_status: row['response_status'] === -3 ? 499 : row['response_status'],
    latency: Number(row['delay_ms']),
    prompt_tokens: row['prompt_tokens'],
    completion_tokens: row['completion_tokens'],
    reasoning_tokens: row['reasoning_tokens'],
    // Kept in units of 10⁻¹² USD.
    cost: row['cost'] === null ? null : Number(Number(row['cost']).toFixed(12)),
    cached: row['cache_enabled'],
    prompt_id: row['prompt_id'] === '' ? null : row['prompt_id'],
    country_code: row['country_code'],
    properties,
    session_id: properties['Helicone-Session-Id'] ?? null,
    session_name: properties['Helicone-Session-Name'] ?? null,
    session_path: properties['Helicone-Session-Path'] ?? null,
    scores: scoresOf(row['scores'] as JsonObject),
    feedback_rating: rating === undefined ? null : rating === 1,
    request_body: bodies?.request ?? null,
    response_body: responseOf(bodies?.response),
  };
  return Object.entries(expected).flatMap(([name, value]) =>
    ordered(item[name]) === ordered(value) ? [] : [`${id} ${name}: ${ordered(item[name])} instead of ${ordered(value)}`],
  );
}

function scoresOf(scores: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(scores).map(([name, value]) => [
      name === 'helicone-score-feedback' ? 'svc-score-feedback' : name,
      isJsonObject(value) ? value['value'] : value,
    ]),
  );
}

function responseOf(response: unknown): unknown {
  if (!isJsonObject(response)) return response ?? null;
  const { streamed_data: _, ...rest } = response;
  return rest;
}

/** JSON with the names of objects in order. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1))) : member,
  );
}
