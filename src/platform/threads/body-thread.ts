import { Worker } from 'node:worker_threads';
import { GatelogError } from '../../model/errors.ts';
import { OrganizationShares, type Share, shareOf, type Waiting } from '../organization-shares.ts';

/** Whose body it is. */
export interface BodyOwner {
  readonly organizationId: string;
  /** Aborted when the body's memory is released, because its client disconnected. */
  readonly signal: AbortSignal | undefined;
}

const copiedAtOnceBytes = 1024 * 1024;

export interface BodyThreadLimits {
  /** Max bodies waiting for one thread; an organisation gets its share of what the others leave. */
  readonly maxWaiting: number;
  readonly sharePercent: number;
  readonly maxWaitMs: number;
  /** Maximum time to read one body. An accepted body takes a second or two. */
  readonly maxReadMs: number;
  /** A thread that has read a larger body ends, and the memory with it that its heap would hold for minutes. Absent: none ends. */
  readonly endsAboveBytes?: number;
}

export const defaultLimits: BodyThreadLimits = { maxWaiting: 1000, sharePercent: 90, maxWaitMs: 10_000, maxReadMs: 10_000 };

/** A body and what to do with it; the thread answers with a {@link FinishedBody} of the same number. */
export interface ThreadJob<Task> {
  readonly id: number;
  readonly body: Uint8Array;
  readonly task: Task;
}

export interface FinishedBody<Result> {
  readonly id: number;
  readonly result: Result;
}

class WaitingBody<Task, Result> implements Waiting<WaitingBody<Task, Result>> {
  previous: WaitingBody<Task, Result> | undefined;
  next: WaitingBody<Task, Result> | undefined;
  isQueued = false;
  share: Share<WaitingBody<Task, Result>> | undefined;
  stopWaiting: () => void = () => undefined;
  readonly organizationId: string;
  readonly body: Buffer;
  readonly task: Task;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: GatelogError) => void;

  constructor(of: Pick<WaitingBody<Task, Result>, 'organizationId' | 'body' | 'task' | 'resolve' | 'reject'>) {
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
export class BodyThread<Task, Result> {
  private readonly workerFile: URL;
  private readonly limits: BodyThreadLimits;
  private readonly waiting = new OrganizationShares<WaitingBody<Task, Result>>(1, 100);
  private worker: Worker | undefined;
  private running: WaitingBody<Task, Result> | undefined;
  private reading: NodeJS.Timeout | undefined;
  private jobs = 0;
  private isClosed = false;

  constructor(workerFile: URL, limits = defaultLimits) {
    this.workerFile = workerFile;
    this.limits = limits;
  }

  begin(): void {
    this.worker ??= this.start();
  }

  run({ organizationId, signal }: BodyOwner, body: Buffer, task: Task): Promise<Result> {
    return new Promise((resolve, reject) => {
      const refusal = this.refusalFor(organizationId, signal);
      if (refusal !== undefined) {
        reject(refusal);
        return;
      }
      const job = new WaitingBody<Task, Result>({ organizationId, body, task, resolve, reject });
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

  private drop(job: WaitingBody<Task, Result>, error: GatelogError): void {
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
  private copy(job: WaitingBody<Task, Result>, copied: Uint8Array<ArrayBuffer>, start: number): void {
    if (this.running !== job) return;
    const { body, task } = job;
    const end = start + copiedAtOnceBytes;
    copied.set(body.subarray(start, end), start);
    if (end < body.length) {
      setImmediate(() => this.copy(job, copied, end));
      return;
    }
    this.worker?.postMessage({ id: this.jobs, body: copied, task } satisfies ThreadJob<Task>, [copied.buffer]);
  }

  private start(): Worker {
    const worker = new Worker(this.workerFile);
    worker.on('message', ({ id, result }: FinishedBody<Result>) => {
      if (worker !== this.worker || id !== this.jobs) return;
      if ((this.running?.body.length ?? 0) > (this.limits.endsAboveBytes ?? Infinity)) {
        this.worker = undefined;
        void worker.terminate();
      }
      this.settle(({ resolve }) => resolve(result));
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

  private settle(tell: (job: WaitingBody<Task, Result>) => void): void {
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
