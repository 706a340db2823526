import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { FrameLocation, Position } from '../spool/spool.ts';

/**
 * An exchange that the drain knows and the store does not have yet. `travelling`: its property updates are kept in the metadata database and
 * go into the record. `sealed`: its record is being stored, so an update waits for that and then changes the stored row.
 */
export interface OpenExchange {
  readonly series: string;
  readonly stream: number;
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  /** Unix milliseconds. */
  readonly openedAt: number;
  readonly frames: FrameLocation[];
  /** Bytes of all payloads so far. */
  bytes: number;
  /** Where its `end` frame ends; undefined while it is open. */
  endsAt: Position | undefined;
  state: 'travelling' | 'sealed';
  /** Updates that are being written to the metadata database; the seal waits for them. */
  readonly updatesUnderWay: Set<Promise<void>>;
  /** Settles when the store has the record. */
  readonly stored: Promise<void>;
  readonly markStored: () => void;
}

export interface NewExchange {
  readonly series: string;
  readonly stream: number;
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  readonly openedAt: number;
}

export function makeOpenExchange(fresh: NewExchange): OpenExchange {
  let markStored = (): void => undefined;
  const stored = new Promise<void>((resolve) => {
    markStored = resolve;
  });
  return { ...fresh, frames: [], bytes: 0, endsAt: undefined, state: 'travelling', updatesUnderWay: new Set(), stored, markStored };
}

/** Exchanges that are not in the store yet, by their organisation and identifier. */
export class InFlight {
  private readonly exchanges = new Map<string, OpenExchange>();

  add(exchange: OpenExchange): void {
    this.exchanges.set(keyOf(exchange.organizationId, exchange.requestId), exchange);
  }

  find(organizationId: OrganizationId, requestId: RequestId): OpenExchange | undefined {
    return this.exchanges.get(keyOf(organizationId, requestId));
  }

  remove(exchange: OpenExchange): void {
    const key = keyOf(exchange.organizationId, exchange.requestId);
    if (this.exchanges.get(key) === exchange) this.exchanges.delete(key);
  }

  get size(): number {
    return this.exchanges.size;
  }
}

function keyOf(organizationId: OrganizationId, requestId: RequestId): string {
  return `${organizationId}/${requestId}`;
}
