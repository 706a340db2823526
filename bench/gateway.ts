import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { measureCalls } from './gateway/calls.ts';
import { LoadDriver } from './gateway/load-driver.ts';
import { measureMemory } from './gateway/memory.ts';
import { helpText, parseOptions, type BenchOptions, type PartName } from './gateway/options.ts';
import type { PartContext } from './gateway/part.ts';
import { renderReport } from './gateway/report.ts';
import { type BenchResult, failuresIn } from './gateway/result.ts';
import { measureStreams } from './gateway/streams.ts';
import { measureSustained } from './gateway/sustained.ts';
import { measureWorkers } from './gateway/workers.ts';
import { describeMachine } from './measure/machine.ts';
import { OwnedProcesses } from './measure/owned-processes.ts';
import type { Surroundings } from './peers/candidate.ts';

/** Measures throughput, latency, CPU and memory of gateways side by side. `--help` lists the options. */

/** Above this load of the machine, numbers are doubtful. */
const busyLoad = 0.5;

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function measureAll(options: BenchOptions, surroundings: Surroundings): Promise<BenchResult> {
  const machine = describeMachine(surroundings.projectFolder);
  if (machine.loadBefore > busyLoad) progress(`the machine is busy with something else (load ${machine.loadBefore.toFixed(2)})`);
  const driver = new LoadDriver(surroundings.processes.fork('./load/load-generator', import.meta.url, []));
  const context: PartContext = { options, surroundings, driver, progress };
  const part = async <Result>(name: PartName, measure: (context: PartContext) => Promise<Result>): Promise<Result | null> => {
    if (!options.parts.includes(name)) return null;
    progress(`-- ${name}`);
    return measure(context);
  };
  return {
    machine,
    options,
    calls: await part('calls', measureCalls),
    streams: await part('streams', measureStreams),
    sustained: await part('sustained', measureSustained),
    workers: await part('workers', measureWorkers),
    memory: await part('memory', measureMemory),
  };
}

/** The nearest folder, from the working directory upwards, that contains this project. */
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
    const result = await measureAll(options, {
      processes,
      projectFolder,
      folderBefore: options.folderBefore === null ? undefined : resolve(options.folderBefore),
      temporaryFolder,
      provider: { port, pid: child.pid ?? 0 },
    });
    process.stdout.write(`${renderReport(result)}\n`);
    if (options.jsonFile !== null) writeFileSync(resolve(options.jsonFile), `${JSON.stringify(result, null, 2)}\n`);
    if (failuresIn(result).length > 0 || result.calls?.storedCheck.includes('DIFFER') === true) process.exitCode = 1;
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
