import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { GatelogError } from '../../model/errors.ts';
import { FairSemaphore, type Permit } from '../../platform/fair-semaphore.ts';

/** Maximum bytes of bodies and properties in one response. Building it takes several times as much memory. */
export const responseMaxBytes = 64 * 1024 * 1024;
/** Smaller responses are not counted: the number of connections bounds them. */
const freeBytes = 64 * 1024;
/** One row of a page without its bodies, but for hostile ones. */
export const rowBytes = 4096;
/** Copies of the texts while a response is built: as received from the store, as rows, and as sent. */
const timesInMemory = 3;
/** Copies of a body: as received, as text, and as its values. */
const bodyTimesInMemory = 3;
const maxWaitingOfOwner = 500;

export interface ResponseMemoryOptions {
  /** For all responses together. Bodies of requests have half as much beside it. */
  readonly maxBytes: number;
  readonly maxWaitMs: number;
}

/**
 * Bounds the memory of responses, both while they are built and until their clients have read them, and that of the bodies of requests
 * while they come and are worked on. Organisations take turns, and each holds at most half, so that neither slow readers and senders nor
 * hundreds of requested pages block the others.
 *
 * Invariant: nobody waits for ever, because a call that waits for response memory holds none. It may hold memory of its rows and of its
 * body, which are pools of their own, and the permit for heavy rows, an oversized response or a long line, for which no call waits while
 * it holds response memory.
 */
export class ResponseMemory {
  readonly maxWaitMs: number;
  readonly rows: FairSemaphore;
  readonly answers: FairSemaphore;
  readonly bodies: FairSemaphore;
  /** Maximum bytes of `bodies` per organisation. A larger body counts as so many. */
  readonly maxBodiesOfOwner: number;
  /** Maximum bytes of `answers` per organisation. */
  readonly maxAnswersOfOwner: number;
  /** Responses that may exceed that maximum are built one at a time, and count as the maximum. */
  readonly oversized = new FairSemaphore({ units: 1, maxUnitsOfOwner: 1, maxWaitingOfOwner, refusal });
  /** Pages whose rows have far more than rows usually have. */
  readonly heavyRows = new FairSemaphore({ units: 2, maxUnitsOfOwner: 1, maxWaitingOfOwner, refusal });
  /** Imports with a line that is longer than what an import else holds. */
  readonly longLines = new FairSemaphore({ units: 2, maxUnitsOfOwner: 1, maxWaitingOfOwner, refusal: bodyRefusal });

  constructor({ maxBytes, maxWaitMs }: ResponseMemoryOptions) {
    this.maxWaitMs = maxWaitMs;
    const rows = Math.floor(maxBytes / 4);
    this.maxAnswersOfOwner = Math.floor((maxBytes - rows) / 2);
    this.rows = poolOf(rows, Math.floor(rows / 2));
    this.answers = poolOf(maxBytes - rows, this.maxAnswersOfOwner);
    const bodies = Math.floor(maxBytes / 2);
    this.maxBodiesOfOwner = Math.floor(bodies / 2);
    this.bodies = poolOf(bodies, this.maxBodiesOfOwner, bodyRefusal);
  }
}

function poolOf(units: number, maxUnitsOfOwner: number, refuse = refusal): FairSemaphore {
  return new FairSemaphore({ units, maxUnitsOfOwner, maxWaitingOfOwner, refusal: refuse });
}

function bodyRefusal(): GatelogError {
  return new GatelogError(
    'service_busy',
    'There is no memory for this body at the moment. Send fewer or smaller ones at once, and try again in a moment.',
  );
}

function refusal(): GatelogError {
  return new GatelogError(
    'service_busy',
    'There is no memory for this answer at the moment. Ask for fewer at once, or for a smaller `limit`, take the answers that are there, and try again in a moment.',
  );
}

/** The memory that one call holds. */
export class CallMemory {
  private readonly memory: ResponseMemory;
  private readonly signal: AbortSignal;
  private owner = '';
  private rows: Permit | undefined;
  private heavyRows: Permit | undefined;
  private answer: Permit | undefined;
  private oversized: Permit | undefined;
  private body: Permit | undefined;
  private longLine: Permit | undefined;

  constructor(memory: ResponseMemory, signal: AbortSignal) {
    this.memory = memory;
    this.signal = signal;
  }

  ownedBy(owner: string): this {
    this.owner = owner;
    return this;
  }

  /** Call it before a body is read; a small one is not counted. @throws GatelogError `service_busy`. */
  async takeBody(bytes: number): Promise<void> {
    if (this.body !== undefined || bytes <= freeBytes) return;
    this.body = await this.memory.bodies.acquire(bytes * bodyTimesInMemory, this.asker());
  }

  /**
   * Call it before more of a line is read than a group of lines has. @returns false: the call had the permit already.
   * @throws GatelogError `service_busy`.
   */
  async takeLongLine(): Promise<boolean> {
    if (this.longLine !== undefined) return false;
    this.longLine = await this.memory.longLines.acquire(1, this.asker());
    return true;
  }

  /** Call it once the line is done with. */
  releaseLongLine(): void {
    this.longLine?.release();
    this.longLine = undefined;
  }

  /** Call it before rows are read. @throws GatelogError `service_busy`. */
  async takeRows(count: number): Promise<void> {
    if (this.rows !== undefined || count * rowBytes <= freeBytes) return;
    this.rows = await this.memory.rows.acquire(count * rowBytes, this.asker());
  }

  /**
   * Call it before rows are read that have far more than rows usually have; an organisation has one such page at a time in memory, until
   * its answer is counted. @throws GatelogError `service_busy`.
   */
  async takeHeavyRows(): Promise<void> {
    this.heavyRows ??= await this.memory.heavyRows.acquire(1, this.asker());
  }

  /**
   * Call it before a response with these bytes of texts is built; it releases memory that the call took for it earlier.
   * @throws GatelogError `service_busy`.
   */
  async takeAnswer(textBytes: number): Promise<void> {
    this.releaseAnswer();
    const bytes = textBytes * timesInMemory;
    if (bytes > this.memory.maxAnswersOfOwner) this.oversized = await this.memory.oversized.acquire(1, this.asker());
    this.answer = await this.memory.answers.acquire(bytes, this.asker());
  }

  /** Call it once the texts are known to have no more bytes than these; it releases the rest. */
  keepAnswer(textBytes: number): void {
    this.keep(textBytes * timesInMemory);
  }

  /**
   * Runs the work of a call. Memory that it takes is released when the client has read the response, or at once when the work fails.
   * @throws the error of the work, or GatelogError `service_busy`.
   */
  async during(context: Context, work: () => Response | Promise<Response>): Promise<Response> {
    try {
      const response = await work();
      await this.settle(bytesOfAnswer(context));
      if ((this.answer ?? this.body ?? this.longLine) !== undefined) releaseWhenTaken(context, () => this.release());
      return response;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  private async settle(bytes: number): Promise<void> {
    if (bytes > freeBytes) this.answer ??= await this.memory.answers.acquire(bytes, this.asker());
    this.keep(bytes);
    this.releaseRows();
  }

  private keep(bytes: number): void {
    this.answer?.keep(bytes);
    if (bytes <= this.memory.maxAnswersOfOwner) this.oversized?.release();
  }

  private release(): void {
    this.releaseRows();
    this.body?.release();
    this.releaseLongLine();
    this.releaseAnswer();
  }

  private releaseRows(): void {
    this.rows?.release();
    this.heavyRows?.release();
  }

  private releaseAnswer(): void {
    this.answer?.release();
    this.oversized?.release();
    this.answer = undefined;
    this.oversized = undefined;
  }

  private asker() {
    return { owner: this.owner, signal: this.signal, maxWaitMs: this.memory.maxWaitMs };
  }
}

const answerBytes = new WeakMap<Context, number>();

export function recordResponseBytes(context: Context, bytes: number): void {
  answerBytes.set(context, bytes);
}

function bytesOfAnswer(context: Context): number {
  return answerBytes.get(context) ?? 0;
}

/** What a caller within the process passes in place of a connection. */
export interface ReaderInProcess {
  /** Takes over memory of an answer, and releases it once the answer has been used. */
  readonly takeOver: (release: () => void) => void;
  /** The request for which it reads, whose client is the one that calls. */
  readonly incoming?: IncomingMessage | undefined;
}

/** Without a connection, as in a test, releases at once. */
function releaseWhenTaken(context: Context, release: () => void): void {
  const { incoming, outgoing, takeOver } = (context.env ?? {}) as Partial<ReaderInProcess> & {
    readonly incoming?: IncomingMessage;
    readonly outgoing?: ServerResponse;
  };
  if (takeOver !== undefined) {
    takeOver(release);
    return;
  }
  const socket = incoming?.socket;
  if (outgoing === undefined || socket === undefined || outgoing.closed || socket.closed) {
    release();
    return;
  }
  const end = (): void => {
    outgoing.off('close', end);
    socket.off('close', end);
    release();
  };
  outgoing.once('close', end);
  // TRICKY: a response that waits behind another one of its connection has no socket yet, and gets no event when the socket closes.
  if (outgoing.socket === null) socket.once('close', end);
}
