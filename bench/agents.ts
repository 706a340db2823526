import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { TrafficJob, TrafficResult } from './agents/traffic.ts';
import { markdownTable, shown } from './gateway/markdown.ts';
import { settledStoredCount } from './gateway/stored-count.ts';
import { describeMachine } from './measure/machine.ts';
import { nextMessage, OwnedProcesses } from './measure/owned-processes.ts';
import { processTree, residentBytes } from './measure/process-table.ts';
import { type GatelogCandidate, startGatelog } from './peers/candidate.ts';

const helpText = `Measures how much of a coding agent's traffic one gateway and one core take: turns of 200 KB to 1 MB, of which nine tenths repeat
the conversation, until all is stored and found.

Usage: npm run bench -- agents [options]

  --builds a,b        folders of builds, measured in turn (default: this one); --builds .,../before compares with another clone
  --conversations N   at a time (default 40)
  --seconds N         of traffic (default 60)
  --rounds N          (default 1)
  --help              this text

Beside it small calls come twenty times a second, in turn through the gateway and straight to the provider. All on one machine: the provider and
the agents have processes of their own. Linux only.`;

interface Round {
  readonly build: string;
  readonly result: TrafficResult;
  /** From the first call until every record is found. */
  readonly storedMs: number;
  readonly cpuMs: Readonly<Record<'gateway' | 'core', number>>;
  readonly peakBytes: Readonly<Record<'gateway' | 'core', number>>;
}

const { values } = parseArgs({
  options: {
    builds: { type: 'string', default: '.' },
    conversations: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(helpText);
else await main();

async function main(): Promise<void> {
  const machine = describeMachine(resolve('.'));
  const rounds: Round[] = [];
  const builds = values.builds.split(',');
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const build of round % 2 === 0 ? builds : builds.toReversed()) rounds.push(await measure(build));
  }
  const { cpuModel, cores, memoryGiB, kernel, nodeVersion, commit, loadBefore } = machine;
  console.log(
    `${cpuModel}, ${cores} cores, ${memoryGiB} GiB, ${kernel}, Node ${nodeVersion}; commit ${commit}; load beforehand ${loadBefore.toFixed(2)}`,
  );
  console.log(rowsOf(rounds).join('\n'));
}

async function measure(build: string): Promise<Round> {
  const processes = new OwnedProcesses();
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'gatelog-agents-'));
  try {
    const provider = await processes.forkListening('./load/fake-provider', import.meta.url, []);
    const candidate = await startGatelog({
      processes,
      projectFolder: resolve(build),
      temporaryFolder,
      provider: { port: provider.port, pid: provider.child.pid ?? 0 },
    });
    await run(processes, { candidate, providerPort: provider.port, conversations: 0, seconds: 3 });
    const before = await settledStoredCount(candidate, Infinity);
    const cpuBefore = cpuOf(candidate);
    const startedAt = performance.now();
    const given = { candidate, providerPort: provider.port, conversations: Number(values.conversations), seconds: Number(values.seconds) };
    const result = await run(processes, given);
    const expected = (before ?? 0) + result.turns + result.smallCalls;
    const found = await settledStoredCount(candidate, expected);
    if (found !== expected) throw new Error(`${build}: ${found} of ${expected} records are stored.`);
    const storedMs = performance.now() - startedAt;
    const cpu = cpuOf(candidate);
    console.error(`${build}: ${(result.bytes / storedMs / 1000).toFixed(1)} MB/s`);
    return {
      build,
      result,
      storedMs,
      cpuMs: { gateway: cpu.gateway - cpuBefore.gateway, core: cpu.core - cpuBefore.core },
      peakBytes: peakOf(candidate),
    };
  } finally {
    await processes.stopAll();
    rmSync(temporaryFolder, { recursive: true, force: true });
  }
}

interface Given {
  readonly candidate: GatelogCandidate;
  readonly providerPort: number;
  readonly conversations: number;
  readonly seconds: number;
}

async function run(processes: OwnedProcesses, { candidate, providerPort, conversations, seconds }: Given): Promise<TrafficResult> {
  const child = processes.fork('./agents/traffic', import.meta.url, []);
  const job: TrafficJob = { gatewayPort: candidate.port, providerPort, headers: candidate.headers, conversations, seconds };
  child.send(job);
  const result = (await nextMessage(child, (seconds + 120) * 1000)) as TrafficResult;
  await processes.stop(child);
  return result;
}

function cpuOf(candidate: GatelogCandidate): Record<'gateway' | 'core', number> {
  const tree = processTree(candidate.rootPid);
  const of = (pids: readonly number[]): number => tree.filter(({ pid }) => pids.includes(pid)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  return { gateway: of(candidate.workerPids()), core: of([candidate.corePid()]) };
}

function peakOf(candidate: GatelogCandidate): Record<'gateway' | 'core', number> {
  return { gateway: greatestOf(candidate.workerPids()), core: greatestOf([candidate.corePid()]) };
}

function greatestOf(pids: readonly number[]): number {
  return Math.max(...pids.map((pid) => residentBytes(pid)?.peak ?? 0));
}

function rowsOf(rounds: readonly Round[]): readonly string[] {
  const head = [
    'build',
    'turns',
    'MB',
    'failed',
    'MB/s until stored',
    'gateway, ms/MB',
    'core, ms/MB',
    'gateway, MB',
    'core, MB',
    'small p50/p99, ms',
    'direct p50/p99, ms',
  ];
  return markdownTable(
    head,
    rounds.map(({ build, result, storedMs, cpuMs, peakBytes }) => {
      const mb = result.bytes / 1e6;
      return [
        build,
        String(result.turns),
        shown(mb, 0),
        String(result.failures.length),
        shown(mb / (storedMs / 1000), 1),
        shown(cpuMs.gateway / mb, 1),
        shown(cpuMs.core / mb, 1),
        shown(peakBytes.gateway / 1e6, 0),
        shown(peakBytes.core / 1e6, 0),
        timesOf(result.small.gateway),
        timesOf(result.small.direct),
      ];
    }),
  );
}

function timesOf(ms: readonly number[]): string {
  const sorted = ms.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1);
  return `${at(0.5)} / ${at(0.99)}`;
}
