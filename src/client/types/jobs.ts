/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Job } from './requests.ts';

export type JobAnswer = Job;
