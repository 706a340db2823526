import { answerOf, type OffsetOptions } from '../connection/pages.ts';
import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import type { Job } from '../types/requests.ts';
import { waited } from '../connection/send.ts';

export interface EndedOptions extends CallOptions {
  /** Called with each look at the job before its end. */
  readonly onProgress?: ((job: Job) => void) | undefined;
}

/** Milliseconds between two looks at a job: at first, and at most. */
const lookMs = { first: 50, most: 1000 } as const;

/** Changes of many requests, with their progress. */
export class Jobs {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Jobs of the organisation, newest first. */
  async list({ limit, offset, ...options }: OffsetOptions = {}): Promise<Answer<readonly Job[]>> {
    return answerOf(await this.connection.call('GET /v1/jobs', { query: { limit, offset }, ...options }));
  }

  /** A job as it is now. */
  async get(id: string, options: CallOptions = {}): Promise<Answer<Job>> {
    return answerOf(await this.connection.call('GET /v1/jobs/{id}', { path: { id }, ...options }));
  }

  /** What is changed stays; `undo` restores it. */
  async cancel(id: string, options: CallOptions = {}): Promise<Answer<Job>> {
    return answerOf(await this.connection.call('POST /v1/jobs/{id}/cancel', { path: { id }, ...options }));
  }

  /** Restores what a job has changed, by another job. */
  async undo(id: string, options: CallOptions = {}): Promise<Answer<Job>> {
    return answerOf(await this.connection.call('POST /v1/jobs/{id}/undo', { path: { id }, ...options }));
  }

  /** Waits until a job has ended, whatever came of it. A failed look ends the wait alone: the job goes on. */
  async ended({ job_id: id }: Pick<Job, 'job_id'>, { onProgress, ...options }: EndedOptions = {}): Promise<Job> {
    for (let pauseMs: number = lookMs.first; ; pauseMs = Math.min(pauseMs * 2, lookMs.most)) {
      const { data: job } = await this.get(id, options);
      if (job.ended_at !== null) return job;
      onProgress?.(job);
      await waited(pauseMs, options.signal);
    }
  }
}
