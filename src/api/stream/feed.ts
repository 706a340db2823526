import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { makeBackoff } from '../../platform/backoff.ts';
import type { FilterNode } from '../../query/filter/ast.ts';
import type { Arrivals, StreamRow } from '../../query/stream/rows.ts';
import { failureText } from '../../store/engine/failure.ts';
import { type BodyReading, readBodyRuns } from '../../reading/body-runs.ts';
import { type BodyAddressOf, eventOf, passedByEvent, type StreamEvent } from './events.ts';
import { decidedThrough, type FilterResult, type Matched, matchingRows } from '../../reading/matching.ts';
import { newRows, readPage } from '../../reading/pages.ts';
import type { Shared, Viewer } from './viewer.ts';

/** Between the starts of two reads. */
const minIntervalMs = 100;
/** After so much work other calls have their turn. */
const maxSliceMs = 5;
/** Batches whose times are kept apart. */
const maxBatches = 1000;

export interface FeedOptions {
  readonly shared: Pick<Shared, 'through' | 'generation'>;
  readonly reading: BodyReading;
  readonly bodyAddressOf: BodyAddressOf;
  readonly observe: Observe;
  /** Runs a read when its turn among the feeds comes. */
  readonly inTurn: <Result>(owner: OrganizationId, read: () => Promise<Result>) => Promise<Result>;
}

/** A stored batch and the times of the organisation's records in it; undefined without any. */
interface StoredBatch {
  readonly through: number;
  readonly times: Arrivals | undefined;
}

/** By the keys of filters. */
type Results = ReadonlyMap<string, FilterResult | undefined>;

/**
 * What is new in an organisation, for all its viewers: each record is read from the store once, decided for each filter, and made an event
 * once. The feed rests for as long as it works, so that it never takes more than half of a core from the ingest; it falls behind then, and
 * with it its viewers, but nothing is left out.
 */
export class Feed {
  private readonly options: FeedOptions;
  private readonly viewers = new Set<Viewer>();
  /** All viewers have what matches up to this number. */
  private position: number;
  /** Of the page that is being read. */
  private readingThrough = -Infinity;
  private batches: StoredBatch[] = [];
  /** The batches behind this number are known. */
  private readonly knownFrom: number;
  private isRunning = false;
  private startedAt = -Infinity;
  private workedMs = 0;
  private isClosed = false;

  /** @param position of its first viewer. */
  constructor(options: FeedOptions, position: number) {
    this.options = options;
    this.position = position;
    this.knownFrom = options.shared.through();
  }

  get size(): number {
    return this.viewers.size;
  }

  /** @returns false when the feed is ahead of the viewer. */
  join(viewer: Viewer): boolean {
    if (viewer.position < Math.max(this.position, this.readingThrough)) return false;
    if (this.viewers.size === 0) this.reach(viewer.position);
    this.viewers.add(viewer);
    this.start();
    return true;
  }

  leave(viewer: Viewer): void {
    this.viewers.delete(viewer);
  }

  close(): void {
    this.isClosed = true;
  }

  /** A batch was stored. */
  note(times: Arrivals | undefined): void {
    this.batches.push({ through: this.options.shared.through(), times });
    if (this.batches.length > maxBatches) this.batches = [joined(this.batches)];
    this.start();
  }

  private start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    void this.run();
  }

  private async run(): Promise<void> {
    const { reading, observe, inTurn } = this.options;
    const backoff = makeBackoff(100, 5000);
    while (this.hasWork()) {
      try {
        await this.rest();
        await inTurn(reading.tenant, () => this.step());
        backoff.reset();
      } catch (error) {
        if (!this.hasWork()) break;
        observe({ kind: 'api_failed', endpoint: 'GET /v1/request/stream', reason: failureText(error) });
        await wait(backoff.nextDelayMs());
      }
    }
    this.isRunning = false;
  }

  private hasWork(): boolean {
    return !this.isClosed && this.viewers.size > 0 && this.position < this.options.shared.through();
  }

  private async rest(): Promise<void> {
    const restMs = this.startedAt + Math.max(minIntervalMs, 2 * this.workedMs) - this.options.reading.monotonic();
    if (restMs > 0) await wait(restMs);
  }

  private async step(): Promise<void> {
    const { shared, reading } = this.options;
    this.startedAt = reading.monotonic();
    this.readingThrough = shared.through();
    try {
      const { through, times } = joined(this.batches);
      const isKnown = this.position >= this.knownFrom && through === this.readingThrough;
      if (isKnown && times === undefined) this.reach(through);
      else await this.read(isKnown ? times : undefined);
    } finally {
      this.readingThrough = -Infinity;
      this.workedMs = reading.monotonic() - this.startedAt;
    }
  }

  private async read(arrivals: Arrivals | undefined): Promise<void> {
    const { shared, reading } = this.options;
    const generation = shared.generation();
    const filters = new Map<string, FilterNode>();
    for (const { filterKey, plan } of this.viewers) filters.set(filterKey, plan.filter);
    const withInputs = [...this.viewers].some((viewer) => viewer.withInputs);
    const range = { after: this.position, through: this.readingThrough };
    const page = await readPage(reading, { ...newRows, range, arrivals, withInputs });
    const decided = await matchingRows(page.rows, [...filters.values()], reading);
    const byKey: Results = new Map([...filters].map(([key, filter]) => [key, decided.results.get(filter)]));
    const wereAllOffered = (await this.offerRows(decided, byKey, generation)) && (await this.offerBodies(decided, byKey, generation));
    reading.memory.keepAnswer(0);
    if (!wereAllOffered) return;
    this.reach(decidedThrough(page, decided));
    for (const viewer of this.viewers) viewer.decided(decided.rows, byKey.get(viewer.filterKey));
  }

  /** @returns false when records were erased meanwhile: the page is read again. */
  private async offerRows({ rows }: Matched, results: Results, generation: number): Promise<boolean> {
    const { shared, reading, bodyAddressOf } = this.options;
    const takers = [...this.viewers].filter(({ plan }) => !plan.includeBodies);
    let sliceEndsAt = reading.monotonic() + maxSliceMs;
    for (const row of rows) {
      if (shared.generation() !== generation) return false;
      let event: StreamEvent | undefined;
      for (const viewer of takers) {
        const result = results.get(viewer.filterKey);
        if (result?.matched.has(row) === true) this.offer(viewer, (event ??= eventOf(row, undefined, bodyAddressOf)));
        else this.tell(viewer, row, result);
      }
      if (reading.monotonic() < sliceEndsAt) continue;
      await nextTurn();
      sliceEndsAt = reading.monotonic() + maxSliceMs;
    }
    return true;
  }

  private async offerBodies({ rows }: Matched, results: Results, generation: number): Promise<boolean> {
    const { shared, reading, bodyAddressOf } = this.options;
    const takers = [...this.viewers].filter(({ plan }) => plan.includeBodies);
    const isMatched = (row: StreamRow, { filterKey }: Viewer): boolean => results.get(filterKey)?.matched.has(row) === true;
    const isTold = (row: StreamRow, viewer: Viewer): boolean =>
      isMatched(row, viewer) || results.get(viewer.filterKey)?.passedBy.has(row) === true;
    const wanted = rows.filter((row) => takers.some((viewer) => isTold(row, viewer)));
    for await (const { rows: some, bodies } of readBodyRuns(reading, wanted)) {
      if (shared.generation() !== generation) return false;
      for (const row of some) {
        const event = eventOf(row, bodies.get(row.id), bodyAddressOf);
        for (const viewer of takers) {
          if (isMatched(row, viewer)) this.offer(viewer, event);
          else this.tell(viewer, row, results.get(viewer.filterKey));
        }
      }
    }
    return true;
  }

  /** Tells a viewer of a record about which its filter could not decide. */
  private tell(viewer: Viewer, row: StreamRow, result: FilterResult | undefined): void {
    const reason = result?.passedBy.get(row);
    if (reason !== undefined) this.offer(viewer, passedByEvent(row, reason));
  }

  private offer(viewer: Viewer, event: StreamEvent): void {
    if (!this.viewers.has(viewer) || event.storedNumber <= viewer.position) return;
    if (!viewer.offer(event)) this.viewers.delete(viewer);
  }

  private reach(through: number): void {
    this.position = Math.max(this.position, through);
    this.batches = this.batches.filter((batch) => batch.through > through);
    for (const viewer of this.viewers) viewer.passed(through);
  }
}

function joined(batches: readonly StoredBatch[]): StoredBatch {
  const times = batches.map((batch) => batch.times).filter((range) => range !== undefined);
  const through = batches.at(-1)?.through ?? -Infinity;
  if (times.length === 0) return { through, times: undefined };
  return { through, times: { fromMs: Math.min(...times.map(({ fromMs }) => fromMs)), toMs: Math.max(...times.map(({ toMs }) => toMs)) } };
}
