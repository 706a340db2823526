import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { JobItem } from '../src/contract/jobs/job.ts';
import { type ApiClient, apiClient } from '../test/support/api.ts';
import { fillStore, makeOrganization } from '../test/support/bulk-store.ts';
import { killStarted, makeDataDir, removeDataDir, type Service, startService, testKey } from '../test/support/process-tree.ts';
import { untilQuiet } from './gateway/quiet.ts';
import { describeMachine } from './measure/machine.ts';
import { recordAt } from './query/records.ts';

/** Measures bulk changes, and what queries notice of them. */

const helpText = `Measures a bulk change and its undo on a service of its own, and the newest ten requests beside it.

Usage: npm run bench -- bulk [options]

  --requests N  requests that are changed (default 100000)
  --others N    requests of the same organisation that are not (default 200000)
  --help        this text

Build the program first (npm run build). Queries are sent one after the other with pauses of 20 ms, for ten seconds before the change and as long as it
runs. Exit code 0: the change took at most 60 s, and the p95 of the newest ten stayed under twice its idle value; 1: it did not, or it failed.`;

const idleMs = 10_000;
const pauseMs = 20;
const maxSeconds = 60;

interface Given {
  readonly requests: number;
  readonly others: number;
}

const newest = { filter: 'all', limit: 10 };

/** Milliseconds of one query of the newest ten, read whole. */
async function timeOfNewest(api: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${api}/v1/request/query-clickhouse`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(newest),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`A query was answered ${response.status}.`);
  return performance.now() - began;
}

/** Queries until `isOver`. */
async function queryUntil(api: string, isOver: () => boolean): Promise<readonly number[]> {
  const times: number[] = [];
  while (!isOver()) {
    times.push(await timeOfNewest(api));
    await wait(pauseMs);
  }
  return times;
}

function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

interface Phase {
  readonly name: string;
  readonly seconds: number | undefined;
  readonly times: readonly number[];
}

async function runJob(
  service: Service,
  api: ApiClient,
  name: string,
  order: () => Promise<string>,
): Promise<Phase & { readonly id: string }> {
  await untilQuiet([service.pid]);
  let job: JobItem | undefined;
  const id = await order();
  const watch = (async () => {
    for (;;) {
      job = (await api.call<JobItem>('GET', `/v1/jobs/${id}`)).body.data;
      if (job.ended_at !== null) return;
      await wait(200);
    }
  })();
  const times = await queryUntil(service.api, () => job !== undefined && job.ended_at !== null);
  await watch;
  if (job?.state !== 'done' || job.changed !== job.total) throw new Error(`The job ended otherwise: ${JSON.stringify(job)}`);
  const seconds = (Date.parse(job.ended_at ?? '') - Date.parse(job.started_at ?? '')) / 1000;
  return { name: `${name} of ${job.total} requests`, seconds, times, id };
}

async function measure({ requests, others }: Given, dataDir: string): Promise<readonly Phase[]> {
  const organization = await makeOrganization(dataDir);
  const total = requests + others;
  const every = total / requests;
  // The changed requests are spread over all of them.
  await fillStore(dataDir, total, (number) => ({
    ...recordAt(number, total, organization),
    jobId: Math.floor((number + 1) / every) > Math.floor(number / every) ? 'changed' : 'other',
  }));
  const service = await startService({ dataDir });
  const api = apiClient(service.api);
  await untilQuiet([service.pid]);
  await queryUntil(service.api, overAfter(1000));
  await untilQuiet([service.pid]);
  const idle: Phase = { name: 'idle', seconds: undefined, times: await queryUntil(service.api, overAfter(idleMs)) };
  const filter = { request_response_rmt: { job_id: { equals: 'changed' } } };
  const changed = await runJob(service, api, 'change', async () => {
    const body = { filter, set: { Team: 'merged', Reviewed: 'yes' }, remove: ['Environment'], dryRun: false };
    return (await api.call<JobItem>('POST', '/v1/request/property', body)).body.data.job_id;
  });
  const undone = await runJob(
    service,
    api,
    'undo',
    async () => (await api.call<JobItem>('POST', `/v1/jobs/${changed.id}/undo`)).body.data.job_id,
  );
  await untilQuiet([service.pid]);
  const after: Phase = { name: 'idle again', seconds: undefined, times: await queryUntil(service.api, overAfter(idleMs)) };
  await service.stop();
  return [idle, changed, undone, after];
}

function overAfter(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() > end;
}

const shown = (value: number): string => value.toFixed(1);

async function run(given: Given): Promise<void> {
  const machine = describeMachine(process.cwd());
  const dataDir = makeDataDir();
  process.once('exit', killStarted);
  process.once('SIGINT', () => process.exit(130));
  try {
    const phases = await measure(given, dataDir);
    const lines = [
      `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
      `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
      '',
      '| newest 10 during | queries | p50 ms | p95 ms | p99 ms | max ms | took s |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
      ...phases.map(({ name, seconds, times }) => {
        const shares = [0.5, 0.95, 0.99, 1].map((share) => shown(percentile(times, share))).join(' | ');
        return `| ${name} | ${times.length} | ${shares} | ${seconds === undefined ? '–' : shown(seconds)} |`;
      }),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    const idle = percentile(phases[0]?.times ?? [], 0.95);
    const isOver = phases.some(({ seconds, times }) => (seconds ?? 0) > maxSeconds || percentile(times, 0.95) >= 2 * idle);
    if (isOver) process.exitCode = 1;
  } finally {
    killStarted();
    removeDataDir(dataDir);
  }
}

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    others: { type: 'string', default: '200000' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(`${helpText}\n`);
else await run({ requests: Number(values.requests), others: Number(values.others) });
