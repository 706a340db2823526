/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Job } from '../types/requests.ts';
import type { JobAnswer } from '../types/jobs.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface JobsEndpoints {
  readonly 'GET /v1/jobs': {
    readonly query?: {
      /** Jobs of the page, at most 1000. */
      readonly limit?: number | undefined;
      /** First job of the page, counted from 0. */
      readonly offset?: number | undefined;
    };
    readonly data: readonly Job[];
  };
  readonly 'GET /v1/jobs/{id}': {
    readonly path: {
      /** Identifier of the job, its `job_id`. */
      readonly id: string;
    };
    readonly data: JobAnswer;
  };
  readonly 'POST /v1/jobs/{id}/cancel': {
    readonly path: {
      /** Identifier of the job, its `job_id`. */
      readonly id: string;
    };
    readonly data: JobAnswer;
  };
  readonly 'POST /v1/jobs/{id}/undo': {
    readonly path: {
      /** Identifier of the job, its `job_id`. */
      readonly id: string;
    };
    readonly data: JobAnswer;
  };
}
