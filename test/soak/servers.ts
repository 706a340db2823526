/**
 * `npm run soak -- servers [minutes] [--seed n] [--rate n]`: lets two ClickHouse replicas fail in every way that they can, in turn and by
 * chance, for this many minutes (30 by default) under load (300 calls a second by default) with changes. The replicas are two addresses over
 * one engine behind the HTTP interface of a server (`src/store/testing/clickhouse-front.mjs`). No model call may fail, nothing may be lost or
 * doubled, no acknowledged change may be missing, and the service must go on without a restart. Progress goes to stderr; the last lines, on
 * stdout, show the result. The exit code is 1 when any of this is violated.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Fault, startFront } from '../../src/store/testing/store-location.ts';
import { eventually } from '../support/eventually.ts';
import { countFindings, judge, listsOf } from '../support/kill-verdict.ts';
import { startLoad } from '../support/load.ts';
import { startLoadProvider } from '../support/load-provider.ts';
import { inMegabytes, memoryOf } from '../support/process-memory.ts';
import { childrenNamed, killStarted, makeDataDir, removeDataDir, startService } from '../support/process-tree.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { readCount } from '../support/stored-records.ts';

interface Trouble {
  readonly name: string;
  /** Of each replica. */
  readonly faults: readonly (readonly Fault[])[];
}

const insert = 'INSERT INTO';
const change = '^UPDATE';
const both = (...faults: readonly Fault[]): Trouble['faults'] => [faults, faults];

/** Other work has it. */
const outOfMemory = { code: 241, type: 'MEMORY_LIMIT_EXCEEDED', says: '(total) memory limit exceeded: would use 8.00 GiB.' } as const;

/** What servers do to those who store in them. */
const troubles: readonly Trouble[] = [
  { name: 'both are away', faults: both({ kind: 'away' }) },
  { name: 'the first is away', faults: [[{ kind: 'away' }], []] },
  { name: 'the second is away', faults: [[], [{ kind: 'away' }]] },
  { name: 'every statement takes two seconds', faults: both({ kind: 'slow', delayMs: 2000 }) },
  { name: 'inserts lose their answers', faults: both({ kind: 'lost answer', match: insert }) },
  { name: 'some inserts lose their answers', faults: both({ kind: 'lost answer', match: insert, times: 3 }) },
  { name: 'changes lose their answers', faults: both({ kind: 'lost answer', match: change, times: 5 }) },
  { name: 'answers are cut', faults: both({ kind: 'cut' }) },
  { name: 'answers end with an exception', faults: both({ kind: 'late exception', ...outOfMemory, times: 200 }) },
  { name: 'there are too many parts', faults: both({ kind: 'exception', match: insert, code: 252, type: 'TOO_MANY_PARTS' }) },
  {
    name: 'tables are read-only',
    faults: both({ kind: 'exception', match: `${insert}|${change}`, code: 242, type: 'TABLE_IS_READ_ONLY' }),
  },
  { name: 'a quota is used up', faults: both({ kind: 'exception', code: 201, type: 'QUOTA_EXCEEDED' }) },
  { name: 'too many queries run', faults: both({ kind: 'exception', code: 202, type: 'TOO_MANY_SIMULTANEOUS_QUERIES' }) },
  { name: 'Keeper is away', faults: both({ kind: 'exception', match: insert, code: 999, type: 'KEEPER_EXCEPTION' }) },
];

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, rate: { type: 'string' } },
});
const minutes = Number(positionals[0] ?? 30);
const callsPerSecond = Number(given.rate ?? 300);
const seed = Number(given.seed ?? Date.now() % 2 ** 31);
const dice = new SeededRandom(seed);
const dataDir = makeDataDir();
const troubleMs = { least: 5000, most: 25_000 } as const;
const restMs = 10_000;
const warmMs = 30_000;
const catchUpMs = 600_000;
const roles = ['gateway', 'core'] as const;
/** Workers do not use the store; the core keeps the position of each waiting call. */
const maxGrowthBytes = { gateway: 48e6, core: 256e6 } as const;

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

const storeFolder = path.join(dataDir, 'servers');
mkdirSync(storeFolder);
const front = await startFront(storeFolder, { replicas: 2 });
const provider = await startLoadProvider();
try {
  console.error(`seed ${seed}`);
  const service = await startService({
    dataDir: path.join(dataDir, 'data'),
    environment: {
      GATELOG_CLICKHOUSE_URL: front.urls.join(','),
      GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
      GATELOG_LOG_LEVEL: 'silent',
    },
  });
  const load = startLoad({ ...service, callsPerSecond, updateEvery: 25, random: dice });
  await wait(warmMs);
  const before = peaks(service.pid);
  const endAt = performance.now() + minutes * 60_000;
  const seen = new Map<string, number>();
  let atMost = before;
  for (let round = 0; performance.now() < endAt; round += 1) {
    // Each in its turn first, then by chance.
    const trouble = troubles[round < troubles.length ? round : dice.below(troubles.length)];
    if (trouble === undefined) break;
    console.error(trouble.name);
    seen.set(trouble.name, (seen.get(trouble.name) ?? 0) + 1);
    await setFaults(trouble.faults);
    await wait(troubleMs.least + dice.below(troubleMs.most - troubleMs.least));
    await setFaults([[], []]);
    await wait(restMs);
    const now = peaks(service.pid);
    atMost = { gateway: Math.max(atMost.gateway, now.gateway), core: Math.max(atMost.core, now.core) };
  }
  const wanted = load.calls.filter(({ complete }) => complete).length;
  const backAt = performance.now();
  await eventually('all to be stored', async () => ((await readCount(service.api)) ?? 0) >= wanted || undefined, catchUpMs);
  const caughtUpSeconds = (performance.now() - backAt) / 1000;
  await load.stop();
  const verdict = await judge(service.api, load.calls, load.updates);
  const { code } = await service.stop();
  const failed = load.calls.filter(({ complete, status, recorded }) => !complete || status !== 200 || !recorded);
  console.log(
    `seed ${seed}: ${minutes} minutes at ${callsPerSecond} calls/s; ${[...seen].map(([name, times]) => `${name} ${times}`).join(', ')}`,
  );
  console.log(`failed calls ${failed.length}; all stored ${caughtUpSeconds.toFixed(1)} s after the last trouble, under the same load`);
  for (const role of roles) console.log(`${role}: ${inMegabytes(before[role])} at first, ${inMegabytes(atMost[role])} at most`);
  console.log(`${verdict.responses} complete responses, ${verdict.records} records, ${verdict.acknowledgedUpdates} changes acknowledged`);
  console.log(
    listsOf(verdict.findings)
      .map(([what, found]) => `${what} ${found.length}`)
      .join(', '),
  );
  for (const [what, found] of listsOf(verdict.findings)) for (const sentence of found.slice(0, 5)) console.log(`  ${what}: ${sentence}`);
  const hasGrown = roles.some((role) => atMost[role] - before[role] > maxGrowthBytes[role]);
  process.exitCode = failed.length + countFindings(verdict.findings) === 0 && !hasGrown && code === 0 ? 0 : 1;
} finally {
  await provider.close();
  await front.close();
  removeDataDir(dataDir);
}

async function setFaults(faults: Trouble['faults']): Promise<void> {
  await Promise.all(faults.map((ofReplica, replica) => front.setFaults(ofReplica, replica)));
}

/** Resident memory of the largest process of each kind. */
function peaks(pid: number): Readonly<Record<'gateway' | 'core', number>> {
  const of = (role: string): number => Math.max(0, ...childrenNamed(pid, role).map((one) => memoryOf(one).resident));
  return { gateway: of('gateway'), core: of('core') };
}
