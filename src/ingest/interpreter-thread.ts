import { Worker } from 'node:worker_threads';
import type { InterpretJob } from './interpret-worker.ts';
import type { Interpret, InterpretedExchange } from './interpreter.ts';

interface Answer {
  readonly id: number;
  readonly interpreted: readonly InterpretedExchange[];
}

interface Waiting {
  readonly resolve: (interpreted: readonly InterpretedExchange[]) => void;
  readonly reject: (error: Error) => void;
}

export interface InterpreterThread {
  readonly interpret: Interpret;
  readonly close: () => Promise<void>;
}

/**
 * Interpretation in a thread of its own, so that a burst of ingest does not delay an API answer. A thread that dies fails the jobs it had and
 * is replaced at the next job.
 */
export function startInterpreterThread(): InterpreterThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let jobs = 0;
  const failAll = (error: Error): void => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./interpret-worker.js', import.meta.url));
    started.on('message', ({ id, interpreted }: Answer) => {
      waiting.get(id)?.resolve(interpreted);
      waiting.delete(id);
    });
    started.on('error', (error) => failAll(error));
    started.on('exit', () => {
      if (worker === started) failAll(new Error('the interpreter thread has ended'));
    });
    return started;
  };
  return {
    interpret: (tasks, storedAt) =>
      new Promise((resolve, reject) => {
        jobs += 1;
        waiting.set(jobs, { resolve, reject });
        worker ??= start();
        worker.postMessage({ id: jobs, tasks, storedAt } satisfies InterpretJob);
      }),
    close: async () => {
      const last = worker;
      worker = undefined;
      await last?.terminate();
    },
  };
}
