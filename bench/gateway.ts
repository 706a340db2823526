import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { helpText, parseOptions, type BenchOptions } from './gateway/options.ts';
import { PhaseRunner, phaseNames, type PhaseName, type PhaseResult, type SettledPhaseResult } from './gateway/phases.ts';
import { treesCpuMs, untilQuiet } from './gateway/quiet.ts';
import { countErrors, renderReport, type BenchResult, type RoundResult } from './gateway/report.ts';
import { settledStoredCount } from './gateway/stored-count.ts';
import { describeMachine } from './measure/machine.ts';
import { OwnedProcesses } from './measure/owned-processes.ts';
import { startCandidate, type Candidate, type GatelogCandidate, type Surroundings } from './peers/candidate.ts';

/** What throughput, latency and CPU gateways cost, measured side by side. `--help` tells how to ask. */

/** A load from which on numbers are doubtful. */
const busyLoad = 0.5;

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function measureAll(options: BenchOptions, surroundings: Surroundings): Promise<BenchResult> {
  const machine = describeMachine(surroundings.projectFolder);
  if (machine.loadBefore > busyLoad) progress(`the machine is busy with something else (load ${machine.loadBefore.toFixed(2)})`);
  const candidates: Candidate[] = [];
  for (const name of options.candidates) {
    progress(`starting ${name}`);
    candidates.push(await startCandidate(name, surroundings));
  }
  const runner = new PhaseRunner(surroundings.processes.fork('./load/load-generator', import.meta.url, []), options);
  for (const candidate of candidates) {
    progress(`warming up ${candidate.name}`);
    await runner.warmUp(candidate);
  }
  const rounds: RoundResult[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const candidate of rotated(candidates, round - 1)) rounds.push(await measureCandidate(candidate, { round, runner, candidates }));
  }
  return { machine, options, rounds, storedCheck: await checkStored(options, candidates, runner) };
}

interface RoundContext {
  readonly round: number;
  readonly runner: PhaseRunner;
  readonly candidates: readonly Candidate[];
}

async function measureCandidate(candidate: Candidate, context: RoundContext): Promise<RoundResult> {
  await settle(context.candidates);
  const results: Partial<Record<PhaseName, SettledPhaseResult>> = {};
  for (const name of phaseNames) {
    const result = await measurePhase(candidate, name, context);
    results[name] = result;
    progress(`round ${context.round}  ${candidate.name.padEnd(8)} ${name.padEnd(12)} ${describe(result)}`);
  }
  return { round: context.round, candidate: candidate.name, phases: complete(results) };
}

async function measurePhase(candidate: Candidate, name: PhaseName, { runner, candidates }: RoundContext): Promise<SettledPhaseResult> {
  const [cpuBeforeMs, repliesBefore] = [treesCpuMs([candidate.rootPid]), runner.repliesOf(candidate)];
  const result = await runner.measure(candidate, name);
  await settle(candidates);
  const cpuMs = treesCpuMs([candidate.rootPid]) - cpuBeforeMs;
  return { ...result, allProcessesPerRequestMicros: (cpuMs * 1000) / (runner.repliesOf(candidate) - repliesBefore) };
}

function complete(results: Partial<Record<PhaseName, SettledPhaseResult>>): Record<PhaseName, SettledPhaseResult> {
  const { 'json-many': jsonMany, 'json-one': jsonOne, 'stream-one': streamOne, 'stream-many': streamMany } = results;
  if (!jsonMany || !jsonOne || !streamOne || !streamMany) throw new Error('A phase was not measured.');
  return { 'json-many': jsonMany, 'json-one': jsonOne, 'stream-one': streamOne, 'stream-many': streamMany };
}

async function settle(candidates: readonly Candidate[]): Promise<void> {
  if (!(await untilQuiet(candidates.map(({ rootPid }) => rootPid)))) progress('a candidate is still at work after two minutes; going on');
}

function describe({ requestsPerSecond, cpuPerRequestMicros, whole, errors }: PhaseResult): string {
  const failed = errors === 0 ? '' : `  ${errors} ERRORS`;
  return `${requestsPerSecond.toFixed(0)}/s  ${cpuPerRequestMicros.toFixed(1)} µs CPU  p50 ${whole.p50Micros.toFixed(0)} µs${failed}`;
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

async function checkStored(options: BenchOptions, candidates: readonly Candidate[], runner: PhaseRunner): Promise<string> {
  const gatelog = candidates.find((candidate): candidate is GatelogCandidate => 'apiUrl' in candidate);
  if (gatelog === undefined || !options.checkStored) return 'Stored records: not checked.';
  const replies = runner.repliesOf(gatelog);
  progress(`waiting for ${replies} records`);
  const stored = await settledStoredCount(gatelog, replies);
  if (stored === null) return 'Stored records: not checked (the API did not tell their number).';
  return `Stored records: ${stored}, replies with status 200: ${replies}${stored === replies ? '.' : ' — THEY DIFFER.'}`;
}

/** The nearest folder, from the working one upwards, that is this project. */
function findProjectFolder(): string {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === 'gatelog') return folder;
    } catch {
      // No manifest here: look further up.
    }
    if (folder === dirname(folder)) throw new Error('Run this inside the project folder.');
  }
}

async function run(options: BenchOptions): Promise<void> {
  const projectFolder = findProjectFolder();
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'gatelog-bench-'));
  const processes = new OwnedProcesses();
  const cleanUp = async (): Promise<void> => {
    await processes.stopAll();
    rmSync(temporaryFolder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cleanUp().then(() => process.exit(130)));
  try {
    const { child, port } = await processes.forkListening('./load/fake-provider', import.meta.url, []);
    const result = await measureAll(options, { processes, projectFolder, temporaryFolder, provider: { port, pid: child.pid ?? 0 } });
    process.stdout.write(`${renderReport(result)}\n`);
    if (options.jsonFile !== null) writeFileSync(resolve(options.jsonFile), `${JSON.stringify(result, null, 2)}\n`);
    if (countErrors(result.rounds) > 0 || result.storedCheck.includes('DIFFER')) process.exitCode = 1;
  } finally {
    await cleanUp();
  }
}

async function main(): Promise<void> {
  let options: BenchOptions | null;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (cause) {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\nTry --help.\n`);
    process.exitCode = 2;
    return;
  }
  if (options === null) process.stdout.write(`${helpText}\n`);
  else await run(options);
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
});
