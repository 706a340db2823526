import { Worker } from 'node:worker_threads';
import { unpackShape } from '../../gateway/bodies/shape.ts';
import type { BodyOwner, LargeBodies } from '../../gateway/bodies/threads.ts';
import { OrganizationShares, type Share, shareOf, type Waiting } from '../../platform/organization-shares.ts';
import { GatelogError } from '../../model/errors.ts';
import type { FinishedJob, BodyResult, BodyJob, BodyTask } from './jobs.ts';

/** A body up to this size never waits for a larger one. */
const smallerMaxBytes = 1024 * 1024;

const copiedAtOnceBytes = 1024 * 1024;

export interface BodyThreadLimits {
  /** Max bodies waiting for one thread; an organisation gets its share of what the others leave. */
  readonly maxWaiting: number;
  readonly sharePercent: number;
  readonly maxWaitMs: number;
  /** Maximum time to read one body. An accepted body takes a second or two. */
  readonly maxReadMs: number;
}

const defaultLimits: BodyThreadLimits = { maxWaiting: 1000, sharePercent: 90, maxWaitMs: 10_000, maxReadMs: 10_000 };

const compiledWorker = new URL('./worker.js', import.meta.url);

/**
 * Parses bodies in two threads beside the event loop. The thread for smaller bodies starts at once, because a thread needs descriptors and
 * a worker without any goes on serving; the other starts with its first body.
 */
export function startBodyThreads(
  workerFile: URL = compiledWorker,
  limits = defaultLimits,
): LargeBodies & { readonly close: () => Promise<void> } {
  const smaller = new BodyThread(workerFile, limits);
  const larger = new BodyThread(workerFile, limits);
  smaller.begin();
  const run = (owner: BodyOwner, body: Buffer, task: BodyTask): Promise<BodyResult> =>
    (body.length <= smallerMaxBytes ? smaller : larger).run(owner, body, task);
  return {
    facts: async (owner, body, forms) => {
      const result = await run(owner, body, { of: 'facts', forms });
      if ('facts' in result) return result.facts;
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

class WaitingBody implements Waiting<WaitingBody> {
  previous: WaitingBody | undefined;
  next: WaitingBody | undefined;
  isQueued = false;
  share: Share<WaitingBody> | undefined;
  stopWaiting: () => void = () => undefined;
  readonly organizationId: string;
  readonly body: Buffer;
  readonly task: BodyTask;
  readonly resolve: (result: BodyResult) => void;
  readonly reject: (error: GatelogError) => void;

  constructor(of: Pick<WaitingBody, 'organizationId' | 'body' | 'task' | 'resolve' | 'reject'>) {
    this.organizationId = of.organizationId;
    this.body = of.body;
    this.task = of.task;
    this.resolve = of.resolve;
    this.reject = of.reject;
  }
}

/**
 * A thread that reads one body at a time; waiting bodies take turns by organisation. TRICKY: the thread has no heap limit, because V8 ends
 * the whole process when parsing reaches one. `model/json/bounds.ts` bounds the parsed size beforehand instead.
 */
class BodyThread {
  private readonly workerFile: URL;
  private readonly limits: BodyThreadLimits;
  private readonly waiting = new OrganizationShares<WaitingBody>(1, 100);
  private worker: Worker | undefined;
  private running: WaitingBody | undefined;
  private reading: NodeJS.Timeout | undefined;
  private jobs = 0;
  private isClosed = false;

  constructor(workerFile: URL, limits: BodyThreadLimits) {
    this.workerFile = workerFile;
    this.limits = limits;
  }

  begin(): void {
    this.worker ??= this.start();
  }

  run({ organizationId, signal }: BodyOwner, body: Buffer, task: BodyTask): Promise<BodyResult> {
    return new Promise((resolve, reject) => {
      const refusal = this.refusalFor(organizationId, signal);
      if (refusal !== undefined) {
        reject(refusal);
        return;
      }
      const job = new WaitingBody({ organizationId, body, task, resolve, reject });
      const left = (): void => this.drop(job, onClientDisconnect());
      const timer = setTimeout(() => this.drop(job, tooMany()), this.limits.maxWaitMs);
      signal?.addEventListener('abort', left);
      // TRICKY: a listener keeps the body alive for as long as its call runs.
      job.stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', left);
      };
      this.waiting.add(job);
      this.readNext();
    });
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.isClosed = true;
    this.end(stopping());
    for (let job = this.waiting.next(); job !== undefined; job = this.waiting.next()) this.drop(job, stopping());
    await worker?.terminate();
  }

  private drop(job: WaitingBody, error: GatelogError): void {
    job.stopWaiting();
    this.waiting.delete(job);
    job.reject(error);
  }

  private refusalFor(organizationId: string, signal: AbortSignal | undefined): GatelogError | undefined {
    if (this.isClosed) return stopping();
    if (signal?.aborted === true) return onClientDisconnect();
    const { maxWaiting, sharePercent } = this.limits;
    const own = this.waiting.waitingOf(organizationId);
    return own >= shareOf(maxWaiting, this.waiting.size - own, sharePercent) ? tooMany() : undefined;
  }

  private readNext(): void {
    const job = this.running === undefined && !this.isClosed ? this.waiting.next() : undefined;
    if (job === undefined) return;
    this.waiting.take(job);
    this.running = job;
    job.stopWaiting();
    this.reading = setTimeout(() => this.giveUp(), this.limits.maxReadMs);
    this.begin();
    this.jobs += 1;
    this.copy(job, new Uint8Array(job.body.length), 0);
  }

  /** Only a copy goes to the thread, and only while it is read. A large body is copied over several ticks: at once it takes up to 15 ms. */
  private copy(job: WaitingBody, copied: Uint8Array<ArrayBuffer>, start: number): void {
    if (this.running !== job) return;
    const { body, task } = job;
    const end = start + copiedAtOnceBytes;
    copied.set(body.subarray(start, end), start);
    if (end < body.length) {
      setImmediate(() => this.copy(job, copied, end));
      return;
    }
    this.worker?.postMessage({ id: this.jobs, body: copied, task } satisfies BodyJob, [copied.buffer]);
  }

  private start(): Worker {
    const worker = new Worker(this.workerFile);
    worker.on('message', ({ id, result }: FinishedJob) => {
      if (worker === this.worker && id === this.jobs) this.settle(({ resolve }) => resolve(result));
    });
    let reason: unknown;
    worker.on('error', (error) => (reason = error));
    worker.on('exit', () => {
      if (worker === this.worker) this.end(endOf(reason));
    });
    worker.unref();
    return worker;
  }

  /** A body that takes too long takes its thread with it. */
  private giveUp(): void {
    const { worker } = this;
    this.end(
      new GatelogError(
        'body_too_large',
        `Reading the body took over ${this.limits.maxReadMs} ms; send a smaller one, or one of fewer values.`,
      ),
    );
    void worker?.terminate();
  }

  private end(error: GatelogError): void {
    this.worker = undefined;
    this.settle(({ reject }) => reject(error));
  }

  private settle(tell: (job: WaitingBody) => void): void {
    const job = this.running;
    if (job === undefined) return;
    this.running = undefined;
    clearTimeout(this.reading);
    this.waiting.release(job);
    tell(job);
    this.readNext();
  }
}

/** A thread that failed to start, for want of descriptors or memory, may start next time. */
function endOf(reason: unknown): GatelogError {
  const couldNotBegin = reason instanceof Error && 'code' in reason && reason.code === 'ERR_WORKER_INIT_FAILED';
  return couldNotBegin
    ? new GatelogError('too_many_calls', 'There is no room for a thread that reads large bodies. Try again in a moment.', { cause: reason })
    : new GatelogError('internal', 'The thread that reads large bodies ended.', { cause: reason });
}

function stopping(): GatelogError {
  return new GatelogError('too_many_calls', 'The gateway is stopping.');
}

/** The client has left and receives nothing. */
function onClientDisconnect(): GatelogError {
  return new GatelogError('too_many_calls', 'The client has left.');
}

function tooMany(): GatelogError {
  return new GatelogError('too_many_calls', 'Too many large bodies wait to be read. Try again in a moment.');
}
