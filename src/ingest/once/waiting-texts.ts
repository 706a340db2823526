import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { ByteBoundedMap } from '../../platform/bounds/byte-bounded-map.ts';

/** Texts that wait in the store for the request of one span. */
export interface WaitingSpan {
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly ids: readonly RequestId[];
  readonly bytes: number;
  /** When this process learned of the newest, Unix milliseconds. */
  readonly since: number;
}

interface KnownSpan extends WaitingSpan {
  readonly ids: RequestId[];
  readonly known: Set<RequestId>;
}

/** Of one organisation, and of all. The texts lie in the store; in memory are their names. */
export const waitingBounds = {
  maxBytesOfOwner: 64 * 1024 * 1024,
  maxBytes: 256 * 1024 * 1024,
  bytesOfName: 512,
  maxMs: 3_600_000,
} as const;

/** Knows which texts wait in the store. What is over the bounds goes, the oldest of the organisation with the most first. */
export class WaitingTexts {
  private readonly spans: ByteBoundedMap<KnownSpan>;
  /** Texts that wait no more and are still in the store. */
  private readonly gone = new Map<OrganizationId, RequestId[]>();
  private readonly onDrop: () => void;

  /** @param onDrop told of each span whose texts go without a request. */
  constructor(onDrop: () => void) {
    this.onDrop = onDrop;
    const { maxBytes, maxBytesOfOwner } = waitingBounds;
    this.spans = new ByteBoundedMap({ maxBytes, maxBytesOfOwner, onForget: (span) => this.drop(span) });
  }

  get(organizationId: OrganizationId, name: string): WaitingSpan | undefined {
    return this.spans.get(organizationId, name);
  }

  add({ organizationId, name, ids, bytes, since }: WaitingSpan): void {
    const before = this.spans.get(organizationId, name);
    const fresh = ids.filter((id) => before?.known.has(id) !== true);
    if (fresh.length === 0) return;
    const all = (before?.bytes ?? 0) + bytes + waitingBounds.bytesOfName;
    // TRICKY: one span may have tens of thousands; a copy of the list for each would take seconds.
    const list = before?.ids ?? [];
    const known = before?.known ?? new Set<RequestId>();
    for (const id of fresh) {
      list.push(id);
      known.add(id);
    }
    this.spans.set(organizationId, name, { organizationId, name, ids: list, known, bytes: all, since }, all);
  }

  /** Their request has them, or needs none. */
  end(span: WaitingSpan): void {
    this.spans.delete(span.organizationId, span.name);
    this.leave(span);
  }

  /** Ends those of an organisation that have waited too long. @param now Unix milliseconds. */
  expire(organizationId: OrganizationId, now: number): void {
    for (;;) {
      const oldest = this.spans.oldest(organizationId);
      if (oldest === undefined || now - oldest.since < waitingBounds.maxMs) return;
      this.spans.delete(organizationId, oldest.name);
      this.drop(oldest);
    }
  }

  /** Texts to remove from the store. They are asked for again until {@link removed}. */
  toRemove(organizationId: OrganizationId): readonly RequestId[] {
    return this.gone.get(organizationId) ?? [];
  }

  removed(organizationId: OrganizationId): void {
    this.gone.delete(organizationId);
  }

  private drop(span: WaitingSpan): void {
    this.onDrop();
    this.leave(span);
  }

  private leave({ organizationId, ids }: WaitingSpan): void {
    const own = this.gone.get(organizationId);
    const all = own ?? [];
    for (const id of ids) all.push(id);
    if (own === undefined) this.gone.set(organizationId, all);
  }
}
