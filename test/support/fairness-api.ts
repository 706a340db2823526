import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { FairnessStore } from './fairness-store.ts';

export interface ApiFairnessOptions {
  readonly api: string;
  readonly store: FairnessStore;
  readonly connections: number;
  readonly durationMs: number;
  /** The run goes on until the other organisation has read so many, however slow the machine is; 0: `durationMs` alone ends it. */
  readonly minimumReads?: number;
  /** Queries to send; absent: all slow ones, one after the other on each connection. */
  readonly queries?: readonly FairnessQuery[];
}

/** One response. */
export interface Outcome {
  readonly what: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  /** Body of a failure. */
  readonly text: string;
}

export interface ApiFairnessRun {
  /** Responses to the organisation that sends as many queries as it can. */
  readonly greedy: readonly Outcome[];
  /** `GET /v1/request/{id}` of the other organisation. */
  readonly modest: readonly Outcome[];
  readonly ready: readonly Outcome[];
}

export interface FairnessQuery {
  readonly what: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const requests = '/v1/request/query-clickhouse';
const leaf = (field: string, operators: unknown): object => ({ request_response_rmt: { [field]: operators } });

/** The slowest queries that one organisation can send. */
export const slowQueries: readonly FairnessQuery[] = [
  { what: 'a text in bodies', path: requests, body: { filter: leaf('request_body', { ilike: '%no-such-text%' }) } },
  { what: 'a text in addresses, counted', path: '/v1/request/count/query', body: { filter: leaf('target_url', { ilike: '%x%' }) } },
  { what: 'sorted by latency', path: requests, body: { filter: {}, sort: { latency: 'desc' }, limit: 1000 } },
  { what: 'sorted by response text', path: requests, body: { filter: {}, sort: { response_text: 'asc' }, limit: 100 } },
  {
    what: 'sorted at random',
    path: requests,
    body: { filter: {}, sort: { random: true }, limit: 1000 },
    headers: { 'Svc-Include-Count': 'true' },
  },
  { what: 'a rare score', path: requests, body: { filter: leaf('scores_column', { contains: 'no-such-score' }) } },
  { what: 'an unknown property', path: requests, body: { filter: leaf('properties', { Taem: { equals: 'x' } }) } },
  { what: 'sessions', path: '/v1/session/query', body: { filter: {}, limit: 1000 } },
  { what: 'sessions by a text in bodies', path: '/v1/session/query', body: { filter: leaf('response_body', { ilike: '%no-such-text%' }) } },
  { what: 'large bodies', path: requests, body: { filter: {}, limit: 10 } },
  { what: 'many rows', path: requests, body: { filter: {}, limit: 1000, offset: 100 } },
];

/**
 * One organisation sends queries without a pause over many connections; meanwhile another reads its requests one by one, and `/readyz` is
 * polled.
 */
export async function runApiFairness(options: ApiFairnessOptions): Promise<ApiFairnessRun> {
  const { api, store, connections, durationMs, minimumReads = 0, queries = slowQueries } = options;
  const end = performance.now() + durationMs;
  const agent = new Agent({ keepAlive: true });
  const greedy: Outcome[] = [];
  const modest: Outcome[] = [];
  const ready: Outcome[] = [];
  const until = async (work: (turn: number) => Promise<void>): Promise<void> => {
    for (let turn = 0; performance.now() < end || modest.length < minimumReads; turn += 1) await work(turn);
  };
  const queriers = Array.from({ length: connections }, (_, connection) =>
    until(async (turn) => {
      const query = queries[(connection + turn) % queries.length];
      if (query !== undefined) greedy.push(await send(agent, api, { ...query, key: store.greedy.key }));
    }),
  );
  const reads = until(async (turn) => {
    const id = store.modest.requestIds[turn % store.modest.requestIds.length];
    modest.push(await send(agent, api, { what: 'one request', path: `/v1/request/${id}`, key: store.modest.key }));
    await wait(pauseMs);
  });
  const polls = until(async () => {
    ready.push(await send(agent, api, { what: 'ready', path: '/readyz' }));
    await wait(pollMs);
  });
  await Promise.all([...queriers, reads, polls]);
  agent.destroy();
  return { greedy, modest, ready };
}

const pauseMs = 20;
const pollMs = 250;

type SentRequest = Omit<FairnessQuery, 'body'> & { readonly body?: unknown; readonly key?: string };

/** Counts the bytes of a response and keeps only the text of failures. */
function send(agent: Agent, api: string, { what, path, body, headers, key }: SentRequest): Promise<Outcome> {
  const since = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, api), {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    });
    sent.once('error', reject);
    sent.once('response', (answer) => {
      const status = answer.statusCode ?? 0;
      let bytes = 0;
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (status !== 200) text += chunk.toString('utf8');
      });
      answer.once('error', reject);
      answer.once('end', () => resolve({ what, status, ms: performance.now() - since, bytes, text }));
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
