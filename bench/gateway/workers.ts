import { spreadOf, type Spread } from '../measure/spread.ts';
import { startGatelog } from '../peers/candidate.ts';
import { chatLoad, type MeasuredLoad } from './load-driver.ts';
import { failuresOf, type PartContext, rotated, settle, withCandidates } from './part.ts';

export interface WorkersRow {
  readonly workers: number;
  readonly requestsPerSecond: Spread | null;
  readonly cpuPerRequestMicros: Spread | null;
}

export interface WorkersResult {
  readonly rows: readonly WorkersRow[];
  readonly failures: readonly string[];
}

const workerCounts = [1, 2] as const;

/** The same load on one gateway worker and on two, in turn: two must not get in each other's way. */
export function measureWorkers(context: PartContext): Promise<WorkersResult> {
  const { options, surroundings, driver, progress } = context;
  const load = chatLoad(options.connections, options.seconds * 1000);
  return withCandidates(
    workerCounts.map((workers) => () => startGatelog(surroundings, workers)),
    async (candidates) => {
      const services = candidates.map((candidate, index) => ({
        candidate,
        workers: workerCounts[index] ?? 1,
        loads: new Array<MeasuredLoad>(),
      }));
      for (const { candidate } of services) await driver.warmUp(candidate, load);
      for (let round = 0; round < options.rounds; round += 1) {
        for (const { candidate, workers, loads } of rotated(services, round)) {
          await settle(context, candidates);
          const result = await driver.measure(candidate, load);
          loads.push(result);
          progress(`round ${round + 1}  ${workers} workers  ${result.requestsPerSecond.toFixed(0)}/s`);
        }
      }
      await settle(context, candidates);
      return {
        rows: services.map(({ workers, loads }) => rowOf(workers, loads)),
        failures: services.flatMap(({ workers, loads }) => loads.flatMap((result) => failuresOf(`${workers} workers`, result))),
      };
    },
  );
}

function rowOf(workers: number, loads: readonly MeasuredLoad[]): WorkersRow {
  return {
    workers,
    requestsPerSecond: spreadOf(loads.map(({ requestsPerSecond }) => requestsPerSecond)),
    cpuPerRequestMicros: spreadOf(loads.map(({ cpuPerRequestMicros }) => cpuPerRequestMicros)),
  };
}
