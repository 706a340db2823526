import { type IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type ByteProvider, callHeader, collect } from './byte-provider.ts';
import { SeededRandom } from './seeded-random.ts';
import { deepBodies, heavyBodies, type HostileBody, hostileBody } from './hostile-bodies.ts';

/** A service, a provider with planned responses, and the faults found so far. */
export interface BodyTarget {
  readonly gateway: string;
  readonly api: string;
  readonly key: string;
  readonly provider: ByteProvider;
  readonly faults: string[];
}

/** The bodies of a call in both directions. */
interface BodyPair {
  readonly sent: HostileBody;
  readonly answered: HostileBody;
}

interface ItemView {
  readonly request_id: string;
  readonly request_body: unknown;
  readonly response_body: unknown;
  readonly signed_body_url: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const paths = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/audio/transcriptions',
  '/anthropic/v1/messages',
  '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
  '/cohere/v2/chat',
  '/ollama/api/chat',
  '/bedrock/model/m/converse-stream',
];
const callsAtOnce = 8;
const readsAtOnce = 8;
/** Cost and history contain no bodies; they are read for one record in this many. */
const costEvery = 10;
const pageLimit = 100;
const storedWithinMs = 120_000;
const maxFaultChars = 300;

/** Settings that direct every called provider to this one. */
export function bodyProviders({ origin }: ByteProvider): Record<string, string> {
  const names = ['OPENAI', 'ANTHROPIC', 'GEMINI', 'COHERE', 'OLLAMA', 'BEDROCK'];
  return Object.fromEntries(names.map((name) => [`GATELOG_PROVIDER_${name}_URL`, name === 'OPENAI' ? `${origin}/v1` : origin]));
}

/** One pair for each seed of a range. */
export function chosenPairs(firstSeed: number, count: number): BodyPair[] {
  return Array.from({ length: count }, (_, index) => {
    const random = new SeededRandom(firstSeed + index);
    return { sent: hostileBody(random), answered: hostileBody(random) };
  });
}

/** Each deep body as a response and as a request. */
export function deepPairs(levels?: readonly number[]): BodyPair[] {
  return deepBodies(levels).flatMap(bothWays);
}

/** Each heavy body as a response and as a request. */
export function heavyPairs(): BodyPair[] {
  return heavyBodies().flatMap(bothWays);
}

function bothWays(body: HostileBody): BodyPair[] {
  const usual: HostileBody = { name: 'an empty object', bytes: Buffer.from('{}'), headers: { 'content-type': 'application/json' } };
  return [
    { sent: usual, answered: body },
    { sent: body, answered: usual },
  ];
}

/** Sends pairs, waits for their records, and reads each record at every endpoint that shows it. @returns the number of records. */
export async function performRound(target: BodyTarget, round: string, pairs: readonly BodyPair[]): Promise<number> {
  const names = new Map<string, string>();
  await runConcurrently(pairs, callsAtOnce, async ({ sent, answered }, index) => {
    const id = await send(target, { round, index, sent, answered });
    if (id !== undefined) names.set(id, `${sent.name} -> ${answered.name}`);
  });
  if (await areStored(target, round, names.size)) await readAll(target, round, names);
  return names.size;
}

interface PlannedCall extends BodyPair {
  readonly round: string;
  readonly index: number;
}

/** @returns the identifier of the record; undefined when the gateway refused the call without recording it. */
async function send(
  { gateway, key, provider, faults }: BodyTarget,
  { round, index, sent, answered }: PlannedCall,
): Promise<string | undefined> {
  const call = `${round}-${index}`;
  provider.plan(call, {
    status: 200,
    headers: answered.headers,
    pieces: [answered.bytes],
    framing: index % 3 === 0 ? 'chunked' : 'length',
  });
  const request = httpRequest(`${gateway}${paths[index % paths.length] ?? ''}`, {
    method: 'POST',
    headers: {
      ...sent.headers,
      'svc-auth': `Bearer ${key}`,
      authorization: 'Bearer provider-key',
      'x-api-key': 'provider-key',
      'x-goog-api-key': 'provider-key',
      [callHeader]: call,
      'svc-session-id': round,
      'svc-session-path': `/${'a/'.repeat(index % 50)}${index}`,
      'svc-property-round': round,
      'svc-security-enabled': 'true',
    },
  });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).once('error', reject);
      request.end(sent.bytes);
    });
    const body = await collect(response);
    const status = response.statusCode ?? 0;
    if (status !== 200) faults.push(`${call}: the gateway answered ${status}: ${body.toString('utf8', 0, maxFaultChars)}`);
    const id = response.headers['svc-id'];
    return typeof id === 'string' ? id : undefined;
  } catch (error) {
    faults.push(`${call} (${sent.name} -> ${answered.name}): ${String(error)}`);
    return undefined;
  }
}

const ofRound = (round: string): object => ({ request_response_rmt: { properties: { round: { equals: round } } } });

async function areStored(target: BodyTarget, round: string, count: number): Promise<boolean> {
  const until = Date.now() + storedWithinMs;
  let found = '';
  while (Date.now() < until) {
    const body = { filter: ofRound(round), limit: 0 };
    const { headers } = await ask(target, 'POST', '/v1/request/query-clickhouse', { body, headers: { 'svc-include-count': 'true' } });
    found = headers.get('svc-total-count') ?? '';
    if (found === String(count)) return true;
    await wait(100);
  }
  target.faults.push(`${round}: ${found} of ${count} records are stored after ${storedWithinMs / 1000} s`);
  return false;
}

async function readAll(target: BodyTarget, round: string, names: ReadonlyMap<string, string>): Promise<void> {
  const items = new Map<string, ItemView>();
  for (const path of ['/v1/request/query', '/v1/request/query-clickhouse']) {
    const seen = await readPages(target, path, round);
    for (const item of seen) items.set(item.request_id, item);
    const missing = [...names.keys()].filter((id) => !seen.some(({ request_id: shown }) => shown === id));
    if (missing.length > 0) {
      target.faults.push(`${path}: ${missing.length} records are on no page: ${missing.map((id) => names.get(id)).join('; ')}`);
    }
  }
  const ids = [...names.keys()];
  await runConcurrently(ids, readsAtOnce, async (id, index) => {
    await readOne(target, items.get(id), names.get(id) ?? '', id);
    if (index % costEvery !== 0) return;
    for (const part of ['cost', 'changes']) await expectOk(target, 'GET', `/v1/request/${id}/${part}`);
  });
  for (let first = 0; first < ids.length; first += 10) await readByIds(target, ids.slice(first, first + 10));
  for (const field of ['request_body', 'response_body']) {
    const contains = { request_response_rmt: { [field]: { contains: 'a' } } };
    const body = { filter: { left: ofRound(round), operator: 'and', right: contains } };
    await expectOk(target, 'POST', '/v1/request/count/query', body);
  }
  await expectOk(target, 'GET', `/v1/session/${round}`);
  await expectOk(target, 'GET', `/v1/session/${round}?limit=10`);
  for (const path of ['/v1/session/query', '/v1/session/count', '/v1/session/name/query', '/v1/session/metrics/query']) {
    await expectOk(target, 'POST', path, { filter: ofRound(round) });
  }
}

/** Follows the cursors through all pages, with smaller pages where one would be too large. */
async function readPages(target: BodyTarget, path: string, round: string): Promise<ItemView[]> {
  const items: ItemView[] = [];
  let limit = pageLimit;
  let cursor: string | null = null;
  for (;;) {
    const body = { filter: ofRound(round), limit, ...(cursor === null ? {} : { cursor }) };
    const { status, text, headers } = await ask(target, 'POST', path, { body });
    if (status === 422 && limit > 1) {
      limit = Math.ceil(limit / 4);
      continue;
    }
    if (status !== 200) {
      target.faults.push(`${path} ${status}: ${text.slice(0, maxFaultChars)}`);
      return items;
    }
    items.push(...(JSON.parse(text) as { readonly data: readonly ItemView[] }).data);
    cursor = headers.get('svc-next-cursor');
    if (cursor === null) return items;
  }
}

/** The record, read by its identifier and by its signed address, shows the same as its page. */
async function readOne(target: BodyTarget, shown: ItemView | undefined, name: string, id: string): Promise<void> {
  const { status, text } = await ask(target, 'GET', `/v1/request/${id}`);
  const item = status === 200 ? (JSON.parse(text) as { readonly data: ItemView }).data : undefined;
  if (item === undefined) target.faults.push(`GET ${id} ${status} (${name}): ${text.slice(0, maxFaultChars)}`);
  const { pathname, search } = new URL(shown?.signed_body_url ?? target.api);
  const signed = await ask(target, 'GET', pathname + search);
  const bodies = signed.status === 200 ? (JSON.parse(signed.text) as { readonly request: unknown; readonly response: unknown }) : undefined;
  const views = [
    [shown?.request_body, shown?.response_body],
    [item?.request_body, item?.response_body],
    [bodies?.request, bodies?.response],
  ].map((pair) => JSON.stringify(pair));
  if (new Set(views).size > 1) target.faults.push(`${id} (${name}) differs: ${views.map((each) => each.slice(0, 100)).join(' | ')}`);
}

async function readByIds(target: BodyTarget, requestIds: readonly string[]): Promise<void> {
  const { status, text } = await ask(target, 'POST', '/v1/request/query-ids', { body: { requestIds } });
  if (status === 422 && requestIds.length > 1) {
    for (const id of requestIds) await readByIds(target, [id]);
    return;
  }
  const shown = status === 200 ? (JSON.parse(text) as { readonly data: readonly ItemView[] }).data.length : 0;
  if (shown !== requestIds.length) {
    target.faults.push(`query-ids ${status}: ${shown} of ${requestIds.length}: ${text.slice(0, maxFaultChars)}`);
  }
}

/** A view may refuse with `query_too_large`. */
async function expectOk(target: BodyTarget, method: string, path: string, body?: object): Promise<void> {
  const { status, text } = await ask(target, method, path, body === undefined ? {} : { body });
  const isTooLarge = status === 422 && text.includes('query_too_large');
  if (status !== 200 && !isTooLarge) target.faults.push(`${method} ${path} ${status}: ${text.slice(0, maxFaultChars)}`);
}

interface RequestOptions {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(
  { api, key, faults }: BodyTarget,
  method: string,
  path: string,
  { body, headers }: RequestOptions = {},
): Promise<Answer> {
  try {
    const response = await fetch(api + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  } catch (error) {
    faults.push(`${method} ${path}: ${String(error)}`);
    return { status: 0, text: '', headers: new Headers() };
  }
}

async function runConcurrently<T>(all: readonly T[], atOnce: number, work: (one: T, index: number) => Promise<void>): Promise<void> {
  const left = all.entries();
  const worker = async (): Promise<void> => {
    for (const [index, one] of left) await work(one, index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
