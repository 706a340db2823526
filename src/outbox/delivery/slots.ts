import { Gate } from './gate.ts';

/** Attempts at once over all destinations. */
const maxAtOnce = 256;
/** Once half of all are taken, a destination begins no more while it has so many. */
const fewAtOnce = 2;

/** Whoever may begin an attempt again. */
export type Waiter = () => void;

/**
 * Shares the attempts at once among destinations. Half of all are kept for destinations that have only few: a hundred slow ones delay no
 * other.
 */
export class Slots {
  readonly #concurrency: number;
  readonly #gates = new Map<string, Gate>();
  readonly #waiting = new Map<Waiter, Gate>();
  #inFlight = 0;

  /** @param concurrency to one destination. */
  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** @param failedInARow of the target that asks first. */
  gateOf(destination: string, failedInARow: number): Gate {
    const there = this.#gates.get(destination);
    if (there !== undefined) return there;
    const gate = new Gate(this.#concurrency, failedInARow);
    this.#gates.set(destination, gate);
    return gate;
  }

  /** Forgets a destination without attempts; how often it failed in a row is stored. */
  forget(destination: string): void {
    if (this.#gates.get(destination)?.inFlight === 0) this.#gates.delete(destination);
  }

  /** Forgets the failures of a destination. */
  reopen(destination: string): void {
    this.#gates.get(destination)?.reset();
  }

  free(gate: Gate, now: number): number {
    const ofAll = maxAtOnce - this.#inFlight;
    const left = this.#inFlight < maxAtOnce / 2 ? ofAll : Math.min(ofAll, fewAtOnce - gate.inFlight);
    return Math.max(0, Math.min(left, gate.freeAt(now)));
  }

  /** Calls `waiter` once, when an attempt has ended whose place it may take. */
  await(gate: Gate, waiter: Waiter): void {
    this.#waiting.set(waiter, gate);
  }

  began(gate: Gate): void {
    this.#inFlight += 1;
    gate.began();
  }

  /** Call it after the gate has been told how the attempt ended. */
  ended(gate: Gate): void {
    this.#inFlight -= 1;
    // Of another destination only the one that waits longest: one place is free.
    let others = 1;
    for (const [waiter, awaited] of this.#waiting) {
      if (awaited !== gate) {
        if (others === 0) continue;
        others -= 1;
      }
      this.#waiting.delete(waiter);
      waiter();
    }
  }
}
