import { type Candidate, type CandidateName, type GatelogCandidate, startCandidate } from '../peers/candidate.ts';
import type { MeasuredLoad } from './load-driver.ts';
import { failuresOf, type PartContext, rotated, settle, withCandidates } from './part.ts';
import { measurePhase, type PhaseName, phaseNames, type SettledPhaseResult, warmUpWithAll } from './phases.ts';
import { treesCpuMs } from './quiet.ts';
import { settledStoredCount } from './stored-count.ts';

/** Results of one candidate in one round. */
export interface RoundResult {
  readonly round: number;
  readonly candidate: CandidateName;
  readonly phases: Readonly<Record<PhaseName, SettledPhaseResult>>;
}

export interface CallsResult {
  readonly rounds: readonly RoundResult[];
  /** One sentence on whether every response of Gatelog was stored. */
  readonly storedCheck: string;
  readonly failures: readonly string[];
}

/** The first part: throughput, latency and CPU of calls and streams, all candidates in turn. */
export function measureCalls(context: PartContext): Promise<CallsResult> {
  const { options, surroundings, driver, progress } = context;
  const starts = options.candidates.map((name) => () => {
    progress(`starting ${name}`);
    return startCandidate(name, surroundings);
  });
  return withCandidates(starts, async (candidates) => {
    for (const candidate of candidates) {
      progress(`warming up ${candidate.name}`);
      await warmUpWithAll(driver, candidate, options);
    }
    const rounds: RoundResult[] = [];
    for (let round = 1; round <= options.rounds; round += 1) rounds.push(...(await measureRound(context, candidates, round)));
    const failures = rounds.flatMap(({ candidate, phases }) =>
      Object.entries(phases).flatMap(([phase, result]) => failuresOf(`${candidate} ${phase}`, result)),
    );
    return { rounds, failures, storedCheck: await checkStored(context, candidates) };
  });
}

interface Turn {
  readonly candidate: Candidate;
  readonly candidates: readonly Candidate[];
}

/**
 * Measures each phase with all candidates in turn: compared figures are measured right after each other, because a shared machine changes
 * within a minute.
 */
async function measureRound(context: PartContext, candidates: readonly Candidate[], round: number): Promise<readonly RoundResult[]> {
  const inTurn = rotated(candidates, round - 1);
  const results = inTurn.map((candidate) => ({ candidate, phases: {} as Partial<Record<PhaseName, SettledPhaseResult>> }));
  await settle(context, candidates);
  for (const name of phaseNames) {
    for (const { candidate, phases } of results) {
      const result = await measureSettled(context, { candidate, candidates }, name);
      phases[name] = result;
      context.progress(`round ${round}  ${candidate.name.padEnd(8)} ${name.padEnd(12)} ${describe(result)}`);
    }
  }
  return results.map(({ candidate, phases }) => ({ round, candidate: candidate.name, phases: complete(phases) }));
}

async function measureSettled(context: PartContext, { candidate, candidates }: Turn, name: PhaseName): Promise<SettledPhaseResult> {
  const { driver, options } = context;
  const [cpuBeforeMs, responsesBefore] = [treesCpuMs([candidate.rootPid]), driver.responsesOf(candidate)];
  const result = await measurePhase(driver, candidate, { name, options });
  await settle(context, candidates);
  const cpuMs = treesCpuMs([candidate.rootPid]) - cpuBeforeMs;
  return { ...result, allProcessesPerRequestMicros: (cpuMs * 1000) / (driver.responsesOf(candidate) - responsesBefore) };
}

function complete(results: Partial<Record<PhaseName, SettledPhaseResult>>): Record<PhaseName, SettledPhaseResult> {
  const { 'json-many': jsonMany, 'json-one': jsonOne, 'stream-one': streamOne, 'stream-many': streamMany } = results;
  if (!jsonMany || !jsonOne || !streamOne || !streamMany) throw new Error('A phase was not measured.');
  return { 'json-many': jsonMany, 'json-one': jsonOne, 'stream-one': streamOne, 'stream-many': streamMany };
}

function describe({ requestsPerSecond, cpuPerRequestMicros, whole, errors }: MeasuredLoad): string {
  const failed = errors === 0 ? '' : `  ${errors} ERRORS`;
  return `${requestsPerSecond.toFixed(0)}/s  ${cpuPerRequestMicros.toFixed(1)} µs CPU  p50 ${whole.p50Micros.toFixed(0)} µs${failed}`;
}

async function checkStored({ options, driver, progress }: PartContext, candidates: readonly Candidate[]): Promise<string> {
  const gatelog = candidates.find((candidate): candidate is GatelogCandidate => 'apiUrl' in candidate && candidate.name === 'gatelog');
  if (gatelog === undefined || !options.checkStored) return 'Stored records: not checked.';
  const responses = driver.responsesOf(gatelog);
  progress(`waiting for ${responses} records`);
  const stored = await settledStoredCount(gatelog, responses);
  if (stored === null) return 'Stored records: not checked (the API did not tell their number).';
  return `Stored records: ${stored}, replies with status 200: ${responses}${stored === responses ? '.' : ' — THEY DIFFER.'}`;
}
