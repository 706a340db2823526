import { unpackShape } from '../shape.ts';
import type { LargeBodies } from '../threads.ts';
import { type BodyOwner, BodyThread, defaultLimits } from '../../../platform/threads/body-thread.ts';
import { GatelogError } from '../../../model/errors.ts';
import type { BodyResult, BodyTask } from './jobs.ts';

/** A body up to this size never waits for a larger one. */
const smallerMaxBytes = 1024 * 1024;

const compiledWorker = new URL('./worker.js', import.meta.url);

/**
 * Parses bodies in two threads beside the event loop. The thread for smaller bodies starts at once, because a thread needs descriptors and
 * a worker without any goes on serving; the other starts with its first body.
 */
export function startBodyThreads(
  workerFile: URL = compiledWorker,
  limits = defaultLimits,
): LargeBodies & { readonly close: () => Promise<void> } {
  const smaller = new BodyThread<BodyTask, BodyResult>(workerFile, limits);
  const larger = new BodyThread<BodyTask, BodyResult>(workerFile, limits);
  smaller.begin();
  const run = (owner: BodyOwner, body: Buffer, task: BodyTask): Promise<BodyResult> =>
    (body.length <= smallerMaxBytes ? smaller : larger).run(owner, body, task);
  return {
    summaries: async (owner, body, forms) => {
      const result = await run(owner, body, { of: 'summaries', forms });
      if ('summaries' in result) return result.summaries;
      throw refusalOf(result);
    },
    shape: async (owner, body) => {
      const result = await run(owner, body, { of: 'shape' });
      if ('shape' in result) return unpackShape(result.shape);
      throw refusalOf(result);
    },
    echo: async (owner, { body, ...request }) => {
      const result = await run(owner, body, { of: 'echo', request });
      if (!('response' in result)) throw refusalOf(result);
      const chunks = result.response.chunks.map((chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      return { ...result.response, chunks };
    },
    close: async () => {
      await Promise.all([smaller.close(), larger.close()]);
    },
  };
}

function refusalOf(result: BodyResult): Error {
  if ('refusal' in result) return new GatelogError(result.refusal.code, result.refusal.message);
  return new TypeError('A thread answered another question.');
}
