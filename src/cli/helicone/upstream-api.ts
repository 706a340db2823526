import { printable } from '../../config/text-table.ts';
import { isJsonObject, type JsonObject, parseRecordedJson } from '../../model/text.ts';
import { CommandError } from '../base/dependencies.ts';
import { type CallPolicy, type CallResponse, pacedCaller, UnansweredCall } from './calls.ts';
import type { UpstreamBodies } from './item.ts';

/** From inclusive, to exclusive, in whole seconds: upstream cuts milliseconds off the bounds of a filter. */
export interface TimeWindow {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

export interface PageQuery extends TimeWindow {
  readonly offset: number;
  readonly limit: number;
}

/** The record's bodies, and why one is missing. */
export interface LoadedBodies {
  readonly bodies: UpstreamBodies;
  readonly problem?: string;
}

/** A running upstream service, or one that speaks its API. */
export interface UpstreamApi {
  /** Records of a window, oldest first. @throws UnansweredCall */
  readonly page: (query: PageQuery) => Promise<readonly JsonObject[]>;
  /** What upstream itself counts in a window. @throws UnansweredCall */
  readonly count: (window: TimeWindow) => Promise<number>;
  readonly bodies: (record: JsonObject) => Promise<LoadedBodies>;
}

export interface UpstreamOptions {
  readonly url: string;
  readonly key: string;
  readonly policy: CallPolicy;
}

/** Bytes of a page, which may hold whole bodies; a longer one is asked for in parts. */
const maxPageBytes = 32 * 1024 * 1024;
const maxRecordBytes = 256 * 1024 * 1024;

/** @throws CommandError when the address is unusable. */
export function upstreamApi({ url, key, policy }: UpstreamOptions): UpstreamApi {
  const base = baseOf(url);
  const api = pacedCaller(policy);
  // Signed addresses lead to a bucket, whose limits are not those of the API.
  const bucket = pacedCaller({ ...policy, callsPerSecond: Number.POSITIVE_INFINITY, maxAttempts: Math.min(3, policy.maxAttempts) });
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  const post = async (path: string, body: unknown, maxBytes?: number): Promise<unknown> => {
    const init: RequestInit = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // The key goes to no other address than the named one.
      redirect: 'manual',
    };
    const call = { address: base + path, init, what: `POST ${path}`, ...(maxBytes === undefined ? {} : { maxBytes }) };
    return dataOf(await api.send(call), base, path);
  };
  return {
    page: async ({ offset, limit, ...window }) => {
      const body = { filter: filterOf(window), offset, limit, sort: { created_at: 'asc' }, ...unusedFlags };
      const data = await post('/v1/request/query-clickhouse', body, limit === 1 ? maxRecordBytes : maxPageBytes);
      if (!Array.isArray(data)) throw new UnansweredCall('the page holds no list of records');
      return data.filter(isJsonObject);
    },
    count: async (window) => {
      const data = await post('/v1/request/count/query', { filter: filterOf(window), ...unusedFlags });
      const count = Number(data);
      if (!Number.isSafeInteger(count) || count < 0) throw new UnansweredCall('the count is no number');
      return count;
    },
    bodies: (record) => loadBodies(record, { bucket, api, base, headers }),
  };
}

/** Upstream's schema requires a filter alone; its own clients send these flags as false. */
const unusedFlags = { isCached: false, includeInputs: true, isPartOfExperiment: false };

function filterOf({ fromSeconds, toSeconds }: TimeWindow): object {
  return { left: boundOf('gte', fromSeconds), operator: 'and', right: boundOf('lt', toSeconds) };
}

function boundOf(operator: 'gte' | 'lt', seconds: number): object {
  return { request_response_rmt: { request_created_at: { [operator]: new Date(seconds * 1000).toISOString() } } };
}

function baseOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '') {
    throw new CommandError(
      '--url takes the address of the API to import from, such as https://api.helicone.ai, https://eu.api.helicone.ai or that of your own deployment.',
    );
  }
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** @throws CommandError for what no repetition fixes, UnansweredCall for an answer that is none. */
function dataOf({ status, text }: CallResponse, base: string, path: string): unknown {
  const answer = parseRecordedJson(text);
  const error = isJsonObject(answer) ? (answer['error'] ?? answer['message']) : undefined;
  const said = typeof error === 'string' ? `: ${printable(error).slice(0, 300)}` : '';
  if (status === 401 || status === 403) {
    throw new CommandError(
      `${base} refuses the key (${status}${said}). GATELOG_IMPORT_KEY takes a key of that service which may read; keys of its US and EU regions differ.`,
    );
  }
  if (status >= 300 || !isJsonObject(answer) || !('data' in answer)) {
    throw new CommandError(
      `${base}${path} answered ${status}${said}, which is not an answer of the API. Check --url; it takes the address of the API, not that of the gateway or the website.`,
    );
  }
  if (typeof error === 'string') throw new UnansweredCall(`POST ${path}${said}`);
  return answer['data'];
}

interface BodyPlaces {
  readonly bucket: ReturnType<typeof pacedCaller>;
  readonly api: ReturnType<typeof pacedCaller>;
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Bodies come from the signed address, else from the record itself. A signed address may lead to a host that only upstream's own network
 * reaches; then the endpoint of the single request, which reads the bucket itself, is asked.
 */
async function loadBodies(record: JsonObject, places: BodyPlaces): Promise<LoadedBodies> {
  const inline = inlineBodies(record);
  const address = record['signed_body_url'];
  if (inline.request !== undefined && inline.response !== undefined) return { bodies: inline };
  if (typeof address !== 'string' || address === '') {
    return inline.request === undefined ? { bodies: inline, problem: whyAbsent(record) } : { bodies: inline };
  }
  const signed = await signedBodies(address, places);
  if (!('problem' in signed)) return { bodies: { ...inline, ...signed.bodies } };
  const single = await bodiesOfSingle(record, places);
  return single === undefined ? { bodies: inline, problem: signed.problem } : { bodies: { ...inline, ...single } };
}

async function signedBodies(address: string, { bucket, base }: BodyPlaces): Promise<{ bodies: UpstreamBodies } | { problem: string }> {
  const url = URL.parse(address, `${base}/`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return { problem: 'the signed address is not one' };
  try {
    const { status, text } = await bucket.send({ address: url.href, init: {}, what: 'a signed body address' });
    const content = status === 200 ? parseRecordedJson(text) : undefined;
    if (!isJsonObject(content)) return { problem: `the signed address answered ${status}${status === 200 ? ' without JSON' : ''}` };
    return { bodies: bodiesIn(content['request'], content['response']) };
  } catch (error) {
    if (error instanceof UnansweredCall) {
      return { problem: error.kind === 'too long' ? 'the bodies are too long' : 'the signed address is out of reach' };
    }
    throw error;
  }
}

async function bodiesOfSingle(record: JsonObject, { api, base, headers }: BodyPlaces): Promise<UpstreamBodies | undefined> {
  const id = encodeURIComponent(String(record['request_id']));
  try {
    const path = `/v1/request/${id}?includeBody=true`;
    const { status, text } = await api.send({ address: base + path, init: { headers, redirect: 'manual' }, what: 'GET /v1/request/{id}' });
    const answer = status === 200 ? parseRecordedJson(text) : undefined;
    const single = isJsonObject(answer) && isJsonObject(answer['data']) ? answer['data'] : undefined;
    const bodies = single === undefined ? {} : inlineBodies(single);
    return bodies.request === undefined && bodies.response === undefined ? undefined : bodies;
  } catch (error) {
    if (error instanceof UnansweredCall) return undefined;
    throw error;
  }
}

/** Bodies in the record itself, without placeholders. */
export function inlineBodies(record: JsonObject): UpstreamBodies {
  return bodiesIn(record['request_body'], record['response_body']);
}

function bodiesIn(request: unknown, response: unknown): UpstreamBodies {
  return { ...(isBody(request) ? { request } : {}), ...(isBody(response) ? { response: withoutChunks(response) } : {}) };
}

/** Upstream puts an object with `helicone_message` where a body is elsewhere or not kept. */
function isBody(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (!isJsonObject(value)) return true;
  const names = Object.keys(value);
  return names.length > 0 && !(names.length <= 2 && 'helicone_message' in value);
}

/** The raw chunks of a stream, beside the response that upstream put together from them. */
function withoutChunks(response: unknown): unknown {
  if (!isJsonObject(response) || !('streamed_data' in response) || Object.keys(response).length === 1) return response;
  const { streamed_data: _, ...rest } = response;
  return rest;
}

function whyAbsent(record: JsonObject): string {
  const location = record['storage_location'];
  return typeof location === 'string' && location.startsWith('not_stored')
    ? `upstream has not kept them (${location})`
    : 'upstream gives none';
}
