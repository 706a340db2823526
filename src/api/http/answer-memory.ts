import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { GatelogError } from '../../model/errors.ts';
import { FairTurns, type Permit } from '../../platform/fair-turns.ts';

/** Bytes of all bodies and properties in one answer. They are in memory several times on their way into it. */
export const answerMaxBytes = 64 * 1024 * 1024;
/** An answer of fewer bytes is not counted: there are at most so many of them as connections. */
const freeBytes = 64 * 1024;
/** A row of a page without its bodies, while it is read and shown. */
const rowBytes = 4096;
/** While an answer is put together its texts are in memory so many times: as the store gave them, as rows, and as they are sent. */
const timesInMemory = 3;
/** Calls of one organisation that wait for memory. */
const maxWaitingOfOwner = 500;

/** Bounds of {@link AnswerMemory}. */
export interface AnswerMemoryOptions {
  /** Of all answers together. */
  readonly maxBytes: number;
  /** Milliseconds that a call waits for its part. */
  readonly maxWaitMs: number;
}

/**
 * The memory for answers: those that are put together, and those that wait to be taken by their clients. It is shared out in turns, an organisation at a
 * time, and one has half of it at most, so that clients that take nothing, and pages that are asked for in hundreds, are in the way of nobody else.
 *
 * Invariant: whoever waits for memory of an answer holds none, but for the rows of its page, which have a pool of their own, and the turn of an oversized
 * answer, for which nobody waits who holds an answer; so nobody waits for ever.
 */
export class AnswerMemory {
  readonly maxWaitMs: number;
  readonly rows: FairTurns;
  readonly answers: FairTurns;
  /** Bytes of `answers` that one organisation holds at most. */
  readonly maxAnswersOfOwner: number;
  /** An answer that may take more than that is put together alone, and counts as that. */
  readonly oversized = new FairTurns({ units: 1, maxUnitsOfOwner: 1, maxWaitingOfOwner, refusal });

  constructor({ maxBytes, maxWaitMs }: AnswerMemoryOptions) {
    this.maxWaitMs = maxWaitMs;
    const rows = Math.floor(maxBytes / 4);
    this.maxAnswersOfOwner = Math.floor((maxBytes - rows) / 2);
    this.rows = poolOf(rows, Math.floor(rows / 2));
    this.answers = poolOf(maxBytes - rows, this.maxAnswersOfOwner);
  }
}

function poolOf(units: number, maxUnitsOfOwner: number): FairTurns {
  return new FairTurns({ units, maxUnitsOfOwner, maxWaitingOfOwner, refusal });
}

function refusal(): GatelogError {
  return new GatelogError(
    'service_busy',
    'There is no memory for this answer at the moment. Ask for fewer at once, or for a smaller `limit`, take the answers that are there, and try again in a moment.',
  );
}

/** What one call holds of the memory. */
export class CallMemory {
  private readonly memory: AnswerMemory;
  private readonly signal: AbortSignal;
  private owner = '';
  private rows: Permit | undefined;
  private answer: Permit | undefined;
  private oversized: Permit | undefined;

  constructor(memory: AnswerMemory, signal: AbortSignal) {
    this.memory = memory;
    this.signal = signal;
  }

  /** For whom the call is. */
  ownedBy(owner: string): this {
    this.owner = owner;
    return this;
  }

  /** To be called before so many rows are read. @throws GatelogError `service_busy`. */
  async takeRows(count: number): Promise<void> {
    if (this.rows !== undefined || count * rowBytes <= freeBytes) return;
    this.rows = await this.memory.rows.take(count * rowBytes, this.asker());
  }

  /** To be called before an answer with so many bytes of texts is put together; what was taken before for it goes back. @throws GatelogError `service_busy`. */
  async takeAnswer(textBytes: number): Promise<void> {
    this.releaseAnswer();
    const bytes = textBytes * timesInMemory;
    if (bytes > this.memory.maxAnswersOfOwner) this.oversized = await this.memory.oversized.take(1, this.asker());
    this.answer = await this.memory.answers.take(bytes, this.asker());
  }

  /** To be called when it is known that the texts have no more bytes than these. */
  keepAnswer(textBytes: number): void {
    this.keep(textBytes * timesInMemory);
  }

  /**
   * Does the work of a call. What it took is held until its answer is with its client, and given back if it has none. @throws what the work does, or GatelogError
   * `service_busy`.
   */
  async during(context: Context, work: () => Response | Promise<Response>): Promise<Response> {
    try {
      const response = await work();
      await this.settle(bytesOfAnswer(context));
      if (this.answer !== undefined) releaseWhenTaken(context, () => this.release());
      return response;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  private async settle(bytes: number): Promise<void> {
    if (bytes > freeBytes) this.answer ??= await this.memory.answers.take(bytes, this.asker());
    this.keep(bytes);
    this.rows?.release();
  }

  private keep(bytes: number): void {
    this.answer?.keep(bytes);
    if (bytes <= this.memory.maxAnswersOfOwner) this.oversized?.release();
  }

  private release(): void {
    this.rows?.release();
    this.releaseAnswer();
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

/** Says how many bytes a call's answer has. */
export function noteAnswerBytes(context: Context, bytes: number): void {
  answerBytes.set(context, bytes);
}

function bytesOfAnswer(context: Context): number {
  return answerBytes.get(context) ?? 0;
}

/** Where there is no connection, as in a test, an answer is taken at once. */
function releaseWhenTaken(context: Context, release: () => void): void {
  const { incoming, outgoing } = (context.env ?? {}) as { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse };
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
  // TRICKY: an answer that stands behind another one of its connection has no socket yet, and does not hear of its end.
  if (outgoing.socket === null) socket.once('close', end);
}
