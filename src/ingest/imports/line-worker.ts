import { parentPort } from 'node:worker_threads';
import { releaseMemoryAtRest } from '../../platform/memory/at-rest.ts';
import { lowerThisThread } from '../../platform/priority.ts';
import type { FinishedBody, ThreadJob } from '../../platform/threads/body-thread.ts';
import { type LargeLine, readLargeLine } from './read-large-line.ts';

lowerThisThread();
releaseMemoryAtRest();

parentPort?.on('message', ({ id, body }: ThreadJob<undefined>) => {
  const result = readLargeLine(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  parentPort?.postMessage({ id, result } satisfies FinishedBody<LargeLine>);
});
