import { connect, type Socket } from 'node:net';
import { HttpMessageReader } from './http-message-reader.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import { isLoadJob, type LoadJob, type LoadResult } from './load-job.ts';
import { GapTotals, StreamGaps } from './stream-gaps.ts';

/**
 * Sends one request repeatedly on a fixed number of keep-alive connections and times the responses, with little CPU. Started by `fork`: it
 * takes a LoadJob as a message, answers with a LoadResult, any number of times, and ends with its parent.
 */

/** Responses that are incomplete this long after the last request began count as errors. */
const lateResponseMs = 15_000;
/** This many consecutive failures over all connections end a run: the target is away. */
const maximumFailuresInARow = 200;
const successPattern = /^HTTP\/1\.[01] 200[ \r]/;
const closePattern = /\r\nconnection:[ \t]*close/i;

/** State that the connections of one run share. */
class LoadRun {
  readonly job: LoadJob;
  readonly requestBytes: Buffer;
  readonly whole = new LatencyHistogram();
  readonly firstByte = new LatencyHistogram();
  readonly gaps = new GapTotals();
  readonly startedAtMs = performance.now();
  private readonly deadlineMs: number;
  private begun = 0;
  private slotsTaken = 0;
  private replies = 0;
  private readonly repliesEachSecond: number[] = [];
  private errors = 0;
  private failuresInARow = 0;
  private firstError: string | null = null;
  private finishedAtMs = this.startedAtMs;

  constructor(job: LoadJob) {
    this.job = job;
    this.requestBytes = Buffer.from(job.request, 'latin1');
    this.deadlineMs = this.startedAtMs + job.durationMs;
  }

  /**
   * Takes the next slot of an open loop. @returns its time; now or earlier where the request may go at once, as always in a closed loop.
   */
  takeSlot(nowMs: number): number {
    const { requestsPerSecond } = this.job;
    if (requestsPerSecond === null) return nowMs;
    const dueMs = this.startedAtMs + (this.slotsTaken * 1000) / requestsPerSecond;
    this.slotsTaken += 1;
    return dueMs;
  }

  /** Whether another request may begin now. If so, counts it. */
  mayBegin(nowMs: number): boolean {
    if (this.isOver(nowMs)) return false;
    this.begun += 1;
    return true;
  }

  isOver(nowMs: number): boolean {
    return nowMs >= this.deadlineMs || this.begun >= this.job.maximumRequests || this.failuresInARow >= maximumFailuresInARow;
  }

  succeed(sentAtMs: number, nowMs: number): void {
    this.whole.record(nowMs - sentAtMs);
    this.replies += 1;
    const second = Math.floor((nowMs - this.startedAtMs) / 1000);
    this.repliesEachSecond[second] = (this.repliesEachSecond[second] ?? 0) + 1;
    this.failuresInARow = 0;
    this.finishedAtMs = nowMs;
  }

  fail(reason: string): void {
    this.errors += 1;
    this.failuresInARow += 1;
    this.firstError ??= reason;
    this.finishedAtMs = performance.now();
  }

  result(): LoadResult {
    const elapsedMs = this.finishedAtMs - this.startedAtMs;
    return {
      responses: this.replies,
      errors: this.errors,
      firstError: this.firstError,
      elapsedMs,
      requestsPerSecond: elapsedMs > 0 ? (this.replies * 1000) / elapsedMs : 0,
      repliesEachSecond: Array.from(this.repliesEachSecond, (responses) => responses ?? 0),
      whole: this.whole.summary(),
      firstByte: this.firstByte.summary(),
      gaps: this.job.watchesGaps ? this.gaps.summary() : null,
    };
  }
}

/** One connection of a run. `done` is called once, when nothing is left to send or to receive. */
class LoadConnection {
  private readonly run: LoadRun;
  private readonly done: () => void;
  private socket: Socket | null = null;
  private waiting = false;
  private sentAtMs = 0;
  private status = '';
  private bodyBytes = 0;
  private closing = false;
  private isDone = false;
  private slotTimer: NodeJS.Timeout | undefined;
  private readonly gaps: StreamGaps | null;

  constructor(run: LoadRun, done: () => void) {
    this.run = run;
    this.done = done;
    this.gaps = run.job.watchesGaps ? new StreamGaps() : null;
    this.open();
  }

  /** Gives up the response in flight. */
  abandon(): void {
    if (this.isDone) return;
    this.fail('no whole reply in time');
    this.finish();
  }

  private open(): void {
    const socket = connect({ port: this.run.job.port, host: '127.0.0.1', noDelay: true });
    const reader = new HttpMessageReader(
      { onHead: (head) => this.readHead(head), onBody: (bytes) => this.readBody(bytes), onEnd: () => this.endResponse() },
      'until-close',
    );
    this.socket = socket;
    this.closing = false;
    let error = 'connection closed before the reply was whole';
    socket.on('connect', () => this.next());
    socket.on('error', (cause) => {
      error = cause.message;
    });
    socket.on('data', (bytes) => {
      try {
        reader.push(bytes);
      } catch (cause) {
        socket.destroy(cause instanceof Error ? cause : new Error(String(cause)));
      }
    });
    socket.on('close', () => this.reopen(socket, reader, error));
  }

  private reopen(socket: Socket, reader: HttpMessageReader, error: string): void {
    if (this.isDone || socket !== this.socket) return;
    this.closing = true;
    clearTimeout(this.slotTimer);
    reader.close();
    if (this.waiting || socket.connecting || socket.bytesWritten === 0) this.fail(error);
    if (this.run.isOver(performance.now())) this.finish();
    else setTimeout(() => this.open(), 1);
  }

  private next(): void {
    if (this.closing) return void this.socket?.destroy();
    const nowMs = performance.now();
    const dueMs = this.run.takeSlot(nowMs);
    if (dueMs <= nowMs) return this.send(nowMs);
    if (this.run.isOver(dueMs)) return this.finish();
    this.slotTimer = setTimeout(() => this.send(performance.now()), dueMs - nowMs);
  }

  private send(nowMs: number): void {
    if (!this.run.mayBegin(nowMs)) return this.finish();
    this.waiting = true;
    this.bodyBytes = 0;
    this.gaps?.begin();
    this.sentAtMs = nowMs;
    this.socket?.write(this.run.requestBytes);
  }

  private readHead(head: string): void {
    this.status = successPattern.test(head) ? '' : (head.slice(0, 80).split('\r\n')[0] ?? 'no status');
    this.closing = closePattern.test(head);
  }

  private readBody(bytes: Buffer): void {
    if (this.bodyBytes === 0) this.run.firstByte.record(performance.now() - this.sentAtMs);
    this.bodyBytes += bytes.length;
    this.gaps?.see(bytes, performance.now());
  }

  private endResponse(): void {
    if (!this.waiting) return;
    if (this.status !== '') {
      this.fail(this.status);
    } else if (this.bodyBytes < this.run.job.minimumBodyBytes) {
      this.fail(`body of ${this.bodyBytes} bytes, expected at least ${this.run.job.minimumBodyBytes}`);
    } else {
      this.waiting = false;
      if (this.gaps !== null) this.run.gaps.add(this.gaps);
      this.run.succeed(this.sentAtMs, performance.now());
    }
    this.next();
  }

  private fail(reason: string): void {
    this.waiting = false;
    this.run.fail(reason);
  }

  private finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    clearTimeout(this.slotTimer);
    this.socket?.destroy();
    this.done();
  }
}

function runJob(job: LoadJob): Promise<LoadResult> {
  const run = new LoadRun(job);
  return new Promise((resolve) => {
    let open = job.connections;
    const connections: LoadConnection[] = [];
    const watchdog = setTimeout(() => connections.forEach((connection) => connection.abandon()), job.durationMs + lateResponseMs);
    const done = (): void => {
      open -= 1;
      if (open > 0) return;
      clearTimeout(watchdog);
      resolve(run.result());
    };
    for (let index = 0; index < job.connections; index += 1) connections.push(new LoadConnection(run, done));
  });
}

process.on('message', (message: unknown) => {
  if (!isLoadJob(message)) return;
  void runJob(message).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit(0));
