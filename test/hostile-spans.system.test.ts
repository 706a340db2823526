import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodedRequest } from '../src/otlp/testing/encode.ts';
import { requestOf, spanIdOf, type WrittenSpan } from '../src/otlp/testing/spans.ts';
import { type ApiClient, apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { memoryOf } from './support/process-memory.ts';
import {
  childrenNamed,
  makeDataDir,
  program,
  removeDataDir,
  type Service,
  serviceEnvironment,
  startService,
  testKey,
} from './support/process-tree.ts';
import { byLength, inFull } from './support/test-length.ts';

const mebibyte = 1024 * 1024;
const dataDir = makeDataDir();
let service: Service;
let api: ApiClient;
let loud: string;

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_SPOOL_MAX_BYTES: '256MiB' } });
  api = apiClient(service.api);
  gatelog('orgs', 'create', 'loud');
  loud = /sk-svc-\S+/.exec(gatelog('keys', 'create', '--org', 'loud'))?.[0] ?? '';
});

afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

function gatelog(...words: readonly string[]): string {
  return execFileSync(process.execPath, [program, ...words], { env: serviceEnvironment({ dataDir }), encoding: 'utf8' });
}

let traces = 0;
const model = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };

function newTrace(): string {
  traces += 1;
  return traces.toString(16).padStart(32, 'c');
}

/** Spans of one request, each with a trace of its own. */
function compressed(count: number, span: (index: number) => WrittenSpan): Buffer {
  const spans = Array.from({ length: count }, (_, index) => ({
    traceId: newTrace(),
    spanId: spanIdOf(1),
    attributes: model,
    ...span(index),
  }));
  return gzipSync(encodedRequest(requestOf(spans)), { level: 1 });
}

async function send(key: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<{ status: number; text: string }> {
  const own = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip', authorization: `Bearer ${key}` };
  const response = await fetch(`${service.gateway}/v1/otlp/v1/traces`, {
    method: 'POST',
    headers: { ...own, ...headers },
    body: new Uint8Array(body),
  });
  return { status: response.status, text: await response.text() };
}

const loudSenders = byLength(1, 4);

/** Sends each of the bodies, and goes on until the work for another is done. */
async function whileLoud<Result>(
  bodies: readonly Buffer[],
  work: () => Promise<Result>,
  headers = {},
): Promise<readonly [Result, Set<number>]> {
  const statuses = new Set<number>();
  const done = new AbortController();
  const senders = Array.from({ length: loudSenders }, async (_, sender) => {
    for (let next = sender; !done.signal.aborted; next += 1) {
      for (const body of bodies.slice(next % bodies.length).slice(0, 1)) statuses.add((await send(loud, body, headers)).status);
    }
  });
  try {
    return [await work(), statuses];
  } finally {
    done.abort();
    await Promise.all(senders);
  }
}

/** A call through the gateway and a span of another organisation, once both can be queried. */
async function bothVisible(): Promise<readonly string[]> {
  const job = newTrace();
  const call = await fetch(`${service.gateway}/echo/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'svc-auth': `Bearer ${testKey}`, 'svc-job-id': job },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await call.text();
  const [trace, startMs] = [newTrace(), Date.now()];
  const span = { traceId: trace, spanId: spanIdOf(1), startMs, endMs: startMs + 1, attributes: model };
  const sent = await send(testKey, gzipSync(encodedRequest(requestOf([span]))));
  // The header comes with calls that are not recorded.
  expect([call.status, call.headers.get('svc-recorded'), sent.status]).toEqual([200, null, 200]);
  return eventually('the call and the span to be visible', async () => {
    const found = await Promise.all([job, trace].map((id) => api.query({ request_response_rmt: { job_id: { equals: id } } })));
    return found.every(({ length }) => length === 1) ? found.flatMap(([item]) => item?.request_id ?? []) : undefined;
  });
}

inFull(() => {
  it('very long names are remembered by nobody', async () => {
    // A record of it is below the limit of what one request may add to the spool.
    const long = 'x'.repeat(4 * mebibyte);
    const sendNamed = async (index: number): Promise<void> => {
      const name = `${index}${long}`;
      const attributes = { ...model, 'gen_ai.request.model': name, 'session.id': name };
      const body = compressed(1, () => ({ parentSpanId: spanIdOf(9), attributes }));
      const { status, text } = await send(loud, body);
      expect({ text, isTaken: [200, 429].includes(status) }).toEqual({ text, isTaken: true });
    };
    const processes = ['gateway', 'core'].flatMap((name) => childrenNamed(service.pid, name));
    expect(processes).toHaveLength(2);
    for (let index = 0; index < 4; index += 1) await sendNamed(index);
    const before = processes.map((pid) => memoryOf(pid).resident);
    const more = 42;
    for (let index = 0; index < more; index += 1) await sendNamed(4 + index);
    // Remembered they would hold 168 MiB.
    await eventually('the memory to be given back', () => {
      const grown = processes.map((pid, index) => memoryOf(pid).resident - (before[index] ?? 0));
      return grown.every((bytes) => bytes < 120 * mebibyte) ? true : undefined;
    });
  });
});

it('tags that each of very many spans would have are refused before they fill the spool', async () => {
  const headers = { 'svc-property-a': 'v'.repeat(3000), 'svc-property-b': 'v'.repeat(3000) };
  const startMs = Date.now() - 1000;
  const body = compressed(10_000, () => ({ startMs, endMs: startMs + 1, name: '' }));
  const { status, text } = await send(loud, body, headers);
  expect([status, text]).toEqual([413, expect.stringContaining('The records of these spans would have more than') as string]);
  const [ids] = await whileLoud([body], bothVisible, headers);
  expect(ids).toHaveLength(2);
});

function ofManyMonths(from: number): Buffer {
  return compressed(1430, (index) => {
    const startMs = Date.UTC(2015, (from + index) % 143, 15);
    return { startMs, endMs: startMs + 1 };
  });
}

it('spans of very many months hold up nobody else', async () => {
  const [ids, statuses] = await whileLoud([0, 1, 2, 3, 4, 5].map(ofManyMonths), bothVisible);
  expect(ids).toHaveLength(2);
  expect([...statuses].filter((status) => status !== 200 && status !== 429)).toEqual([]);
});

it('a small body of millions of empty spans is refused early, and others are read meanwhile', async () => {
  const empty = Buffer.alloc(15 * mebibyte, Buffer.from([0x12, 0x00]));
  const [ids, statuses] = await whileLoud([gzipSync(messageOf(1, messageOf(2, empty)))], bothVisible);
  expect([ids.length, [...statuses].filter((status) => status !== 413 && status !== 429)]).toEqual([2, []]);
});

function messageOf(field: number, inner: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2]), varint(inner.length), inner]);
}

function varint(number: number): Buffer {
  return number < 0x80 ? Buffer.from([number]) : Buffer.concat([Buffer.from([(number & 0x7f) | 0x80]), varint(number >>> 7)]);
}
