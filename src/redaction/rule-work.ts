/** Clocks in milliseconds that never step back. */
export interface WorkClocks {
  readonly monotonic: () => number;
  /** CPU time of this thread; undefined where the system does not tell it. Slower to read than the other. */
  readonly threadTime: (() => number) | undefined;
  /** How long the thread has waited for something to do. */
  readonly idleTime?: () => number;
}

export interface WorkBounds {
  readonly allowedMs: number;
  readonly maxCpuMs: number;
  /** Rules, by their index, that were slow before, and what they may take together. */
  readonly slow?: { readonly rules: ReadonlySet<number>; readonly allowedMs: number };
}

/** A rule whose work on a text exceeds what it may do. */
export class RuleTooSlow extends Error {
  override readonly name = 'RuleTooSlow';
  /** Its index. */
  readonly rule: number;

  constructor(rule: number, allowedMs: number) {
    super(`rule ${rule + 1} takes more than the ${allowedMs < 1 ? allowedMs.toFixed(1) : Math.round(allowedMs)} ms that it may`);
    this.rule = rule;
  }
}

/** The CPU time is read this often, since reading it costs a microsecond. */
const pieceMs = 0.1;
const oddFactor = 4;
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
  private spentBySlow = 0;
  private pieces = 0;
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

  /** Those of the rules that were slow before. */
  get spentBySlowMs(): number {
    return this.spentBySlow;
  }

  /** Whether one piece took many times as long as the others: a pause of the thread that collects garbage looks like that, and a long search. */
  get hasOddPiece(): boolean {
    const ofOthers = (this.spent - this.largestMs) / Math.max(1, this.pieces - 1);
    return this.largestMs > oddFactor * ofOthers;
  }

  /** @param bounds what the rules may take, and the most CPU time until their last search. */
  begin(bounds: WorkBounds): void {
    this.byRule.clear();
    this.spent = 0;
    this.spentBySlow = 0;
    this.pieces = 0;
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
    this.pieces += 1;
    this.largestMs = Math.max(this.largestMs, ms);
    this.byRule.set(rule, (this.byRule.get(rule) ?? 0) + ms);
    this.beginPiece(now, cpu);
    const { allowedMs, maxCpuMs, slow } = this.bounds;
    if (this.spent > allowedMs) throw new RuleTooSlow(this.slowest(rule), allowedMs);
    if (slow?.rules.has(rule) === true) {
      this.spentBySlow += ms;
      if (this.spentBySlow > slow.allowedMs) throw new RuleTooSlow(rule, slow.allowedMs);
    }
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
