import type { OrganizationId } from '../../model/ids.ts';

/** Bytes that the groups of rules may take in memory, and about as many on disk. */
export interface GroupBounds {
  /** Of all rules of one organisation. */
  readonly maxBytesOfOrganization: number;
  /** Of all organisations: one has at most half of what the others leave. */
  readonly maxBytes: number;
}

/** What a rule's groups take, and what they would. */
interface Held {
  readonly organizationId: OrganizationId;
  readonly bytes: number;
  readonly wantedBytes: number;
}

/**
 * Shares the memory for groups among organisations, and within each among its rules: those that want little have it, the others share the
 * rest. What nobody wanted last time is shared by all, for groups come. A rule that has not been evaluated yet wants everything.
 */
export class GroupQuota {
  private readonly bounds: GroupBounds;
  private readonly held = new Map<string, Held>();
  private readonly bytes = new Map<OrganizationId, number>();
  private total = 0;

  constructor(bounds: GroupBounds) {
    this.bounds = bounds;
  }

  /** Bytes of an organisation's groups. */
  bytesOf(organizationId: OrganizationId): number {
    return this.bytes.get(organizationId) ?? 0;
  }

  /** @returns the bytes that each of the rules may hold, by identifier, at the time of the call. */
  sharesOf(organizationId: OrganizationId, ruleIds: readonly string[]): (ruleId: string) => number {
    const wanted = ruleIds.map((id) => ({ id, bytes: this.held.get(id)?.wantedBytes ?? Infinity }));
    const shares = new Map<string, number>();
    let left = this.capacityOf(organizationId);
    for (const [index, { id, bytes }] of wanted.toSorted((one, other) => (one.bytes < other.bytes ? -1 : 1)).entries()) {
      const share = Math.min(bytes, left / (wanted.length - index));
      shares.set(id, share);
      left -= share;
    }
    const spare = left / wanted.length;
    return (id) =>
      Math.min(
        (shares.get(id) ?? 0) + spare,
        this.capacityOf(organizationId) - this.bytesOf(organizationId) + (this.held.get(id)?.bytes ?? 0),
      );
  }

  /** Bytes that all rules of an organisation may hold. */
  capacityOf(organizationId: OrganizationId): number {
    const { maxBytes, maxBytesOfOrganization } = this.bounds;
    const others = this.total - this.bytesOf(organizationId);
    return Math.min(maxBytesOfOrganization, Math.max(0, maxBytes - others) / 2);
  }

  note(ruleId: string, held: Held): void {
    this.forget(ruleId);
    this.held.set(ruleId, held);
    this.add(held.organizationId, held.bytes);
  }

  forget(ruleId: string): void {
    const held = this.held.get(ruleId);
    if (held === undefined) return;
    this.held.delete(ruleId);
    this.add(held.organizationId, -held.bytes);
  }

  private add(organizationId: OrganizationId, bytes: number): void {
    this.total += bytes;
    const own = this.bytesOf(organizationId) + bytes;
    if (own > 0) this.bytes.set(organizationId, own);
    else this.bytes.delete(organizationId);
  }
}
