import type { JsonObject } from '../../../model/text.ts';
import { SeededRandom } from '../../../../test/support/seeded-random.ts';

/** A record of the fake with the bodies that its bucket holds; a body is undefined where upstream kept none. */
export interface FakeRecord {
  readonly id: string;
  readonly createdAt: number;
  /** The record as a page has it. */
  readonly row: JsonObject;
  readonly bodies: { readonly request: unknown; readonly response: unknown } | undefined;
}

export interface RecordsOptions {
  readonly count: number;
  readonly seed: number;
  readonly firstDay: string;
  readonly days: number;
  /** Records of the last day that share one second. */
  readonly inOneSecond?: number;
  /** Characters added to each request's body. */
  readonly bodyLength?: number;
}

const models = [
  { provider: 'OPENAI', model: 'gpt-4o-mini', path: '/v1/chat/completions', host: 'https://api.openai.com' },
  { provider: 'ANTHROPIC', model: 'claude-sonnet-4', path: '/v1/messages', host: 'https://api.anthropic.com' },
  {
    provider: 'google-ai-studio',
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/x:generateContent',
    host: 'https://generativelanguage.googleapis.com',
  },
] as const;

const dayMs = 86_400_000;

/** Records as upstream's query gives them, sorted by time. Every kind that upstream has occurs among a hundred. */
export function makeRecords({ count, seed, firstDay, days, inOneSecond = 0, bodyLength = 0 }: RecordsOptions): FakeRecord[] {
  const random = new SeededRandom(seed);
  const first = Date.parse(firstDay);
  const records = Array.from({ length: count }, (_, index) => {
    const isCrowded = index < inOneSecond;
    const time = isCrowded
      ? first + (days - 1) * dayMs + 43_200_000 + random.below(1000)
      : first + random.below(days) * dayMs + random.below(dayMs);
    return makeRecord(random, { createdAt: time, index, bodyLength });
  });
  return records.toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

interface RecordPlan {
  readonly createdAt: number;
  readonly index: number;
  readonly bodyLength: number;
}

function makeRecord(random: SeededRandom, { createdAt, index, bodyLength }: RecordPlan): FakeRecord {
  const id = uuidOf(random);
  const { provider, model, path, host } = random.of(models);
  const cached = index % 25 === 3;
  const [prompt, completion] = cached ? [0, 0] : [1 + random.below(4000), random.below(900)];
  const latency = random.below(9000);
  const location = locationOf(index);
  const bodies = location.startsWith('not_stored') ? undefined : bodiesOf({ model, index, completion, bodyLength });
  const row: JsonObject = {
    request_id: index % 40 === 7 ? id.toUpperCase() : id,
    request_created_at: timeText(createdAt, index),
    request_user_id: index % 3 === 0 ? '' : `user-${random.below(50)}`,
    request_properties: propertiesOf(random, index),
    request_model: model,
    response_id: uuidOf(random),
    response_created_at: new Date(createdAt + latency).toISOString(),
    response_status: statusOf(index),
    model,
    provider,
    delay_ms: index % 2 === 0 ? latency : String(latency),
    time_to_first_token: index % 4 === 0 ? random.below(900) : null,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_cache_read_tokens: 0,
    prompt_cache_write_tokens: 0,
    reasoning_tokens: index % 6 === 0 ? Math.floor(completion / 2) : 0,
    country_code: random.of(['DE', 'US', null]),
    scores: scoresOf(random, index),
    target_url: `${host}${path}`,
    cache_reference_id: cached ? uuidOf(random) : '00000000-0000-0000-0000-000000000000',
    cache_enabled: cached,
    cost: costOf({ cached, index, tokens: prompt + completion }),
    prompt_id: index % 9 === 0 ? 'greeting' : '',
    prompt_version: null,
    storage_location: location,
    request_body: location === 'clickhouse' ? bodies?.request : notice,
    response_body: location === 'clickhouse' ? bodies?.response : notice,
    asset_ids: null,
    asset_urls: null,
    updated_at: new Date(createdAt + latency).toISOString(),
  };
  return { id, createdAt, row: { ...row, properties: row['request_properties'] }, bodies };
}

const notice = { helicone_message: 'the body is in the bucket' };

function locationOf(index: number): string {
  if (index % 50 === 11) return 'not_stored_exceeded_free';
  return index % 10 === 5 ? 'clickhouse' : 's3';
}

/** Upstream's own states are below 0. */
function statusOf(index: number): number {
  if (index % 100 === 99) return -3;
  return index % 20 === 13 ? 500 : 200;
}

function costOf({ cached, index, tokens }: { readonly cached: boolean; readonly index: number; readonly tokens: number }): number | null {
  if (cached) return 0;
  return index % 30 === 17 ? null : tokens / 1_000_000 + 0.000_000_123;
}

/** Upstream's versions write times differently. */
function timeText(time: number, index: number): string {
  const text = new Date(time).toISOString();
  if (index % 7 === 2) return text.replace('T', ' ').replace('Z', '');
  return index % 7 === 4 ? text.replace('Z', '000+00:00') : text;
}

function propertiesOf(random: SeededRandom, index: number): Record<string, string> {
  const session = `session-${random.below(200)}`;
  return {
    environment: random.of(['production', 'staging']),
    ...(index % 2 === 0 ? { team: random.of(['search', 'Ünïcode "quoted", value', 'support\nteam']) } : {}),
    ...(index % 5 === 0 ? { 'Helicone-Session-Id': session, 'Helicone-Session-Name': 'chat', 'Helicone-Session-Path': '/a/b' } : {}),
  };
}

function scoresOf(random: SeededRandom, index: number): JsonObject {
  if (index % 8 === 1) return { accuracy: random.below(100), 'helicone-score-feedback': random.below(2) };
  return index % 8 === 6 ? { accuracy: { value: random.below(100), valueType: 'number' } } : {};
}

interface BodyPlan extends Pick<RecordPlan, 'index' | 'bodyLength'> {
  readonly model: string;
  readonly completion: number;
}

function bodiesOf({ model, index, completion, bodyLength }: BodyPlan) {
  const request = { model, messages: [{ role: 'user', content: `Question ${index}: ${'x'.repeat((index % 200) + bodyLength)}` }] };
  if (index % 33 === 5) return { request, response: 'upstream connect error' };
  const response = {
    id: `chatcmpl-${index}`,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: `Answer ${index}` }, finish_reason: 'stop' }],
    usage: { completion_tokens: completion },
  };
  return { request, response: index % 4 === 0 ? { ...response, streamed_data: [{ choices: [] }] } : response };
}

function uuidOf(random: SeededRandom): string {
  const hex = random.bytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
