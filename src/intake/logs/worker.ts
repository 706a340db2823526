import { parentPort } from 'node:worker_threads';
import type { ToldLog } from './read-log.ts';
import { releaseMemoryAtRest } from '../../platform/memory/at-rest.ts';
import { lowerThisThread } from '../../platform/priority.ts';
import type { FinishedBody, ThreadJob } from '../../platform/threads/body-thread.ts';
import { type LargeLog, readLargeLog } from './read-large.ts';

lowerThisThread();
releaseMemoryAtRest();

parentPort?.on('message', ({ id, body, task }: ThreadJob<ToldLog>) => {
  const result = readLargeLog(Buffer.from(body.buffer, body.byteOffset, body.byteLength), task);
  parentPort?.postMessage({ id, result } satisfies FinishedBody<LargeLog>, 'calls' in result ? [result.calls.bytes.buffer] : []);
});
