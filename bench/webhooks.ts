import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LatencyHistogram } from './load/latency-histogram.ts';
import { describeMachine } from './measure/machine.ts';
import { processCpuMs, processTree, residentBytes } from './measure/process-table.ts';
import { type RunningService, startOn } from './rest/measured-start.ts';
import { type Manner, type Receivers, startReceivers } from './webhooks/receivers.ts';
import { type Moment, renderWebhooks, type SceneResult } from './webhooks/report.ts';

/** Measures how soon events reach a webhook, beside others that do not take them. */

const helpText = `Measures the time from the end of a response to its event at a webhook, beside webhooks that do not take theirs.

Usage: npm run bench -- webhooks [options]

  --minutes N    length of each scene (default 3)
  --rate N       calls a minute (default 10000)
  --help         this text

Scenes: no webhook; a fast destination alone; the fast one beside a slow one (a second an event), one that refuses (500), and one that never
answers. Memory, processor time and the size of events.db are read twice a minute. Linux only.`;

interface Scene {
  readonly name: string;
  readonly manners: readonly Manner[];
}

const scenes: readonly Scene[] = [
  { name: 'none', manners: [] },
  { name: 'fast', manners: ['fast'] },
  { name: 'fast, slow, dead', manners: ['fast', 'slow', 'refusing', 'silent'] },
];

const sampleMs = 30_000;
/** How long events may take to arrive after the last call. */
const settleMs = 30_000;
const warmUpSeconds = 10;

interface Given {
  readonly minutes: number;
  readonly rate: number;
}

/** Ends of responses, by request, until their events have come. */
class Delays {
  private readonly ended = new Map<string, number>();
  private readonly early = new Map<string, number>();
  private readonly histogram = new LatencyHistogram();
  private isMeasuring = false;

  measure(): void {
    this.isMeasuring = true;
  }

  responded(requestId: string): void {
    const endedAt = performance.now();
    const cameAt = this.early.get(requestId);
    if (cameAt === undefined) this.ended.set(requestId, endedAt);
    else this.came(requestId, 0);
  }

  received(requestId: string): void {
    const endedAt = this.ended.get(requestId);
    if (endedAt === undefined) this.early.set(requestId, performance.now());
    else this.came(requestId, performance.now() - endedAt);
  }

  get missing(): number {
    return this.ended.size;
  }

  summary() {
    return this.histogram.summary();
  }

  private came(requestId: string, delayMs: number): void {
    this.ended.delete(requestId);
    this.early.delete(requestId);
    if (this.isMeasuring) this.histogram.record(delayMs);
  }
}

/** Calls at a steady rate. */
async function callFor(
  { gatewayUrl, apiKey }: RunningService,
  seconds: number,
  { rate }: Given,
  onEnd: (id: string) => void,
): Promise<void> {
  const calls: Promise<void>[] = [];
  const startedAt = performance.now();
  const perSecond = rate / 60;
  for (let index = 0; index < seconds * perSecond; index += 1) {
    const waitMs = startedAt + (1000 * index) / perSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    const call = async (): Promise<void> => {
      const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', 'Svc-Property-Team': `team-${index % 50}` },
        body: JSON.stringify({ model: 'echo/words', messages: [{ role: 'user', content: `What is the answer to question ${index}?` }] }),
      });
      await response.arrayBuffer();
      onEnd(response.headers.get('svc-id') ?? '');
    };
    calls.push(call());
  }
  await Promise.all(calls);
}

async function createWebhook({ apiUrl, apiKey }: RunningService, destination: string): Promise<string> {
  const response = await fetch(`${apiUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ destination }),
  });
  const answer = (await response.json()) as { readonly data: { readonly id: string } | null; readonly error: string | null };
  if (answer.data === null) throw new Error(`A webhook could not be created: ${answer.error}`);
  return answer.data.id;
}

function eventsBytes(dataFolder: string): number {
  return ['events.db', 'events.db-wal'].reduce(
    (sum, name) => sum + (statSync(join(dataFolder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/** Reads the state of the core twice a minute until `ended`. */
async function watchCore(
  service: RunningService,
  dataFolder: string,
  counts: () => Pick<Moment, 'calls' | 'fast' | 'slow'>,
  ended: AbortSignal,
) {
  const core = processTree(service.pid).find(({ command }) => command.includes('core'))?.pid ?? 0;
  const moments: Moment[] = [];
  const startedAt = performance.now();
  let [before, since] = [processCpuMs(core), startedAt];
  while (!ended.aborted) {
    await sleep(sampleMs, undefined, { signal: ended }).catch(() => undefined);
    const [cpu, now] = [processCpuMs(core), performance.now()];
    moments.push({
      atSeconds: (now - startedAt) / 1000,
      residentBytes: residentBytes(core)?.now ?? 0,
      eventsBytes: eventsBytes(dataFolder),
      coreMs: (cpu - before) / ((now - since) / 1000),
      ...counts(),
    });
    [before, since] = [cpu, now];
  }
  return moments;
}

async function measure(scene: Scene, given: Given, temporaryFolder: string): Promise<SceneResult> {
  const dataFolder = mkdtempSync(join(temporaryFolder, 'data-'));
  const delays = new Delays();
  const receivers: Receivers = await startReceivers((id) => delays.received(id));
  const environment = { GATELOG_TARGET_ALLOWLIST: '127.0.0.1' };
  const service = await startOn(dataFolder, { projectFolder: process.cwd(), temporaryFolder, nodeFile: process.execPath, environment });
  try {
    const hasFast = scene.manners.includes('fast');
    let calls = 0;
    const onEnd = (id: string): void => {
      calls += 1;
      if (hasFast) delays.responded(id);
    };
    for (const manner of scene.manners) await createWebhook(service, receivers.origins[manner]);
    await callFor(service, warmUpSeconds, given, onEnd);
    delays.measure();
    const ended = new AbortController();
    const watching = watchCore(
      service,
      dataFolder,
      () => ({ calls, fast: receivers.counts.fast, slow: receivers.counts.slow }),
      ended.signal,
    );
    await callFor(service, given.minutes * 60, given, onEnd);
    for (let waitedMs = 0; delays.missing > 0 && waitedMs < settleMs; waitedMs += 100) await sleep(100);
    ended.abort();
    const moments = await watching;
    return {
      name: scene.name,
      callsPerMinute: given.rate,
      moments,
      delay: hasFast ? delays.summary() : undefined,
      missing: delays.missing,
    };
  } finally {
    receivers.close();
    await service.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** @returns undefined when help is requested. @throws with a sentence when an option is unknown or out of bounds. */
function parseOptions(): Given | undefined {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '3' },
      rate: { type: 'string', default: '10000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const within = (name: 'minutes' | 'rate', most: number): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`--${name} is a whole number from 1 to ${most}.`);
    return value;
  };
  return { minutes: within('minutes', 120), rate: within('rate', 60_000) };
}

async function main(): Promise<void> {
  const given = parseOptions();
  if (given === undefined) {
    process.stdout.write(`${helpText}\n`);
    return;
  }
  const machine = describeMachine(process.cwd());
  const folder = mkdtempSync(join(tmpdir(), 'gatelog-bench-webhooks-'));
  mkdirSync(folder, { recursive: true });
  try {
    const results: SceneResult[] = [];
    for (const scene of scenes) {
      results.push(await measure(scene, given, folder));
      process.stderr.write(`measured: ${scene.name}\n`);
    }
    process.stdout.write(`${renderWebhooks({ machine, scenes: results })}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
});
