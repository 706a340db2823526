/** Seeded random numbers (mulberry32). */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A whole number from 0 to below `sides`. */
  below(sides: number): number {
    this.state = (this.state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  /** A random element. @throws when there is none. */
  of<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('there is nothing to choose from');
    return choice;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Uint8Array.from({ length }, () => this.below(256)));
  }

  /** Cuts bytes into pieces, many of them tiny, so that cuts fall inside of characters, lines and events. */
  pieces(whole: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length;) {
      const length = 1 + this.below(this.of([2, 7, 40, 400, whole.length]));
      pieces.push(whole.subarray(at, at + length));
      at += length;
    }
    return pieces;
  }
}
