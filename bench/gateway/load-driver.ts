import type { ChildProcess } from 'node:child_process';
import { jsonBody } from '../load/canned-responses.ts';
import { isLoadResult, type LoadJob, type LoadResult } from '../load/load-job.ts';
import { nextMessage } from '../measure/owned-processes.ts';
import { processCpuMs } from '../measure/process-table.ts';
import type { Candidate } from '../peers/candidate.ts';
import { chatBody, chatRequest } from './chat-call.ts';

/** What a load sends, at which rate and for how long. */
export interface Load {
  readonly body: string;
  readonly connections: number;
  readonly durationMs: number;
  readonly minimumBodyBytes: number;
  /** Absent: a closed loop. */
  readonly requestsPerSecond?: number;
  readonly watchesGaps?: true;
}

/** The result of a load, with the CPU that it took. */
export interface MeasuredLoad extends LoadResult {
  /** CPU of the processes that move the bytes, per response, in microseconds. */
  readonly cpuPerRequestMicros: number;
  /** Share of one core that these processes used. */
  readonly coreShare: number;
}

const maximumRequests = 100_000_000;
/** Max time from the end of a load to its last response. */
const answerTimeoutMs = 60_000;

/** The usual load: chat completions of 1 KB in both directions, in a closed loop. */
export function chatLoad(connections: number, durationMs: number): Load {
  return { body: chatBody({}), connections, durationMs, minimumBodyBytes: jsonBody.length };
}

/** Drives one load generator against the candidates and counts their responses. */
export class LoadDriver {
  private readonly generator: ChildProcess;
  private readonly responses = new Map<Candidate, number>();

  constructor(generator: ChildProcess) {
    this.generator = generator;
  }

  async run(candidate: Candidate, load: Load): Promise<LoadResult> {
    const { body, requestsPerSecond = null, watchesGaps = false, ...rest } = load;
    const request = chatRequest(candidate, body);
    const job: LoadJob = { port: candidate.port, request, maximumRequests, requestsPerSecond, watchesGaps, ...rest };
    const answer = nextMessage(this.generator, job.durationMs + answerTimeoutMs);
    this.generator.send(job);
    const result = await answer;
    if (!isLoadResult(result)) throw new Error('The load generator gave no result.');
    this.countResponses(candidate, result.responses);
    return result;
  }

  /** Runs a load and reads the CPU of the candidate's workers before and after it. */
  async measure(candidate: Candidate, load: Load): Promise<MeasuredLoad> {
    const pids = candidate.workerPids();
    const before = cpuMsOf(pids);
    const result = await this.run(candidate, load);
    const cpuMs = cpuMsOf(pids) - before;
    const wereReplaced = candidate.workerPids().join() !== pids.join();
    if (wereReplaced) throw new Error(`A process of ${candidate.name} was replaced while it was measured.`);
    return { ...result, cpuPerRequestMicros: (cpuMs * 1000) / result.responses, coreShare: cpuMs / result.elapsedMs };
  }

  /** Loads a candidate until its code is compiled. @throws when it answers no call. */
  async warmUp(candidate: Candidate, load: Load): Promise<void> {
    const { responses, errors, firstError } = await this.run(candidate, load);
    if (responses === 0) throw new Error(`${candidate.name} answers no call (${errors} errors): ${firstError ?? 'no reply'}.`);
  }

  /** Counts responses that a candidate gave to other clients than the generator. */
  countResponses(candidate: Candidate, responses: number): void {
    this.responses.set(candidate, this.responsesOf(candidate) + responses);
  }

  /** Complete responses with status 200 that a candidate has given in this run, warm-up included. */
  responsesOf(candidate: Candidate): number {
    return this.responses.get(candidate) ?? 0;
  }
}

function cpuMsOf(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + processCpuMs(pid), 0);
}
