/** An organisation that has sent nothing for so long does not wait for anybody. */
const recentMs = 10_000;

/** The organisations of which there were records in the last seconds. */
export class RecentOwners {
  private readonly seenAt = new Map<string, number>();

  /** @param now monotonic milliseconds. @returns how many there are, with these. */
  note(owners: Iterable<string>, now: number): number {
    for (const owner of owners) {
      // The map's order is that of the times.
      this.seenAt.delete(owner);
      this.seenAt.set(owner, now);
    }
    for (const [owner, at] of this.seenAt) {
      if (now - at <= recentMs) break;
      this.seenAt.delete(owner);
    }
    return this.seenAt.size;
  }
}
