/** A number of things that several take from. */
export class Allowance {
  private left: number;

  constructor(total: number) {
    this.left = total;
  }

  /** @returns how many of the wanted ones there are. */
  take(wanted: number): number {
    const taken = Math.max(0, Math.min(wanted, this.left));
    this.left -= taken;
    return taken;
  }

  give(taken: number): void {
    this.left += taken;
  }
}
