import { parentPort } from 'node:worker_threads';
import { releaseMemoryAtRest } from '../../platform/memory/at-rest.ts';
import { lowerThisThread } from '../../platform/priority.ts';
import type { FinishedBody, ThreadJob } from '../../platform/threads/body-thread.ts';
import { makeReadSpans, type SpansResult, type SpansTask } from './read-spans.ts';

lowerThisThread();
releaseMemoryAtRest();

const read = makeReadSpans();

parentPort?.on('message', ({ id, body, task }: ThreadJob<SpansTask>) => {
  const result = read(Buffer.from(body.buffer, body.byteOffset, body.byteLength), task);
  const moved = 'calls' in result ? [result.calls.bytes.buffer] : [];
  parentPort?.postMessage({ id, result } satisfies FinishedBody<SpansResult>, moved);
});
