/** Clocks in milliseconds that never step back. */
export interface WorkClocks {
  readonly monotonic: () => number;
  /** CPU time of this thread; undefined where the system does not tell it. Slower to read than the other. */
  readonly threadTime: (() => number) | undefined;
  /** How long the thread has waited for something to do. */
  readonly idleTime?: () => number;
}

/** Milliseconds. */
export interface WorkBounds {
  readonly allowedMs: number;
  readonly maxCpuMs: number;
}

/** A rule whose work on a text exceeds what it may do. */
export class RuleTooSlow extends Error {
  override readonly name = 'RuleTooSlow';

  constructor(rule: number, allowedMs: number) {
    super(`rule ${rule + 1} takes more than the ${Math.round(allowedMs)} ms that it may`);
  }
}

/** The CPU time is read this often, since reading it costs a microsecond. */
const pieceMs = 0.1;
/** A step of a search takes 1 to 10 ns; more while its code is still being compiled. */
const maxMsPerStep = 0.000_02;

/**
 * Measures what searches of patterns cost the thread, in pieces of a tenth of a millisecond. A piece counts as the CPU time that it took, and
 * as no more than its searches can need for their steps: so neither a busy machine, nor work between searches, makes a rule slow.
 */
export class RuleWork {
  private readonly monotonic: () => number;
  private readonly threadTime: () => number;
  private readonly knowsThreadTime: boolean;
  private readonly byRule = new Map<number, number>();
  private spent = 0;
  private largestMs = 0;
  private bounds: WorkBounds = { allowedMs: Infinity, maxCpuMs: Infinity };
  private startedAt = 0;
  private steps = 0;
  private pieceAt = 0;
  private pieceCpuAt = 0;

  constructor({ monotonic, threadTime }: WorkClocks) {
    this.monotonic = monotonic;
    this.threadTime = threadTime ?? monotonic;
    this.knowsThreadTime = threadTime !== undefined;
  }

  /** Milliseconds since `begin`. */
  get spentMs(): number {
    return this.spent;
  }

  /** Whether most of it was one piece: a pause of the thread that collects garbage looks like that, and a long search. */
  get isOnePiece(): boolean {
    return this.largestMs > this.spent / 2;
  }

  /** @param bounds what the rules may take, and the most CPU time until their last search. */
  begin(bounds: WorkBounds): void {
    this.byRule.clear();
    this.spent = 0;
    this.largestMs = 0;
    this.bounds = bounds;
    this.beginPiece(this.monotonic(), this.threadTime());
    this.startedAt = this.pieceCpuAt;
  }

  /** @throws RuleTooSlow. */
  note(rule: number, steps: number): void {
    this.steps += steps;
    const now = this.monotonic();
    if (now - this.pieceAt < pieceMs) return;
    const cpu = this.threadTime();
    const ms = Math.min(cpu - this.pieceCpuAt, this.steps * maxMsPerStep);
    this.spent += ms;
    this.largestMs = Math.max(this.largestMs, ms);
    this.byRule.set(rule, (this.byRule.get(rule) ?? 0) + ms);
    this.beginPiece(now, cpu);
    const { allowedMs, maxCpuMs } = this.bounds;
    if (this.spent > allowedMs) throw new RuleTooSlow(this.slowest(rule), allowedMs);
    if (this.knowsThreadTime && cpu - this.startedAt > maxCpuMs) throw new RuleTooSlow(this.slowest(rule), maxCpuMs);
  }

  private beginPiece(now: number, cpu: number): void {
    this.pieceAt = now;
    this.pieceCpuAt = cpu;
    this.steps = 0;
  }

  private slowest(last: number): number {
    return [...this.byRule].reduce((slowest, each) => (each[1] > slowest[1] ? each : slowest), [last, 0])[0];
  }
}
