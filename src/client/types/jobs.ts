/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Job } from './requests.ts';

/** Jobs of the organisation, newest first. */
export type JobsAnswer = readonly Job[];

export type JobAnswer = Job;
