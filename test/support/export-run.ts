import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { recordAt } from '../../bench/query/records.ts';
import { type OrganizationId, type RequestId, uuidOfHex, uuidToNumber } from '../../src/model/ids.ts';
import type { RequestRecord } from '../../src/model/record/request-record.ts';
import { openConnections } from '../../src/store/engine/open-connections.ts';
import { rowsOf } from '../../src/store/insert/rows.ts';
import { openStore } from '../../src/store/store.ts';
import { gatelog } from './command.ts';
import type { SeededRandom } from './seeded-random.ts';
import { eventually } from './eventually.ts';
import { forgetPeak, memoryOf } from './process-memory.ts';
import { killStarted, makeStarted, program, type Service, serviceEnvironment, startService, testKey, treeOf } from './process-tree.ts';

export interface ExportRunOptions {
  readonly dataDir: string;
  /** In the store before the export. */
  readonly requests: number;
  /** Of them, those that are made one by one; the engine copies them to the others. */
  readonly made: number;
  readonly words: readonly string[];
  /** Of the whole service, and of the command. */
  readonly serviceKills: number;
  readonly commandKills: number;
  readonly maxRunMs: number;
  /** Milliseconds of newest-10 queries without an export, half of them before it and half after it; 0: no queries. */
  readonly idleMs: number;
  readonly random: SeededRandom;
  readonly onProgress?: (text: string) => void;
}

export interface ExportRunReport {
  readonly rows: number;
  readonly bytes: number;
  readonly exportMs: number;
  readonly serviceKills: number;
  readonly commandKills: number;
  readonly repeated: number;
  /** Stored before the export began, and not in it. */
  readonly missing: number;
  /** In it, although nobody sent them. */
  readonly unknown: number;
  /** Lines that are not in the order of their keys. */
  readonly unordered: number;
  /** Calls that ended while it ran, and how many of them are in it. */
  readonly calls: number;
  readonly callsExported: number;
  /** Calls that ended before the end of its window and are not in it. */
  readonly callsSkipped: number;
  /** Milliseconds of newest-10 queries, alone and beside the export. */
  readonly idle: readonly number[];
  readonly beside: readonly number[];
  /** Resident bytes by process: when the export began, and the peak since. */
  readonly memory: Readonly<Record<string, { readonly before: number; readonly peak: number }>>;
  /** Resident bytes of the core over the export, in tenths of its time. */
  readonly coreOverTime: readonly number[];
}

const batch = 1000;
const updatedAt = Date.UTC(2026, 7, 1);
const storeFolder = 'clickhouse';
const dayMs = 24 * 60 * 60_000;
const daysOfCopy = 30;
const callEveryMs = 200;

/** Fills a store, exports it by the command line while calls come, and compares the files with what was stored. */
export async function runExport(options: ExportRunOptions): Promise<ExportRunReport> {
  const organization = await fill(options);
  options.onProgress?.(`${options.requests} requests stored`);
  const environment = { GATELOG_API_PORT: String(await freePort()), GATELOG_GATEWAY_PORT: String(await freePort()) };
  const scene = new ExportScene(options, environment);
  try {
    return await scene.run(organization);
  } finally {
    await scene.close();
    killStarted();
  }
}

class ExportScene {
  private readonly options: ExportRunOptions;
  private readonly environment: Readonly<Record<string, string>>;
  private readonly calls: { readonly id: string; readonly endedAt: number }[] = [];
  private readonly ending = new AbortController();
  private readonly memory: Record<string, { before: number; peak: number }> = {};
  private readonly coreSamples: number[] = [];
  private service: Service | undefined;
  private command: ChildProcess | undefined;
  private readonly kills = { service: 0, command: 0 };

  constructor(options: ExportRunOptions, environment: Readonly<Record<string, string>>) {
    this.options = options;
    this.environment = environment;
  }

  async run(organization: OrganizationId): Promise<ExportRunReport> {
    const { dataDir, idleMs, onProgress, serviceKills } = this.options;
    this.service = await startService({ dataDir, environment: this.environment });
    const calling = this.callMeanwhile();
    const before = await this.newest(idleMs / 2, () => false);
    onProgress?.('exporting');
    const output = path.join(dataDir, 'exported');
    const startedAt = performance.now();
    let isDone = false;
    const exporting = this.exportWithKills(output).finally(() => {
      isDone = true;
    });
    const [beside] = await Promise.all([
      // A service that is killed answers no queries.
      idleMs === 0 || serviceKills > 0 ? [] : this.newest(Infinity, () => isDone),
      exporting,
      this.watchMemory(() => isDone),
    ]);
    const exportMs = performance.now() - startedAt;
    const idle = [...before, ...(await this.newest(idleMs / 2, () => false))];
    this.ending.abort();
    await calling;
    const known = new Map(this.calls.map(({ id, endedAt }) => [id, endedAt]));
    const result = await readExport(output, expectedIds(this.options, organization), known);
    const tenth = Math.max(1, Math.floor(this.coreSamples.length / 10));
    return {
      ...result,
      exportMs,
      serviceKills: this.kills.service,
      commandKills: this.kills.command,
      calls: known.size,
      idle,
      beside,
      memory: this.memory,
      coreOverTime: this.coreSamples.filter((_, index) => index % tenth === 0),
    };
  }

  async close(): Promise<void> {
    this.ending.abort();
    this.command?.kill('SIGKILL');
    await this.service?.killAll();
  }

  /** Runs the command until it ends by itself, kills it and the service, and resumes it each time. */
  private async exportWithKills(output: string): Promise<void> {
    const { dataDir, serviceKills, commandKills, maxRunMs, random: dice, words, onProgress } = this.options;
    for (;;) {
      const { ended, child } = this.startCommand([`${output}/`, ...words, '--resume']);
      const timer = new AbortController();
      const isNext = this.kills.command < commandKills || this.kills.service < serviceKills;
      const result = await Promise.race([ended, isNext ? this.whenToKill(output, dice.below(maxRunMs), timer.signal) : ended]);
      if (result !== 'kill') {
        timer.abort();
        if (result.code !== 0) throw new Error(`the export ended with ${String(result.code)}: ${result.stderr}`);
        return;
      }
      if (this.kills.service < serviceKills) {
        this.kills.service += 1;
        await this.service?.killAll();
        onProgress?.(`killed the service (${this.kills.service})`);
        this.service = await startService({ dataDir, environment: this.environment });
      }
      if (this.kills.command < commandKills) {
        this.kills.command += 1;
        child.kill('SIGKILL');
        onProgress?.(`killed the command (${this.kills.command})`);
        await ended;
      } else {
        // The command waits for the service and goes on by itself.
        const { code, stderr } = await ended;
        if (code !== 0) throw new Error(`the export ended with ${String(code)}: ${stderr}`);
        return;
      }
    }
  }

  /** Not before the first lines are written: until the service has answered, the command does not wait for one that is away. */
  private async whenToKill(output: string, afterMs: number, signal: AbortSignal): Promise<'kill'> {
    await wait(afterMs, undefined, { signal });
    const files = (): readonly string[] => (existsSync(output) ? readdirSync(output) : []);
    while (!files().some((file) => statSync(path.join(output, file)).size > 0)) await wait(10, undefined, { signal });
    return 'kill';
  }

  private startCommand(words: readonly string[]) {
    const env = {
      ...serviceEnvironment({ dataDir: this.options.dataDir }),
      GATELOG_API_KEY: testKey,
      GATELOG_API_URL: `http://127.0.0.1:${this.environment['GATELOG_API_PORT'] ?? ''}`,
    };
    const child = spawn(process.execPath, [program, 'export', '--output', ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.command = child;
    let stderr = '';
    child.stderr.on('data', (text: Buffer) => {
      stderr += text.toString();
    });
    const ended = new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve) => {
      child.once('close', (code) => resolve({ code, stderr }));
    });
    return { child, ended };
  }

  /** One call after the other, whatever becomes of the service. */
  private async callMeanwhile(): Promise<void> {
    while (!this.ending.signal.aborted) {
      const id = await callEcho(this.service?.gateway ?? '').catch(() => undefined);
      if (id !== undefined) this.calls.push({ id, endedAt: Date.now() });
      await wait(callEveryMs);
    }
  }

  /** The milliseconds of newest-10 queries one after the other. */
  private async newest(forMs: number, isOver: () => boolean): Promise<readonly number[]> {
    const times: number[] = [];
    const since = performance.now();
    while (performance.now() - since < forMs && !isOver()) {
      const startedAt = performance.now();
      const response = await fetch(`${this.service?.api ?? ''}/v1/request/query-clickhouse`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ filter: {}, limit: 10 }),
      });
      const { data } = (await response.json()) as { readonly data: readonly unknown[] };
      if (data.length !== 10) throw new Error(`newest 10 has ${data.length}`);
      times.push(performance.now() - startedAt);
      await wait(50);
    }
    return times;
  }

  private async watchMemory(isOver: () => boolean): Promise<void> {
    const known = new Map<number, string>();
    while (!isOver()) {
      const command = this.command?.pid;
      for (const pid of [...treeOf(this.service?.pid ?? 0), ...(command === undefined ? [] : [command])]) {
        try {
          const isNew = !known.has(pid);
          const name = known.get(pid) ?? (pid === command ? 'export' : roleOf(pid));
          known.set(pid, name);
          if (isNew) forgetPeak(pid);
          const { resident, peak } = memoryOf(pid);
          // An ended process has no memory.
          if (Number.isNaN(peak)) continue;
          const kept = (this.memory[name] ??= { before: resident, peak: 0 });
          kept.peak = Math.max(kept.peak, peak);
          if (name === 'core') this.coreSamples.push(resident);
        } catch {
          // The process has ended meanwhile.
        }
      }
      await wait(250);
    }
  }
}

function roleOf(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return ['core', 'gateway', 'serve'].find((role) => words.includes(role)) ?? words[0] ?? '';
}

async function callEcho(gateway: string): Promise<string | undefined> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await response.text();
  return response.status === 200 ? (response.headers.get('svc-id') ?? undefined) : undefined;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  const port = await eventually('a port', () => (server.address() as AddressInfo | null)?.port);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function fill({ dataDir, requests, made, onProgress }: ExportRunOptions): Promise<OrganizationId> {
  const organization = await fillStore(dataDir, made, (number, owner) => {
    if (number % 50_000 === 0) onProgress?.(`${number} of ${made} requests made`);
    return recordAt(number, made, owner);
  });
  if (requests > made) await copy(path.join(dataDir, storeFolder), requests / made);
  return organization;
}

/** Makes a data folder with its organisation and key, and stores this many records in it. */
export async function fillStore(
  dataDir: string,
  count: number,
  recordOf: (number: number, organization: OrganizationId) => RequestRecord,
): Promise<OrganizationId> {
  await makeStarted(dataDir);
  const organization = /^(\S+) .* default$/m.exec((await gatelog(dataDir, 'orgs', 'list')).stdout)?.[1] as OrganizationId;
  const store = openStore({ folder: path.join(dataDir, storeFolder) }, { queryTimeoutMs: 600_000, queryMemoryBytes: 4e9 });
  for (let start = 0; start < count; start += batch) {
    const numbers = Array.from({ length: Math.min(batch, count - start) }, (_, index) => start + index);
    const rows = numbers.map((number) => rowsOf(recordOf(number, organization), updatedAt));
    await store.insert(
      'bodies',
      rows.map(({ bodies }) => bodies),
      `bodies-${start}`,
    );
    await store.insert(
      'requests',
      rows.map(({ request }) => request),
      `requests-${start}`,
    );
  }
  await store.close();
  return organization;
}

/** Copies everything into the months before, as other requests. */
async function copy(folder: string, times: number): Promise<void> {
  const connections = openConnections({ folder });
  for (let number = 1; number < times; number += 1) {
    for (const table of ['bodies', 'requests']) {
      const shift = `created_at - toIntervalDay(${number * daysOfCopy}) AS created_at, request_id - bitShiftLeft(toUInt128(${number * daysOfCopy * dayMs}), 80) AS request_id`;
      const newest = `created_at > (SELECT max(created_at) - toIntervalDay(${daysOfCopy}) FROM ${table})`;
      await connections.run('insert', async (client) =>
        client.command({
          query: `INSERT INTO ${table} SELECT * REPLACE (${shift}) FROM (SELECT * FROM ${table} WHERE ${newest})`,
          clickhouse_settings: { insert_deduplication_token: `${table} copy ${number}`, max_execution_time: 1200 },
        }),
      );
    }
  }
  await connections.close();
}

function expectedIds({ requests, made }: ExportRunOptions, organization: OrganizationId): Set<string> {
  const ids = new Set<string>();
  for (let number = 0; number < made; number += 1) {
    const id = recordAt(number, made, organization).requestId;
    for (let copied = 0; copied < requests / made; copied += 1) ids.add(shifted(id, copied));
  }
  return ids;
}

function shifted(id: RequestId, copied: number): string {
  if (copied === 0) return id;
  const number = uuidToNumber(id) - (BigInt(copied * daysOfCopy * dayMs) << 80n);
  return uuidOfHex(number.toString(16).padStart(32, '0'));
}

interface Manifest {
  readonly window: { readonly end: string };
  readonly rows: number;
  readonly files: readonly { readonly name: string; readonly rows: number; readonly bytes: number }[];
}

/** @param expected emptied by what is there. @param calls when each ended, Unix milliseconds. */
async function readExport(folder: string, expected: Set<string>, calls: ReadonlyMap<string, number>) {
  const { files, rows, window } = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Manifest;
  const seen = new Set<string>();
  const result = { rows, bytes: 0, repeated: 0, missing: 0, unknown: 0, unordered: 0, callsExported: 0 };
  let last = '';
  for (const { name, bytes } of files) {
    result.bytes += bytes;
    for await (const line of createInterface({ input: createReadStream(path.join(folder, name)) })) {
      const [, id = '', time = ''] = /^\{"request_id":"([^"]+)","request_created_at":"([^"]+)"/.exec(line) ?? [];
      if (seen.has(id)) result.repeated += 1;
      seen.add(id);
      if (calls.has(id)) result.callsExported += 1;
      else if (!expected.delete(id)) result.unknown += 1;
      const key = `${time} ${id}`;
      if (key <= last) result.unordered += 1;
      last = key;
    }
  }
  if (seen.size + result.repeated !== rows) throw new Error(`the manifest says ${rows} rows, and there are ${seen.size + result.repeated}`);
  if (existsSync(path.join(folder, '.gatelog-export.json'))) throw new Error('the state of the export is still there');
  rmSync(folder, { recursive: true });
  const callsSkipped = [...calls].filter(([id, endedAt]) => endedAt < Date.parse(window.end) && !seen.has(id)).length;
  return { ...result, missing: expected.size, callsSkipped };
}
