import { parentPort } from 'node:worker_threads';
import { releaseMemoryAtRest } from '../../../platform/memory/at-rest.ts';
import { lowerThisThread } from '../../../platform/priority.ts';
import { type FinishedJob, runTask, type BodyJob } from './jobs.ts';

lowerThisThread();
releaseMemoryAtRest();

parentPort?.on('message', ({ id, body, task: question }: BodyJob) => {
  const answer = runTask(Buffer.from(body.buffer, body.byteOffset, body.byteLength), question);
  parentPort?.postMessage({ id, result: answer } satisfies FinishedJob);
});
