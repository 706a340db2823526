import { Worker } from 'node:worker_threads';
import { messageOf } from '../../model/errors.ts';
import type { InterpreterMessage, InterpreterSettings, InterpretJob, SpentMemory } from './worker-main.ts';
import { type Interpret, type InterpretedExchange, InterpreterCrashed, InterpreterStopped } from './interpreter.ts';
import { packedOf, type PackedResults, unpackResults } from './packed-results.ts';
import { memoryOfTasks, packTasks } from './packed-tasks.ts';

interface Waiting {
  /** Exchanges of the batch. */
  readonly count: number;
  readonly resolve: (interpreted: readonly InterpretedExchange[]) => void;
  readonly reject: (error: Error) => void;
  readonly watchdog: NodeJS.Timeout;
}

export interface InterpreterThread {
  readonly interpret: Interpret;
  /** Lets the thread write other rows where these stand. Nobody may look at them any more, nor at any that were interpreted with them. */
  readonly release: (interpreted: readonly InterpretedExchange[]) => void;
  readonly close: () => Promise<void>;
}

/** The threads in whose memory rows stand that are still looked at. */
class Loans {
  private readonly lenders = new WeakMap<PackedResults, Worker>();

  add(packed: PackedResults, lender: Worker): void {
    this.lenders.set(packed, lender);
  }

  release(interpreted: readonly InterpretedExchange[]): void {
    for (const packed of packedOf(interpreted)) {
      const lender = this.lenders.get(packed);
      // Given back twice it would be written to twice at once.
      this.lenders.delete(packed);
      lender?.postMessage({ spent: packed.memory } satisfies SpentMemory);
    }
  }
}

/** What came of fewer exchanges than were asked for is of no use. */
function answer(job: Waiting | undefined, interpreted: readonly InterpretedExchange[], loans: Loans): void {
  if (job === undefined || interpreted.length === job.count) return job?.resolve(interpreted);
  loans.release(interpreted);
  job.reject(new InterpreterStopped(interpreted.length));
}

/** A batch takes about a second, and the thread stops after some; what takes so long comes to no end. */
const maxJobMs = 60_000;

/** A batch makes much that is soon garbage; with the default of a thread it would be copied many times before it is. */
const maxYoungGenerationSizeMb = 64;

const compiledWorker = new URL('./worker-main.js', import.meta.url);

/**
 * Interpretation in a thread of its own, so that a burst of ingest does not delay an API answer. A thread that dies fails the jobs it had and
 * is replaced at the next job: with InterpreterDied when it was at work, with another error when it did not even come up.
 */
export function startInterpreterThread(
  settings: InterpreterSettings,
  workerFile: URL = compiledWorker,
  jobMs: number = maxJobMs,
): InterpreterThread {
  const waiting = new Map<number, Waiting>();
  const loans = new Loans();
  let worker: Worker | undefined;
  let jobs = 0;
  const settle = (id: number): Waiting | undefined => {
    const job = waiting.get(id);
    clearTimeout(job?.watchdog);
    waiting.delete(id);
    return job;
  };
  const failAll = (error: Error): void => {
    worker = undefined;
    for (const id of waiting.keys()) settle(id)?.reject(error);
  };
  const start = (): Worker => {
    const started = new Worker(workerFile, { resourceLimits: { maxYoungGenerationSizeMb }, workerData: settings });
    let ready = false;
    let reason = 'the thread has ended';
    started.on('message', (message: InterpreterMessage) => {
      if ('ready' in message) ready = true;
      else {
        loans.add(message.results, started);
        answer(settle(message.id), unpackResults(message.results), loans);
      }
    });
    // An error may be heard of before what the thread said in front of it; its end is heard of last.
    started.on('error', (thrown: unknown) => (reason = messageOf(thrown)));
    started.on('exit', () => {
      if (worker !== started) return;
      failAll(ready ? new InterpreterCrashed(reason) : new Error(`the interpreter thread did not start: ${reason}`));
    });
    return started;
  };
  const giveUp = (): void => {
    void worker?.terminate();
    failAll(new InterpreterCrashed(`no result after ${jobMs} ms`));
  };
  return {
    interpret: (tasks, storedAt) =>
      new Promise((resolve, reject) => {
        const packed = packTasks(tasks);
        jobs += 1;
        waiting.set(jobs, { count: tasks.length, resolve, reject, watchdog: setTimeout(giveUp, jobMs) });
        worker ??= start();
        worker.postMessage({ id: jobs, tasks: packed, storedAt } satisfies InterpretJob, memoryOfTasks(packed));
      }),
    release: (interpreted) => loans.release(interpreted),
    close: async () => {
      const last = worker;
      failAll(new Error('the interpreter thread was closed'));
      await last?.terminate();
    },
  };
}
