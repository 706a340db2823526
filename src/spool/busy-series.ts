import type { Payload } from './write-batch.ts';
import type { PositionedWriter, SpoolWriter } from './writer.ts';

const busyPrefix = 'busy-';

/** The series of a process for records of organisations that write much at the moment. */
export function busySeriesName(series: string): string {
  return `${busyPrefix}${series}`;
}

/** Whether records of a series wait for those of organisations that write little. */
export function isBusySeries(series: string): boolean {
  return series.startsWith(busyPrefix);
}

/** What records one exchange, from its first frame to its last. */
export type CallSpool = Pick<SpoolWriter, 'newStream' | 'append' | 'whenWritten'>;

/** As {@link CallSpool}, of a writer that tells how far it is. */
export type PositionedCallSpool = Pick<PositionedWriter, 'series' | 'newStream' | 'append' | 'whenWritten' | 'position'>;

/** An exchange with few bytes is work too. */
const exchangeBytes = 4096;
/** What an organisation may write at once, and in a second from then on, before it counts as busy: about a sixth of what a core stores. */
const calm = { bytes: 4 * 1024 * 1024, bytesPerSecond: 1024 * 1024 };
/** Organisations in memory, before those are forgotten that have written nothing lately. */
const keptOrganizations = 1024;
/** Milliseconds between two looks for such. */
const forgetEveryMs = 1000;

export interface SeriesPair {
  readonly prompt: PositionedWriter;
  readonly busy: PositionedWriter;
  readonly monotonic: () => number;
}

/**
 * A series is stored in the order in which it was written. So that nobody's records wait behind the thousands that another organisation has
 * just sent, who writes much writes into a series of its own kind, which has its own turn in the store: see `formBatch`.
 */
export class SpoolByLoad {
  private readonly pair: SeriesPair;
  private readonly loads = new Map<string, Load>();
  private forgotAt = Number.NEGATIVE_INFINITY;

  constructor(pair: SeriesPair) {
    this.pair = pair;
  }

  /** Number of organisations in memory. */
  get remembered(): number {
    return this.loads.size;
  }

  /** For one exchange: all its frames go into one series, and count. */
  of(organizationId: string): PositionedCallSpool {
    const load = this.loads.get(organizationId) ?? this.added(organizationId);
    load.add(exchangeBytes);
    return load.isBusy() ? load.busy : load.prompt;
  }

  /** Whether the next exchange of an organisation begins in the busy series. */
  isBusy(organizationId: string): boolean {
    return this.loads.get(organizationId)?.isBusy() === true;
  }

  private added(organizationId: string): Load {
    if (this.loads.size >= keptOrganizations) this.forgetIdle();
    const load = new Load(this.pair);
    this.loads.set(organizationId, load);
    return load;
  }

  private forgetIdle(): void {
    const now = this.pair.monotonic();
    if (now - this.forgotAt < forgetEveryMs) return;
    this.forgotAt = now;
    for (const [name, load] of this.loads) if (load.isIdle()) this.loads.delete(name);
  }
}

/** What an organisation wrote lately: a vessel that leaks. */
class Load {
  readonly prompt: CountedSpool;
  readonly busy: CountedSpool;
  private readonly monotonic: () => number;
  private bytes = 0;
  private at: number;

  constructor({ prompt, busy, monotonic }: SeriesPair) {
    this.monotonic = monotonic;
    this.at = monotonic();
    this.prompt = new CountedSpool(prompt, this);
    this.busy = new CountedSpool(busy, this);
  }

  add(bytes: number): void {
    this.bytes += bytes;
  }

  isBusy(): boolean {
    this.leak();
    return this.bytes > calm.bytes;
  }

  isIdle(): boolean {
    this.leak();
    return this.bytes === 0;
  }

  private leak(): void {
    const now = this.monotonic();
    this.bytes = Math.max(0, this.bytes - ((now - this.at) / 1000) * calm.bytesPerSecond);
    this.at = now;
  }
}

/** About its bytes: a text is counted by its characters. */
function lengthOf(payload: Payload): number {
  return typeof payload !== 'string' && 'text' in payload ? payload.text.length + payload.bytes.length : payload.length;
}

class CountedSpool implements PositionedCallSpool {
  private readonly writer: PositionedWriter;
  private readonly load: Load;

  constructor(writer: PositionedWriter, load: Load) {
    this.writer = writer;
    this.load = load;
  }

  get series(): string {
    return this.writer.series;
  }

  newStream(): number {
    return this.writer.newStream();
  }

  append(stream: number, kind: number, payload: Payload, stamp?: number): void {
    this.load.add(lengthOf(payload));
    this.writer.append(stream, kind, payload, stamp);
  }

  whenWritten(stream: number, callback: (written: boolean) => void): void {
    this.writer.whenWritten(stream, callback);
  }

  position(): ReturnType<PositionedWriter['position']> {
    return this.writer.position();
  }
}
