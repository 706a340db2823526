import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMachine } from './measure/machine.ts';
import { OwnedProcesses } from './measure/owned-processes.ts';
import { aimsOf, renderAims } from './storage/aims.ts';
import { measureRound, type Round } from './storage/measure.ts';
import { helpText, parseOptions, type StorageOptions } from './storage/options.ts';
import { renderScenario } from './storage/report.ts';
import { type Scenario, scenarios } from './storage/traffic/scenarios.ts';

/** Compares the size of the store for the same traffic by two schemas, and the speed of inserts and reads. `--help` lists the options. */

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function measureScenario(
  processes: OwnedProcesses,
  scenario: Scenario,
  { calls, scale, rounds, batchRows }: StorageOptions,
): Promise<readonly Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'gatelog-bench-storage-'));
    try {
      const recorded = Math.max(1, Math.round(scenario.calls * scale));
      measured.push(await measureRound({ processes, folder, scenario, calls: recorded, batchRows, questionCalls: calls, progress }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return measured;
}

async function run(options: StorageOptions): Promise<void> {
  const machine = describeMachine(process.cwd());
  const processes = new OwnedProcesses();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void processes.stopAll().then(() => process.exit(130)));
  try {
    const measured: (readonly Round[])[] = [];
    for (const scenario of scenarios.filter(({ name }) => options.only.includes(name))) {
      measured.push(await measureScenario(processes, scenario, options));
    }
    const aims = measured.flatMap(aimsOf);
    const lines = [
      `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
      `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
      `scale ${options.scale}, rounds: ${options.rounds}, ${options.calls} calls of each question and side; MB are 1,000,000 bytes`,
      '',
      ...measured.flatMap(renderScenario),
      ...renderAims(aims),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    if (aims.some(({ isReached }) => !isReached)) process.exitCode = 1;
  } finally {
    await processes.stopAll();
  }
}

async function main(): Promise<void> {
  let options: StorageOptions | null;
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
