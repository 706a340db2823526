import type { ChildProcess } from 'node:child_process';
import { jsonReply, streamReplyBytes } from '../load/canned-reply.ts';
import { isLoadResult, type LoadJob, type LoadResult } from '../load/load-job.ts';
import { nextMessage } from '../measure/owned-processes.ts';
import { processCpuMs } from '../measure/process-table.ts';
import type { Candidate } from '../peers/candidate.ts';
import type { BenchOptions } from './options.ts';

export const phaseNames = ['json-many', 'json-one', 'stream-one', 'stream-many'] as const;
/** `many`: throughput at many connections; `one`: latency at one. Streams at one connection come in paced events, else all at once. */
export type PhaseName = (typeof phaseNames)[number];

export interface PhaseResult extends LoadResult {
  /** CPU of the process that moves the bytes, per reply, in microseconds. */
  readonly cpuPerRequestMicros: number;
  /** Share of one core that this process used, 0 to 1. */
  readonly coreShare: number;
}

/** One phase with what it left to do behind it. */
export interface SettledPhaseResult extends PhaseResult {
  /** CPU of all the candidate's processes, warm-up and work after the replies included, per reply, in microseconds. */
  readonly allProcessesPerRequestMicros: number;
}

interface Phase {
  readonly body: string;
  readonly connections: (options: BenchOptions) => number;
  /** Share of `--seconds`. */
  readonly length: number;
  readonly minimumBodyBytes: number;
}

const streamPaceMs = 2;
const warmUpShare = 0.25;
const minimumFirstWarmUpMs = 3000;
const maximumRequests = 10_000_000;
/** Time after the end of a load within which its answer must have come. */
const answerTimeoutMs = 60_000;

const phases: Readonly<Record<PhaseName, Phase>> = {
  'json-many': {
    body: chatBody({}),
    connections: (options) => options.connections,
    length: 1,
    minimumBodyBytes: jsonReply.length,
  },
  'json-one': { body: chatBody({}), connections: () => 1, length: 1, minimumBodyBytes: jsonReply.length },
  'stream-one': {
    body: chatBody({ stream: true }, ` [pace ${streamPaceMs} ms]`),
    connections: () => 1,
    length: 0.5,
    minimumBodyBytes: streamReplyBytes,
  },
  'stream-many': {
    body: chatBody({ stream: true }),
    connections: (options) => options.connections,
    length: 0.5,
    minimumBodyBytes: streamReplyBytes,
  },
};

/** Drives one load generator against the candidates and counts what came back. */
export class PhaseRunner {
  readonly #generator: ChildProcess;
  readonly #options: BenchOptions;
  readonly #replies = new Map<Candidate, number>();

  constructor(generator: ChildProcess, options: BenchOptions) {
    this.#generator = generator;
    this.#options = options;
  }

  /** Measures one phase, after a warm-up that is thrown away. */
  async measure(candidate: Candidate, name: PhaseName): Promise<PhaseResult> {
    const job = this.#job(candidate, name);
    await this.#run(candidate, { ...job, durationMs: job.durationMs * warmUpShare });
    const workerPid = candidate.workerPid();
    const before = processCpuMs(workerPid);
    const result = await this.#run(candidate, job);
    const cpuMs = processCpuMs(workerPid) - before;
    if (candidate.workerPid() !== workerPid) throw new Error(`The process of ${candidate.name} was replaced while it was measured.`);
    return { ...result, cpuPerRequestMicros: (cpuMs * 1000) / result.replies, coreShare: cpuMs / result.elapsedMs };
  }

  /** Loads a candidate with both kinds of calls, long enough for its code to be compiled. */
  async warmUp(candidate: Candidate): Promise<void> {
    for (const name of ['json-many', 'stream-many'] as const) {
      const job = this.#job(candidate, name);
      const durationMs = Math.max(job.durationMs, minimumFirstWarmUpMs);
      const { replies, errors, firstError } = await this.#run(candidate, { ...job, durationMs });
      if (replies === 0) throw new Error(`${candidate.name} answers no call (${name}, ${errors} errors): ${firstError ?? 'no reply'}.`);
    }
  }

  /** Whole replies with status 200 that a candidate has given in this run, warm-up included. */
  repliesOf(candidate: Candidate): number {
    return this.#replies.get(candidate) ?? 0;
  }

  #job(candidate: Candidate, name: PhaseName): LoadJob {
    const phase = phases[name];
    return {
      port: candidate.port,
      request: serialise(candidate, phase.body),
      connections: phase.connections(this.#options),
      durationMs: this.#options.seconds * phase.length * 1000,
      maximumRequests,
      minimumBodyBytes: phase.minimumBodyBytes,
    };
  }

  async #run(candidate: Candidate, job: LoadJob): Promise<LoadResult> {
    const answer = nextMessage(this.#generator, job.durationMs + answerTimeoutMs);
    this.#generator.send(job);
    const result = await answer;
    if (!isLoadResult(result)) throw new Error('The load generator gave no result.');
    this.#replies.set(candidate, this.repliesOf(candidate) + result.replies);
    return result;
  }
}

function serialise(candidate: Candidate, body: string): string {
  const headers = {
    Host: `127.0.0.1:${candidate.port}`,
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'User-Agent': 'gatelog-bench',
    ...candidate.headers,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/chat/completions HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** A chat request of about 1 KB. */
function chatBody(extra: { readonly stream?: boolean }, suffix = ''): string {
  const paragraph = 'A caller wants to know what a gateway costs, and so it asks the same thing many times and counts what comes back. ';
  return JSON.stringify({
    model: 'gpt-4o-mini',
    messages: [
      { role: 'system', content: 'You answer briefly and name your sources.' },
      { role: 'user', content: paragraph.repeat(7) + suffix },
    ],
    temperature: 0.2,
    ...extra,
    ...(extra.stream === true ? { stream_options: { include_usage: true } } : {}),
  });
}
