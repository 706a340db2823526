import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openConnections } from '../src/store/engine/open-connections.ts';
import { BurstGate, type Call } from './changes/burst.ts';
import { type ByHand, openByHand } from './changes/by-hand.ts';
import { RecordedRequests } from './changes/recorded.ts';
import { untilQuiet } from './gateway/quiet.ts';
import { describeMachine } from './measure/machine.ts';
import { freePort, OwnedProcesses } from './measure/owned-processes.ts';
import { spreadOf } from './measure/spread.ts';
import { type GatelogCandidate, startGatelog } from './peers/candidate.ts';

/** Measures the cost of simultaneous changes, beside the minimum that HTTP and the store need for them. */

const helpText = `Measures changes of properties that come at once, on a service of its own.

Usage: npm run bench -- changes [options]

  --rounds N   measured rounds (default 30), after ten that are thrown away
  --at-once N  changes at once, each over its own connection, from 2 to 500 (default 200)
  --help       this text

Each round sends them on distinct requests and on one request, and the floors: as many calls that need a key and nothing else, and the same changes
by hand, one insert of history and one update straight to a store. Exit code 0: measured; 1: it failed, or a change was lost.`;

const warmUpRounds = 10;
const aimMs = 100;

interface Given {
  readonly rounds: number;
  readonly atOnce: number;
}

/** One measurement per round. @returns milliseconds of each response. */
interface Phase {
  readonly name: string;
  readonly aimMs?: number;
  readonly run: (round: number) => Promise<readonly number[]>;
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

function phasesOf(burst: BurstGate, requests: RecordedRequests, byHand: ByHand, atOnce: number): readonly Phase[] {
  const send = async (calls: readonly Call[], status: number): Promise<readonly number[]> => {
    const responses = await burst.send(calls);
    const wrong = responses.find((response) => response.status !== status);
    if (wrong !== undefined) throw new Error(`A call was answered ${wrong.status}.`);
    return responses.map(({ ms }) => ms);
  };
  const names = Array.from({ length: atOnce }, (_, index) => `name-${index}`);
  return [
    {
      name: 'GET that is refused after its key: HTTP alone',
      // An invalid identifier is a 404 before any look-up.
      run: () =>
        send(
          names.map(() => ({ method: 'GET', path: '/v1/request/none' })),
          404,
        ),
    },
    { name: 'by hand, distinct requests: the store alone', run: async () => [await byHand.changeDistinct('Stage')] },
    { name: 'by hand, one request: the store alone', run: async () => [await byHand.changeSame(names)] },
    { name: 'PUT on distinct requests', aimMs, run: (round) => send(requests.changesOfDistinct('Stage', `${round}`), 200) },
    { name: 'PUT on one request', aimMs, run: (round) => send(requests.changesOfSame(`${round}`), 200) },
  ];
}

interface Measured {
  readonly phase: Phase;
  readonly rounds: (readonly number[])[];
}

/** Runs the rounds of all phases, each once the service is idle. @returns the measurements, and the number of lost values. */
async function measure(phases: readonly Phase[], requests: RecordedRequests, given: Given & { readonly servicePid: number }) {
  const measured: readonly Measured[] = phases.map((phase) => ({ phase, rounds: [] }));
  let lostValues = 0;
  for (let round = -warmUpRounds; round < given.rounds; round += 1) {
    for (const { phase, rounds } of measured) {
      await untilQuiet([given.servicePid]);
      const times = await phase.run(round);
      if (round >= 0) rounds.push(times);
    }
    lostValues += await requests.countLostValues();
    if (round % 10 === 9) progress(`round ${round + 1} of ${given.rounds}`);
  }
  return { measured, lostValues };
}

function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const shown = (ms: number): string => ms.toFixed(1);

function tableOf(measured: readonly Measured[]): string[] {
  return [
    '| at once | p50 ms | p95 ms | p99 ms | p95 of each round: median (lowest–highest) | aim for p95 ms |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...measured.map(({ phase, rounds }) => {
      const samples = rounds.flat();
      const spread = spreadOf(rounds.map((times) => percentile(times, 0.95)));
      const range = spread === null ? '–' : `${shown(spread.median)} (${shown(spread.minimum)}–${shown(spread.maximum)})`;
      const shares = [0.5, 0.95, 0.99].map((share) => shown(percentile(samples, share))).join(' | ');
      return `| ${phase.name} | ${shares} | ${range} | ${phase.aimMs ?? '–'} |`;
    }),
  ];
}

/** Measures a running service. @returns the report, and the number of losses. */
async function report(service: GatelogCandidate, storeFolder: string, given: Given): Promise<{ lines: string[]; lost: number }> {
  const requests = await RecordedRequests.make(service, given.atOnce);
  const burst = new BurstGate(Number(new URL(service.apiUrl).port), service.apiKey);
  const connections = openConnections({ folder: storeFolder });
  try {
    const byHand = await openByHand(connections, given.atOnce);
    const phases = phasesOf(burst, requests, byHand, given.atOnce);
    const { measured, lostValues } = await measure(phases, requests, { ...given, servicePid: service.rootPid });
    const lostEntries = await requests.countLostEntries();
    const changes = 2 * given.atOnce * (given.rounds + warmUpRounds);
    return {
      lines: [
        `${given.atOnce} at once, each over its own connection; ${given.rounds} rounds after ${warmUpRounds} of warming up`,
        '',
        ...tableOf(measured),
        '',
        `Of ${changes} changes, looked for after each round: values lost ${lostValues}, entries of the history lost or wrong ${lostEntries}.`,
      ],
      lost: lostValues + lostEntries,
    };
  } finally {
    burst.close();
    await connections.close();
  }
}

async function run(given: Given): Promise<void> {
  const machine = describeMachine(process.cwd());
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'gatelog-bench-changes-'));
  const processes = new OwnedProcesses();
  const cleanUp = async (): Promise<void> => {
    await processes.stopAll();
    rmSync(temporaryFolder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cleanUp().then(() => process.exit(130)));
  try {
    // The gateway's own echo provider answers, so the benchmark starts none.
    const provider = { port: await freePort(), pid: 0 };
    const service = await startGatelog({ processes, projectFolder: process.cwd(), temporaryFolder, provider });
    const { lines, lost } = await report(service, join(temporaryFolder, 'by-hand'), given);
    const heading = [
      `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
      `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
    ];
    process.stdout.write(`${[...heading, ...lines].join('\n')}\n`);
    if (lost > 0) process.exitCode = 1;
  } finally {
    await cleanUp();
  }
}

function numberWithin(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new Error(`--${name} is a whole number from ${minimum} to ${maximum}.`);
  }
  return value;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '30' },
      'at-once': { type: 'string', default: '200' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) process.stdout.write(`${helpText}\n`);
  else await run({ rounds: numberWithin('rounds', values.rounds, 1, 1000), atOnce: numberWithin('at-once', values['at-once'], 2, 500) });
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
});
