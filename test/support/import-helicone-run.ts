import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import type { JsonObject } from '../../src/model/text.ts';
import { faultsOf } from '../../src/cli/helicone/testing/compare.ts';
import { type FakeHelicone, type Fault, startFakeHelicone } from '../../src/cli/helicone/testing/fake-helicone.ts';
import { type FakeRecord, makeRecords } from '../../src/cli/helicone/testing/records.ts';
import { apiClient } from './api.ts';
import type { CommandResult } from './command.ts';
import { SeededRandom } from './seeded-random.ts';
import { eventually } from './eventually.ts';
import { childrenNamed, program, type Service, serviceEnvironment, testKey } from './process-tree.ts';

export interface ImportHeliconeRun {
  readonly service: Service;
  /** A folder of its own, for the state of the import. */
  readonly folder: string;
  readonly records: number;
  readonly kills: number;
  readonly seed: number;
  /** Characters of each request's body, beside a few; 0 without. */
  readonly bodyLength?: number;
}

/** The report that `--json` prints. */
export interface ImportReport {
  readonly reconciled: boolean;
  readonly total: Readonly<Record<string, unknown>>;
  readonly days: readonly Readonly<Record<string, unknown>>[];
}

export interface ImportHeliconeVerdict {
  readonly first: ImportReport;
  readonly second: ImportReport;
  /** Sums of what the fake holds. */
  readonly expected: { readonly requests: number; readonly tokens: number };
  readonly kills: number;
  /** What of the fake's records is not here, in words. */
  readonly faults: readonly string[];
  /** Requests of the organisation. */
  readonly stored: number;
  readonly calls: number;
  readonly seconds: number;
  readonly maxRssMb: number;
}

const words = ['--since', '2026-02-01', '--until', '2026-04-01', '--calls-per-second', '1000', '--json'];

/** Imports from a faulty fake, killing the importer at random points and the service's core once, then once more; compares every record. */
export async function runImportHelicone(run: ImportHeliconeRun): Promise<ImportHeliconeVerdict> {
  const { service, records: count, kills, seed, bodyLength = 0 } = run;
  const random = new SeededRandom(seed);
  const records = makeRecords({
    count,
    seed,
    firstDay: '2026-03-01',
    days: 6,
    inOneSecond: Math.min(700, Math.floor(count / 4)),
    bodyLength,
  });
  const fake = await startFakeHelicone({ records, faultOf: () => faultBy(random) });
  try {
    const startedAt = performance.now();
    const importer = new Importer(run, fake);
    let first: ImportReport | undefined;
    let killed = 0;
    const killOfCore = { ...never, coreAfterCalls: Math.ceil(count / 10) };
    while (first === undefined) {
      // Even the longest of them leave calls for the run after the last kill.
      const kill = { ...never, maxCalls: 1 + random.below(Math.ceil((count * 0.8) / (kills + 1))), delayMs: random.below(maxDelayMs) };
      first = await importer.importOnce(killed < kills ? kill : killOfCore);
      if (first === undefined) killed += 1;
    }
    const second = await importer.importOnce();
    if (second === undefined) throw new Error('the second import was killed');
    const seconds = (performance.now() - startedAt) / 1000;
    const { api, bucket } = fake.calls();
    const { maxRssMb } = importer;
    const compared = await compareAll(service, records, Math.max(1, Math.floor(maxPageLength / (bodyLength + minLength))));
    return { first, second, expected: sumsOf(records), kills: killed, ...compared, calls: api + bucket, seconds, maxRssMb };
  } finally {
    await fake.close();
  }
}

export interface ImporterPlace {
  readonly service: Service;
  /** Where its state lies. */
  readonly folder: string;
  /** Of the service to import from. */
  readonly key: string;
  /** Of the service to import into. */
  readonly apiKey?: string;
}

/** Starts the built program. */
export function startImporter(
  args: readonly string[],
  { service, folder, key, apiKey = testKey }: ImporterPlace,
): ChildProcessByStdio<null, Readable, Readable> {
  const environment = { GATELOG_API_URL: service.api, GATELOG_API_KEY: apiKey, GATELOG_IMPORT_KEY: key };
  return spawn(process.execPath, [program, 'import', '--from', 'helicone', ...args], {
    cwd: folder,
    env: serviceEnvironment({ dataDir: service.dataDir, environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function importOutcome(child: ReturnType<typeof startImporter>): Promise<CommandResult> {
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return { code: code ?? killedCode, stdout: stdout(), stderr: stderr() };
}

const killedCode = -1;

interface Kill {
  /** Calls to the fake. */
  readonly maxCalls: number;
  readonly delayMs: number;
  /** The service's core is killed once, after so many calls. */
  readonly coreAfterCalls: number;
}

const never: Kill = { maxCalls: Number.POSITIVE_INFINITY, delayMs: 0, coreAfterCalls: Number.POSITIVE_INFINITY };
const maxDelayMs = 100;

/** Runs the built program against a fake. */
class Importer {
  maxRssMb = 0;
  private readonly run: ImportHeliconeRun;
  private readonly fake: FakeHelicone;

  constructor(run: ImportHeliconeRun, fake: FakeHelicone) {
    this.run = run;
    this.fake = fake;
  }

  /** Kills it a while after it has made so many calls, perhaps between a sending and the note of it. @returns its report; undefined when it was killed. */
  async importOnce({ maxCalls, delayMs, coreAfterCalls }: Kill = never): Promise<ImportReport | undefined> {
    const { service, folder } = this.run;
    const child = startImporter(['--url', this.fake.url, ...words], { service, folder, key: this.fake.key });
    const before = this.callCount();
    let reachedAt: number | undefined;
    let isCoreKilled = false;
    const watch = setInterval(() => {
      this.maxRssMb = Math.max(this.maxRssMb, rssMbOf(child.pid));
      const calls = this.callCount() - before;
      if (calls >= coreAfterCalls && !isCoreKilled) isCoreKilled = killCore(service);
      if (calls < maxCalls) return;
      reachedAt ??= performance.now();
      if (performance.now() - reachedAt >= delayMs) child.kill('SIGKILL');
    }, 5);
    const { code, stdout, stderr } = await importOutcome(child);
    clearInterval(watch);
    if (code === killedCode) return undefined;
    if (code !== 0) throw new Error(`the import ended with ${code}: ${stderr}\n${stdout.slice(0, 3000)}`);
    return JSON.parse(stdout) as ImportReport;
  }

  private callCount(): number {
    const { api, bucket } = this.fake.calls();
    return api + bucket;
  }
}

function textOf(stream: Readable): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

function faultBy(random: SeededRandom): Fault | undefined {
  if (random.below(8) !== 0) return undefined;
  return random.of<Fault>(['cut', 'empty', 'unavailable', 'error', { slowMs: 300 }, { retryAfterSeconds: 0 }, { retryAfterSeconds: 1 }]);
}

function killCore({ pid }: Service): boolean {
  const [core] = childrenNamed(pid, 'core');
  if (core !== undefined) process.kill(core, 'SIGKILL');
  return core !== undefined;
}

/** The most memory that a process has held, in MB; 0 when it has ended. */
function rssMbOf(pid: number | undefined): number {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0;
  }
}

function sumsOf(records: readonly FakeRecord[]) {
  const tokens = records.reduce((sum, { row }) => sum + Number(row['prompt_tokens']) + Number(row['completion_tokens']), 0);
  return { requests: records.length, tokens };
}

/** Characters of the records that are compared together. */
const maxPageLength = 8_000_000;
const minLength = 16_000;

async function compareAll(service: Service, records: readonly FakeRecord[], pageSize: number) {
  const api = apiClient(service.api);
  const faults: string[] = [];
  for (let start = 0; start < records.length; start += pageSize) {
    const part = records.slice(start, start + pageSize);
    const { body } = await api.call<readonly RequestItem[]>('POST', '/v1/request/query-ids', { requestIds: part.map(({ id }) => id) });
    const byId = new Map(body.data.map((item) => [item.request_id, item as unknown as JsonObject]));
    for (const record of part) faults.push(...faultsOf(record, byId.get(record.id)));
  }
  const stored = await eventually('the count of requests', async () => {
    const { status, body } = await api.call<number>('POST', '/v1/request/count/query', { filter: 'all' });
    return status === 200 ? body.data : undefined;
  });
  return { faults, stored };
}
