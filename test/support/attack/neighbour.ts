import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { deriveRequestId } from '../../../src/gateway/record/request-ids.ts';
import type { OrganizationId } from '../../../src/model/ids.ts';
import { encodedRequest } from '../../../src/otlp/testing/encode.ts';
import { requestOf } from '../../../src/otlp/testing/spans.ts';

/** The organisation that shares the service with the attacker. */
export interface Neighbour {
  readonly gateway: string;
  readonly api: string;
  readonly key: string;
  readonly organizationId: OrganizationId;
}

/** What it saw in one stretch of time; milliseconds. */
export interface Seen {
  readonly callsMs: readonly number[];
  readonly readsMs: readonly number[];
  /** From the end of a call or span until it could be read by its identifier. */
  readonly visibleMs: readonly number[];
  /** What was answered otherwise than it should be: `call 503`, `read 504 query_timeout`. */
  readonly failures: readonly string[];
  /** Identifiers of calls and spans that were taken. */
  readonly taken: readonly string[];
}

const callEveryMs = 200;
const spanEveryMs = 1000;
const readEveryMs = 333;
const pollEveryMs = 250;
/** A call or span that cannot be found by then is lost. */
const findWithinMs = 120_000;
const callBody = '{"model":"gpt-4o","messages":[{"role":"user","content":"Hello"}]}';

const requests = '/v1/request/query-clickhouse';
const reads: readonly (readonly [path: string, body: object])[] = [
  [requests, { filter: {}, sort: { created_at: 'desc' }, limit: 10 }],
  [requests, { filter: { request_response_rmt: { properties: { Team: { equals: 'neighbour' } } } }, limit: 25 }],
  ['/v1/metrics/query', { metrics: ['count', 'cost'], groupBy: [{ property: 'Team' }], interval: 'day' }],
];

/** Makes 5 calls, 1 span and 3 reads a second until the signal, then waits until each call and span is found. */
export async function liveBeside(neighbour: Neighbour, signal: AbortSignal): Promise<Seen> {
  const living = new LivingNeighbour(neighbour);
  const beats = [
    living.every(callEveryMs, signal, () => living.call()),
    living.every(spanEveryMs, signal, () => living.span()),
    living.every(readEveryMs, signal, (turn) => living.read(turn)),
  ];
  const found = living.findAll(signal);
  await Promise.all(beats);
  await found;
  living.close();
  return living.seen;
}

/** All identifiers of the organisation's records since a time, as the lists of requests show them. */
export async function recordedSince({ api, key }: Neighbour, since: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const limit = 1000; ;) {
    const filter = { request_response_rmt: { request_created_at: { gte: new Date(since).toISOString() } } };
    const response = await fetch(api + requests, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ filter, sort: { created_at: 'asc' }, limit, offset: ids.length, includeBodies: false }),
    });
    const { data, error } = (await response.json()) as {
      readonly data: readonly { readonly request_id: string }[];
      readonly error: unknown;
    };
    if (response.status !== 200) throw new Error(`the records could not be listed: ${response.status} ${String(error)}`);
    ids.push(...data.map(({ request_id: id }) => id));
    if (data.length < limit) return ids;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

class LivingNeighbour {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly neighbour: Neighbour;
  private readonly callsMs: number[] = [];
  private readonly readsMs: number[] = [];
  private readonly visibleMs: number[] = [];
  private readonly failures: string[] = [];
  private readonly taken: string[] = [];
  /** Those not found yet, with the time when they were answered. */
  private readonly sought = new Map<string, number>();

  constructor(neighbour: Neighbour) {
    this.neighbour = neighbour;
  }

  get seen(): Seen {
    const [callsMs, readsMs, visibleMs] = [this.callsMs, this.readsMs, this.visibleMs];
    return { callsMs, readsMs, visibleMs, failures: this.failures, taken: this.taken };
  }

  /** Begins the work at each beat, whether the one before has ended or not. */
  async every(ms: number, signal: AbortSignal, work: (turn: number) => Promise<void>): Promise<void> {
    const running: Promise<void>[] = [];
    const begin = performance.now();
    for (let turn = 0; !signal.aborted; turn += 1) {
      running.push(work(turn));
      await wait(Math.max(1, begin + (turn + 1) * ms - performance.now()));
    }
    await Promise.all(running);
  }

  async call(): Promise<void> {
    const id = randomUUID();
    const { gateway } = this.neighbour;
    const headers = { 'svc-request-id': id, 'svc-property-team': 'neighbour' };
    const answer = await this.timed(this.callsMs, () => this.post(`${gateway}/v1/chat/completions`, callBody, headers));
    const recorded = answer.headers['svc-recorded'] ?? 'true';
    if (answer.status !== 200) return void this.failures.push(`call ${nameOf(answer)}`);
    if (recorded !== 'true') this.failures.push(`call not recorded: ${String(recorded)}`);
    this.seek(id);
  }

  async span(): Promise<void> {
    const { gateway, organizationId } = this.neighbour;
    const [traceId, spanId, startMs] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex'), Date.now() - 5];
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
    const body = gzipSync(encodedRequest(requestOf([{ traceId, spanId, startMs, endMs: startMs + 4, attributes }])));
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip', 'svc-property-team': 'neighbour' };
    for (;;) {
      const answer = await this.post(`${gateway}/v1/otlp/v1/traces`, body, headers);
      if (answer.status === 200) return this.seek(deriveRequestId(organizationId, startMs, `${traceId}:${spanId}`));
      this.failures.push(`span ${nameOf(answer)}`);
      // As an exporter does.
      if (answer.status !== 429 && answer.status !== 503) return;
      await wait(Number(answer.headers['retry-after'] ?? 1) * 1000);
    }
  }

  async read(turn: number): Promise<void> {
    const [path, body] = reads[turn % reads.length] ?? [requests, {}];
    const answer = await this.timed(this.readsMs, () => this.post(this.neighbour.api + path, JSON.stringify(body)));
    if (answer.status !== 200) this.failures.push(`read ${nameOf(answer)}`);
  }

  /** Looks for what was taken until all is found, or is lost. */
  async findAll(signal: AbortSignal): Promise<void> {
    for (let endedAt: number | undefined; !signal.aborted || this.sought.size > 0; await wait(pollEveryMs)) {
      endedAt = signal.aborted ? (endedAt ?? performance.now()) : undefined;
      if (endedAt !== undefined && performance.now() - endedAt > findWithinMs) return this.giveUp();
      await this.find([...this.sought.keys()].slice(0, 100));
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private seek(id: string): void {
    this.taken.push(id);
    this.sought.set(id, performance.now());
  }

  private async find(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { api } = this.neighbour;
    const answer = await this.post(`${api}/v1/request/query-ids`, JSON.stringify({ requestIds: ids, includeBodies: false }));
    if (answer.status !== 200) return void this.failures.push(`look-up ${nameOf(answer)}`);
    const now = performance.now();
    for (const id of ids) {
      const since = this.sought.get(id);
      if (since === undefined || !answer.text.includes(id)) continue;
      this.sought.delete(id);
      this.visibleMs.push(now - since);
    }
  }

  private giveUp(): void {
    for (const id of this.sought.keys()) this.failures.push(`not found within ${findWithinMs / 1000} s of the end: ${id}`);
    this.sought.clear();
  }

  private async timed(times: number[], work: () => Promise<Answer>): Promise<Answer> {
    const since = performance.now();
    const answer = await work();
    times.push(performance.now() - since);
    return answer;
  }

  private post(url: string, body: Uint8Array | string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const own = { 'svc-auth': `Bearer ${this.neighbour.key}`, authorization: `Bearer ${this.neighbour.key}` };
    return new Promise((resolve) => {
      const fail = (error: Error): void => resolve({ status: 0, text: error.message, headers: {} });
      const sent = request(url, {
        agent: this.agent,
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
      });
      sent.on('error', fail);
      sent.once('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', fail);
        answer.once('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8'), headers: answer.headers }),
        );
      });
      sent.end(body);
    });
  }
}

function nameOf({ status, text }: Answer): string {
  if (status === 0) return text;
  // OTLP answers with a message of protobuf: what can be read of it says the reason.
  const reason =
    /"code":"(\w+)"/.exec(text)?.[1] ??
    text
      .replaceAll(/[^ -~]+/g, ' ')
      .trim()
      .slice(0, 60);
  return `${status} ${reason}`.trim();
}
