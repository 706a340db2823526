import { parentPort } from 'node:worker_threads';
import { lowerThisThread } from '../../platform/priority.ts';
import { type AnsweredJob, answerAbout, type BodyJob } from './jobs.ts';

lowerThisThread();

parentPort?.on('message', ({ id, body, question }: BodyJob) => {
  const answer = answerAbout(Buffer.from(body.buffer, body.byteOffset, body.byteLength), question);
  parentPort?.postMessage({ id, answer } satisfies AnsweredJob);
});
