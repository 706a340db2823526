import { Worker } from 'node:worker_threads';
import { messageOf } from '../../model/errors.ts';
import type { PriceLine } from '../../model/pricing/price-line.ts';
import type { ImportMessage, RecordBuilderMessage, RecordBuilderSettings, InterpretJob, SpentMemory } from './worker-main.ts';
import { type Interpret, type Interpretation, RecordBuilderCrashed } from './record-builder.ts';
import { unpackResults } from './packed-results.ts';
import { memoryOfTasks, packTasks } from './packed-tasks.ts';

interface Waiting {
  readonly resolve: (interpretation: Interpretation) => void;
  readonly reject: (error: Error) => void;
  readonly watchdog: NodeJS.Timeout;
}

/** Prices of the operator; another version means other prices. */
interface SentPrices {
  readonly version: number;
  readonly lines: readonly PriceLine[];
}

const noPrices: SentPrices = { version: 0, lines: [] };

export interface RecordBuilderThread {
  readonly interpret: Interpret;
  readonly close: () => Promise<void>;
}

function settleJob(job: Waiting | undefined, interpretation: Interpretation): void {
  if (job === undefined) interpretation[Symbol.dispose]();
  else job.resolve(interpretation);
}

/** Sends prices to a thread that does not have them yet: a job is interpreted with those that held when it was sent. */
function priceSender(imported: () => SentPrices): (to: Worker) => void {
  const sent = new WeakMap<Worker, number>();
  return (to) => {
    const { version, lines } = imported();
    if (version === (sent.get(to) ?? noPrices.version)) return;
    to.postMessage({ imported: lines } satisfies ImportMessage);
    sent.set(to, version);
  };
}

/** A batch takes about a second, and the thread stops by itself after some: a job that takes this long does not end. */
const maxJobMs = 60_000;

/** A batch makes much garbage, which the smaller default of a thread would copy many times before it dies. */
const maxYoungGenerationSizeMb = 64;

const compiledWorker = new URL('./worker-main.js', import.meta.url);

/**
 * Interpretation in its own thread, so that a burst of ingest does not delay API responses. When the thread dies its jobs fail, with
 * RecordBuilderCrashed if it had started and with another error if it had not; the next job starts a new one.
 */
export function startRecordBuilderThread(
  settings: RecordBuilderSettings,
  workerFile: URL = compiledWorker,
  jobMs: number = maxJobMs,
  imported: () => SentPrices = () => noPrices,
): RecordBuilderThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let jobs = 0;
  const sendPrices = priceSender(imported);
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
    started.on('message', (message: RecordBuilderMessage) => {
      if ('ready' in message) ready = true;
      else {
        const giveBack = (spent: SpentMemory['spent']): void => started.postMessage({ spent } satisfies SpentMemory);
        settleJob(settle(message.id), unpackResults(message.results, giveBack));
      }
    });
    // TRICKY: an error may arrive before messages that the thread sent earlier. Only its exit comes last.
    started.on('error', (thrown: unknown) => (reason = messageOf(thrown)));
    started.on('exit', () => {
      if (worker !== started) return;
      failAll(ready ? new RecordBuilderCrashed(reason) : new Error(`the record builder did not start: ${reason}`));
    });
    return started;
  };
  const giveUp = (): void => {
    void worker?.terminate();
    failAll(new RecordBuilderCrashed(`no result after ${jobMs} ms`));
  };
  return {
    interpret: (tasks, storedAt) =>
      new Promise((resolve, reject) => {
        const packed = packTasks(tasks);
        jobs += 1;
        waiting.set(jobs, { resolve, reject, watchdog: setTimeout(giveUp, jobMs) });
        worker ??= start();
        sendPrices(worker);
        worker.postMessage({ id: jobs, tasks: packed, storedAt } satisfies InterpretJob, memoryOfTasks(packed));
      }),
    close: async () => {
      const last = worker;
      failAll(new Error('the record builder was closed'));
      await last?.terminate();
    },
  };
}
