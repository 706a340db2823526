import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chatLoad, LoadDriver } from './gateway/load-driver.ts';
import { untilQuiet } from './gateway/quiet.ts';
import { settledStoredCount } from './gateway/stored-count.ts';
import { describeMachine } from './measure/machine.ts';
import { OwnedProcesses } from './measure/owned-processes.ts';
import { processCpuMs, residentBytes } from './measure/process-table.ts';
import { type GatelogCandidate, startGatelog } from './peers/candidate.ts';
import { Batches } from './spans/batches.ts';
import { type ExportResult, runExporters } from './spans/exporters.ts';
import { renderSpans, type Round } from './spans/report.ts';

/** Measures how many spans of OpenTelemetry a worker takes, and what calls through the same worker notice of them. */

const helpText = `Measures spans a second that one gateway worker takes, beside calls through it, on a service of its own.

Usage: npm run bench -- ingest-otlp [options]

  --rounds N           measured rounds (default 3), after a short one that is thrown away
  --seconds N          seconds of each phase (default 10)
  --exporters N        exporters at once, each over its own connection (default 2)
  --spans N            spans in a request (default 512, what an exporter sends at most unless told otherwise)
  --prompt-bytes N     bytes of each prompt (default 2000)
  --calls-per-second N calls through the gateway beside the spans (default 200)
  --spans-per-second N spans beside the calls (default 2000)
  --help               this text

Each round measures calls alone, spans alone as fast as they are answered, and both at their rates. At the end every span is to be on record once.
Exit code 0: measured; 1: it failed, a request failed, or the records differ.`;

interface Given {
  readonly rounds: number;
  readonly seconds: number;
  readonly exporters: number;
  readonly spans: number;
  readonly promptBytes: number;
  readonly callsPerSecond: number;
  readonly spansPerSecond: number;
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

interface Bench {
  readonly service: GatelogCandidate;
  readonly driver: LoadDriver;
  readonly batches: Batches;
  readonly given: Given;
}

async function measureRound({ service, driver, batches, given }: Bench, seconds: number): Promise<Round> {
  const durationMs = seconds * 1000;
  const { exporters, callsPerSecond: requestsPerSecond, spansPerSecond } = given;
  const calls = { ...chatLoad(32, durationMs), requestsPerSecond };
  await untilQuiet([service.rootPid]);
  const callsAlone = await driver.measure(service, calls);
  await untilQuiet([service.rootPid]);
  const pids = [...service.workerPids(), service.corePid()];
  const before = pids.map(processCpuMs);
  const spansAlone = await runExporters(service, batches, { exporters, durationMs });
  await untilQuiet([service.rootPid]);
  const [workerMs = 0, coreMs = 0] = pids.map((pid, index) => processCpuMs(pid) - (before[index] ?? 0));
  const [callsBeside, spansBeside] = await Promise.all([
    driver.measure(service, calls),
    runExporters(service, batches, { exporters, durationMs, spansPerSecond }),
  ]);
  return { callsAlone, spansAlone, callsBeside, spansBeside, workerMs, coreMs };
}

async function report(bench: Bench): Promise<{ readonly lines: readonly string[]; readonly isWrong: boolean }> {
  const { service, driver, given } = bench;
  progress('warming up');
  const first = await measureRound(bench, Math.min(3, given.seconds));
  const rounds: Round[] = [];
  for (let round = 1; round <= given.rounds; round += 1) {
    progress(`round ${round} of ${given.rounds}`);
    rounds.push(await measureRound(bench, given.seconds));
  }
  const sent: readonly ExportResult[] = [first, ...rounds].flatMap(({ spansAlone, spansBeside }) => [spansAlone, spansBeside]);
  const expected = sent.reduce((sum, { calls }) => sum + calls, driver.responsesOf(service));
  const stored = await settledStoredCount(service, expected);
  const failures = [
    ...sent.flatMap((each) => each.failures),
    ...rounds
      .flatMap(({ callsAlone, callsBeside }) => [callsAlone, callsBeside])
      .flatMap(({ errors, firstError }) => (errors > 0 ? [`${errors} calls failed: ${firstError ?? ''}`] : [])),
  ];
  const memory = { worker: residentBytes(service.workerPids()[0] ?? 0), core: residentBytes(service.corePid()) };
  const storedLine = `records expected ${expected}, stored ${stored ?? 'unknown'}${stored === expected ? '' : ': THEY DIFFER'}`;
  return {
    lines: [...renderSpans(rounds, { batches: bench.batches, given, memory }), '', storedLine, ...failures.slice(0, 10)],
    isWrong: failures.length > 0 || stored !== expected,
  };
}

async function run(given: Given): Promise<void> {
  const machine = describeMachine(process.cwd());
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'gatelog-bench-spans-'));
  const processes = new OwnedProcesses();
  const cleanUp = async (): Promise<void> => {
    await processes.stopAll();
    rmSync(temporaryFolder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cleanUp().then(() => process.exit(130)));
  try {
    const { child, port } = await processes.forkListening('./load/fake-provider', import.meta.url, []);
    const service = await startGatelog({
      processes,
      projectFolder: process.cwd(),
      temporaryFolder,
      provider: { port, pid: child.pid ?? 0 },
    });
    const driver = new LoadDriver(processes.fork('./load/load-generator', import.meta.url, []));
    const { lines, isWrong } = await report({ service, driver, batches: new Batches(given), given });
    const heading = [
      `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
      `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
    ];
    process.stdout.write(`${[...heading, ...lines].join('\n')}\n`);
    if (isWrong) process.exitCode = 1;
  } finally {
    await cleanUp();
  }
}

function numberIn(name: string, text: string, maximum: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > maximum) throw new Error(`--${name} is a whole number from 1 to ${maximum}.`);
  return value;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '10' },
      exporters: { type: 'string', default: '2' },
      spans: { type: 'string', default: '512' },
      'prompt-bytes': { type: 'string', default: '2000' },
      'calls-per-second': { type: 'string', default: '200' },
      'spans-per-second': { type: 'string', default: '2000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${helpText}\n`);
    return;
  }
  await run({
    rounds: numberIn('rounds', values.rounds, 100),
    seconds: numberIn('seconds', values.seconds, 600),
    exporters: numberIn('exporters', values.exporters, 64),
    spans: numberIn('spans', values.spans, 10_000),
    promptBytes: numberIn('prompt-bytes', values['prompt-bytes'], 1_000_000),
    callsPerSecond: numberIn('calls-per-second', values['calls-per-second'], 100_000),
    spansPerSecond: numberIn('spans-per-second', values['spans-per-second'], 1_000_000),
  });
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
});
