import { GatelogError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import { conditionsIn } from '../../query/filter/ast.ts';
import type { BodiesRow } from '../../query/requests/columns.ts';
import { requestPart, type StreamPlan } from '../../query/stream/plan.ts';
import type { StreamRow } from '../../query/stream/rows.ts';
import { type BodyReading, readBodyRuns } from '../../reading/body-runs.ts';
import { aliveText, beginningText, type BodyAddressOf, endText, eventOf, passedByEvent, type StreamEvent } from './events.ts';
import { FilterFailures } from '../../reading/filter-failures.ts';
import { decidedThrough, type FilterResult, matchingRows } from '../../reading/matching.ts';
import { PagesBehind } from '../../reading/pages.ts';

/** Events that wait for a client to read. A viewer with more reads from the store at its own pace. */
const maxReadyCharacters = 256 * 1024;
const chunkCharacters = 64 * 1024;
/** Events that are made in one go. */
const eventsInTurn = 50;

/** What the streams share. */
export interface Shared {
  /** Everything up to this number is visible. */
  readonly through: () => number;
  /** Increases when records were erased: what was read before is not sent. */
  readonly generation: () => number;
  /** @returns whether the viewer gets what is new from now on; else it reads on. */
  readonly join: (viewer: Viewer) => boolean;
  readonly leave: (viewer: Viewer) => void;
  /** Runs a read when the turn of its organisation comes. */
  readonly inTurn: <Result>(reading: BodyReading, read: () => Promise<Result>) => Promise<Result>;
}

export interface ViewerOptions {
  readonly plan: StreamPlan;
  readonly principal: Principal;
  readonly reading: BodyReading;
  readonly shared: Shared;
  readonly bodyAddressOf: BodyAddressOf;
  /** Milliseconds between two signs of life. */
  readonly aliveMs: number;
}

/**
 * One live stream. While its client reads, a viewer gets new events from the feed of its organisation. One that is behind reads from the
 * store, from its position on, and joins the feed when it has caught up. Either way it keeps some hundred kilobytes in memory.
 *
 * Invariant: whatever matches up to `position` is sent or ready, and nothing behind it is.
 */
export class Viewer {
  readonly plan: StreamPlan;
  readonly principal: Principal;
  readonly reading: BodyReading;
  readonly withInputs: boolean;
  /** The same for equal filters. */
  readonly filterKey: string;
  private readonly options: ViewerOptions;
  private readonly failures = new FilterFailures();
  private readonly ready: StreamEvent[] = [];
  private readyCharacters = 0;
  private at: number;
  /** Whatever matches up to this number has been handed over. */
  private sent: number;
  private isLive = false;
  private ended: GatelogError | 'stopped' | undefined;
  private wake: (() => void) | undefined;

  constructor(options: ViewerOptions) {
    const { plan, principal, reading, shared } = options;
    this.options = options;
    this.plan = plan;
    this.principal = principal;
    this.reading = reading;
    this.withInputs = conditionsIn(plan.filter).some(({ group }) => group === 'values');
    this.filterKey = JSON.stringify(plan.filter);
    // After a restore from a backup a client may be ahead of all that is stored.
    this.at = Math.min(plan.after ?? Infinity, shared.through());
    this.sent = this.at;
  }

  get position(): number {
    return this.at;
  }

  /** Takes an event from the feed. @returns false when there is no room: the viewer reads on by itself then. */
  offer(event: StreamEvent): boolean {
    const fits = this.readyCharacters + event.text.length <= maxReadyCharacters;
    if (fits) {
      this.ready.push(event);
      this.readyCharacters += event.text.length;
      this.at = event.storedNumber;
    } else {
      this.isLive = false;
    }
    this.wake?.();
    return fits;
  }

  /** What the feed has not offered up to this number does not match. */
  passed(through: number): void {
    this.at = Math.max(this.at, through);
  }

  /** Ends the stream once its filter cannot decide about record after record. */
  decided(rows: readonly StreamRow[], result: FilterResult | undefined): void {
    const givenUp = result && this.failures.after(rows, result, this.reading.monotonic());
    if (givenUp !== undefined) this.end(new GatelogError('invalid_filter', givenUp));
  }

  /** Drops what is ready, to read it again. */
  forget(): void {
    if (this.ready.length === 0) return;
    this.options.shared.leave(this);
    this.clearReady();
    this.at = this.sent;
    this.isLive = false;
    this.wake?.();
  }

  /** @param reason told to the client; `stopped`: it may connect again at once. */
  end(reason: GatelogError | 'stopped'): void {
    this.ended ??= reason;
    this.wake?.();
  }

  /** The stream, in chunks that are made when the client has read the one before. */
  async *chunks(): AsyncGenerator<string, undefined> {
    yield beginningText(this.at);
    try {
      while (this.isOpen()) {
        if (this.ready.length > 0) yield this.takeReady();
        else if (!this.isLive) yield* this.catchUp();
        else if (!(await this.isWoken())) yield this.alive();
      }
    } catch (error) {
      // The client connects again and goes on from where it is.
      if (!(error instanceof GatelogError)) throw error;
      this.ended ??= error;
    }
    if (this.ended !== undefined && this.ended !== 'stopped') yield endText(this.ended);
    return undefined;
  }

  private isOpen(): boolean {
    return this.ended === undefined && !this.reading.signal.aborted;
  }

  private takeReady(): string {
    const text = this.ready.map((event) => event.text).join('');
    this.sent = this.ready.at(-1)?.storedNumber ?? this.sent;
    this.clearReady();
    return text;
  }

  private clearReady(): void {
    this.ready.length = 0;
    this.readyCharacters = 0;
  }

  private alive(): string {
    this.sent = this.at;
    return aliveText(this.at);
  }

  /** Reads up to what is visible now, then joins the feed. */
  private async *catchUp(): AsyncGenerator<string, undefined> {
    const { reading, plan } = this;
    const { shared } = this.options;
    const pages = new PagesBehind(reading, { filter: requestPart(plan.filter), withInputs: this.withInputs });
    const through = shared.through();
    while (this.at < through && this.isOpen()) {
      const generation = shared.generation();
      const page = yield* this.whileAlive(() => pages.next({ after: this.at, through }));
      const decided = yield* this.whileAlive(() => matchingRows(page.rows, [plan.filter], reading));
      const { rows } = decided;
      const result = decided.results.get(plan.filter) ?? nothing;
      const told = rows.filter((row) => result.matched.has(row) || result.passedBy.has(row));
      const wasAllSent = yield* this.send(told, result, generation);
      reading.memory.keepAnswer(0);
      if (wasAllSent) this.at = decidedThrough(page, decided);
      this.sent = this.at;
      if (wasAllSent) this.decided(rows, result);
    }
    this.isLive = this.isOpen() && shared.join(this);
    return undefined;
  }

  /** @returns false when records were erased since they were read: the rest is read again. */
  private async *send(rows: readonly StreamRow[], result: FilterResult, generation: number): AsyncGenerator<string, boolean> {
    const made = this.eventsOf(rows, result);
    try {
      for (;;) {
        const { done, value: events } = yield* this.whileAlive(() => made.next());
        if (done === true) return true;
        for (const chunk of chunksOf(events)) {
          if (this.options.shared.generation() !== generation || !this.isOpen()) return false;
          this.at = chunk.storedNumber;
          this.sent = chunk.storedNumber;
          yield chunk.text;
        }
      }
    } finally {
      await made.return(undefined);
    }
  }

  private async *eventsOf(rows: readonly StreamRow[], { passedBy }: FilterResult): AsyncGenerator<readonly StreamEvent[], undefined> {
    const { reading, plan } = this;
    const { bodyAddressOf } = this.options;
    const told = (row: StreamRow, bodies: BodiesRow | undefined): StreamEvent => {
      const reason = passedBy.get(row);
      return reason === undefined ? eventOf(row, bodies, bodyAddressOf) : passedByEvent(row, reason);
    };
    if (plan.includeBodies) {
      for await (const { rows: some, bodies } of readBodyRuns(reading, rows)) {
        yield some.map((row) => told(row, bodies.get(row.id)));
      }
      return undefined;
    }
    for (let first = 0; first < rows.length; first += eventsInTurn) {
      yield rows.slice(first, first + eventsInTurn).map((row) => told(row, undefined));
    }
    return undefined;
  }

  /** Does some work in turn; shows signs of life until it is done. */
  private async *whileAlive<Result>(work: () => Promise<Result>): AsyncGenerator<string, Result> {
    const { reading } = this;
    const { shared } = this.options;
    const progress = { isDone: false };
    const running = shared.inTurn(reading, work).finally(() => {
      progress.isDone = true;
      this.wake?.();
    });
    running.catch(() => undefined);
    // Left alone, the work of a client that has gone ends by itself.
    while (!progress.isDone && !reading.signal.aborted) if (!(await this.isWoken())) yield this.alive();
    return running;
  }

  /** @returns false when nothing has happened for so long that the client needs a sign of life. */
  private isWoken(): Promise<boolean> {
    const { signal } = this.reading;
    return new Promise((resolve) => {
      const done = (isWoken: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', woken);
        this.wake = undefined;
        resolve(isWoken);
      };
      const woken = (): void => done(true);
      const timer = setTimeout(() => done(false), this.options.aliveMs);
      this.wake = woken;
      signal.addEventListener('abort', woken, { once: true });
      if (signal.aborted) woken();
    });
  }
}

const nothing: FilterResult = { matched: new Set(), passedBy: new Map() };

function* chunksOf(events: readonly StreamEvent[]): Generator<StreamEvent> {
  let text = '';
  for (const [index, event] of events.entries()) {
    text += event.text;
    if (text.length < chunkCharacters && index < events.length - 1) continue;
    yield { storedNumber: event.storedNumber, text };
    text = '';
  }
}
