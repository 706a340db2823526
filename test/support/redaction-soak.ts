import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { OwnedProcesses, nextMessage } from '../../bench/measure/owned-processes.ts';
import { processCpuMs } from '../../bench/measure/process-table.ts';
import { isLoadResult, type LoadJob } from '../../bench/load/load-job.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, serviceEnvironment, startService } from './process-tree.ts';

export interface RedactionSoak {
  readonly program: string;
  readonly durationMs: number;
  readonly callsPerSecond: number;
  readonly slowCallsPerSecond: number;
}

export interface TextsLeftOut {
  readonly answered: number;
  readonly records: number;
  readonly leftOut: number;
}

export interface RedactionRun {
  readonly quick: TextsLeftOut;
  readonly slow: TextsLeftOut;
  /** Milliseconds from the end of a call with quick rules until it could be read, sorted. */
  readonly visibleMs: readonly number[];
  readonly coreMicrosPerRecord: number;
}

const documentedRules = [{ kind: 'email' }, { kind: 'regex', pattern: 'EMP-[0-9]{6}', replacement: '[employee]' }];
/** Each match is one letter, and only the end of the text says so. */
const slowRules = [{ kind: 'email' }, { kind: 'regex', pattern: 'a.*b|a' }];
const quickText = 'Write to ann.lee@example.com that EMP-123456 comes at nine. ';
const slowText = 'a'.repeat(3000);
const connections = 32;
const answerTimeoutMs = 60_000;
const drainedWithinMs = 1_800_000;
const pollMs = 500;
/** Of what was waited. */
const pollPart = 0.05;

/** Never rests, and ends with its parent, also when that is interrupted. */
const spin = 'for (const parent = process.ppid; process.ppid === parent; );';

/** Starts a service with this program and runs both organisations' calls through it. */
export async function runRedactionSoak(options: RedactionSoak): Promise<RedactionRun> {
  const dataDir = makeDataDir();
  const processes = new OwnedProcesses();
  const spinning = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', spin], { stdio: 'ignore' }));
  try {
    const [quickKey, slowKey] = [
      await addOrganization(options.program, dataDir, 'quick'),
      await addOrganization(options.program, dataDir, 'slow'),
    ];
    const service = await startService({ dataDir, program: options.program, environment: { GATELOG_LOG_LEVEL: 'error' } });
    const run = await runBoth(options, { service, processes, quickKey, slowKey });
    await service.stop();
    return run;
  } finally {
    for (const child of spinning) child.kill('SIGKILL');
    await processes.stopAll();
    removeDataDir(dataDir);
  }
}

interface Scene {
  readonly service: Service;
  readonly processes: OwnedProcesses;
  readonly quickKey: string;
  readonly slowKey: string;
}

async function runBoth(options: RedactionSoak, { service, processes, quickKey, slowKey }: Scene): Promise<RedactionRun> {
  const [api, slowApi] = [plainApi(service.api, quickKey), plainApi(service.api, slowKey)];
  for (const [client, rules] of [
    [api, documentedRules],
    [slowApi, slowRules],
  ] as const) {
    const { status } = await client('PUT', '/v1/redaction-rules', rules);
    if (status !== 200) throw new Error(`the rules were refused with ${status}`);
  }
  const [core] = childrenNamed(service.pid, 'core');
  const cpuBefore = processCpuMs(core ?? 0);
  const probe = probeVisibility({ service, api, key: quickKey }, options.durationMs);
  const send = (key: string, text: string, requestsPerSecond: number): Promise<number> =>
    answersOf(processes, { ...jobOf(service.gateway, key, text), requestsPerSecond, durationMs: options.durationMs });
  const [quickAnswers, slowAnswers, visibleMs] = await Promise.all([
    send(quickKey, quickText.repeat(8), options.callsPerSecond),
    send(slowKey, slowText, options.slowCallsPerSecond),
    probe,
  ]);
  const quick = await textsOf(api, quickAnswers + visibleMs.length);
  const slow = await textsOf(slowApi, slowAnswers);
  const cpuMs = processCpuMs(core ?? 0) - cpuBefore;
  return { quick, slow, visibleMs, coreMicrosPerRecord: (cpuMs * 1000) / (quick.records + slow.records) };
}

/** TRICKY: not the checked client of the tests, as an earlier program answers in the shapes of its own document. */
type PlainApi = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly data: unknown }>;

function plainApi(base: string, key: string): PlainApi {
  return async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { data } = (await response.json()) as { readonly data: unknown };
    return { status: response.status, data };
  };
}

async function addOrganization(program: string, dataDir: string, name: string): Promise<string> {
  const run = async (...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [program, ...words], { env: serviceEnvironment({ dataDir }) })).stdout;
  await run('orgs', 'create', name);
  const key = /sk-svc-\S+/.exec(await run('keys', 'create', '--org', name, '--permissions', 'admin'))?.[0];
  if (key === undefined) throw new Error(`the organisation ${name} got no key`);
  return key;
}

function bodyOf(text: string): string {
  return JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: text }] });
}

function jobOf(gateway: string, key: string, text: string): Omit<LoadJob, 'requestsPerSecond' | 'durationMs'> {
  const body = bodyOf(text);
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const request = `${head.join('\r\n')}\r\n\r\n${body}`;
  return {
    port: Number(new URL(gateway).port),
    request,
    connections,
    maximumRequests: 10_000_000,
    minimumBodyBytes: 1,
    watchesGaps: false,
  };
}

async function answersOf(processes: OwnedProcesses, job: LoadJob): Promise<number> {
  const generator = processes.fork('../../bench/load/load-generator', import.meta.url, []);
  const answer = nextMessage(generator, job.durationMs + answerTimeoutMs);
  generator.send(job);
  const result = await answer;
  if (!isLoadResult(result)) throw new Error('the load generator gave no result');
  return result.responses;
}

interface Probed {
  readonly service: Service;
  readonly api: PlainApi;
  readonly key: string;
}

/** Sends a call each second and reads it until it is there. */
async function probeVisibility({ service, api, key }: Probed, durationMs: number): Promise<number[]> {
  const until = performance.now() + durationMs;
  const delays: number[] = [];
  const pending: Promise<unknown>[] = [];
  while (performance.now() < until) {
    const id = randomUUID();
    const response = await fetch(`${service.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'svc-request-id': id },
      body: bodyOf(quickText),
    });
    await response.text();
    const endedAt = performance.now();
    const isThere = async (): Promise<true | undefined> => ((await api('GET', `/v1/request/${id}`)).status === 200 ? true : undefined);
    pending.push(polled('a call to be on record', isThere).then(() => delays.push(performance.now() - endedAt)));
    await wait(1000);
  }
  await Promise.all(pending);
  return delays.toSorted((left, right) => left - right);
}

/** Once all calls that were answered are on record. */
async function textsOf(api: PlainApi, answered: number): Promise<TextsLeftOut> {
  const count = async (filter: unknown): Promise<number> => {
    const { status, data } = await api('POST', '/v1/request/count/query', { filter });
    if (typeof data !== 'number') throw new Error(`the count answered ${status}`);
    return data;
  };
  const records = await polled('all calls to be on record', async () => {
    const found = await count('all');
    return found >= answered ? found : undefined;
  });
  return { answered, records, leftOut: await count({ request_response_rmt: { request_body: { contains: '[left out' } } }) };
}

/** Asks seldom, and the longer the more seldom, so that the questions take little of the core's time. */
async function polled<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const startedAt = performance.now();
  const waitedMs = (): number => performance.now() - startedAt;
  for (; waitedMs() < drainedWithinMs; await wait(Math.max(pollMs, waitedMs() * pollPart))) {
    const result = await ask();
    if (result !== undefined) return result;
  }
  throw new Error(`waited in vain for: ${what}`);
}
