import { GatelogError } from '../model/errors.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { UpdateProperties } from '../store/update.ts';
import type { InFlight, OpenExchange, Settlement } from './open-exchange.ts';
import type { PendingUpdates } from './pending-updates.ts';

export interface PropertyUpdaterPorts {
  /** Reads everything that is in the spool now. */
  readonly catchUp: () => Promise<void>;
  readonly inFlight: InFlight;
  readonly pendingUpdates: PendingUpdates;
  /** Time of a stored request, Unix milliseconds; undefined when the store does not have it. */
  readonly findStored: (organizationId: OrganizationId, requestId: RequestId) => Promise<number | undefined>;
  readonly updateStored: UpdateProperties;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** How long an update may wait for a record that is being stored, milliseconds. */
  readonly storeWaitMs: number;
}

/** What is known of a request's whereabouts. */
export type Whereabouts = { readonly storedAt: number } | { readonly travelling: OpenExchange } | undefined;

/** Changes properties of requests wherever they are: in the store, or still on their way to it. */
export class PropertyUpdater {
  private readonly ports: PropertyUpdaterPorts;

  constructor(ports: PropertyUpdaterPorts) {
    this.ports = ports;
  }

  /**
   * Adds or replaces properties; durable and visible to every later read when it returns.
   * @throws GatelogError `not_found`, or `store_unavailable` when the store does not take the record in time.
   */
  async update(principal: Principal, requestId: RequestId, properties: ReadonlyMap<string, string>): Promise<void> {
    const { organizationId } = principal;
    const found = await this.locate(organizationId, requestId);
    if (found === undefined) throw noSuchRequest(requestId);
    if ('storedAt' in found) {
      await this.ports.updateStored({ organizationId, requestId, createdAt: found.storedAt, properties });
      return;
    }
    await this.updateTravelling(found.travelling, principal, properties);
  }

  /** Finds a request: among those on their way, then in the store, then in what the spool has got meanwhile. */
  async locate(organizationId: OrganizationId, requestId: RequestId): Promise<Whereabouts> {
    const { inFlight, findStored, catchUp } = this.ports;
    const known = inFlight.find(organizationId, requestId);
    if (known !== undefined && known.state !== 'unclear') return { travelling: known };
    const stored = await findStored(organizationId, requestId);
    if (stored !== undefined) return { storedAt: stored };
    await catchUp();
    const fresh = inFlight.find(organizationId, requestId);
    if (fresh !== undefined) return { travelling: fresh };
    // It may have been read and stored between the two looks.
    const storedNow = await findStored(organizationId, requestId);
    return storedNow === undefined ? undefined : { storedAt: storedNow };
  }

  private async updateTravelling(exchange: OpenExchange, principal: Principal, properties: ReadonlyMap<string, string>): Promise<void> {
    const { organizationId, requestId, openedAt } = exchange;
    if (exchange.state === 'travelling') {
      await exchange.trackUpdate(
        this.ports.pendingUpdates.append({ organizationId, requestId, properties, keyId: principal.keyId, acceptedAt: this.ports.now() }),
      );
      return;
    }
    if ((await this.whenSettled(exchange)) === 'dead_letter') throw noSuchRequest(requestId);
    await this.ports.updateStored({ organizationId, requestId, createdAt: openedAt, properties });
  }

  private async whenSettled(exchange: OpenExchange): Promise<Settlement> {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(
          new GatelogError(
            'store_unavailable',
            'The record is not in the store yet and the store does not take it. Try again in a moment.',
          ),
        );
      }, this.ports.storeWaitMs);
    });
    try {
      return await Promise.race([exchange.whenSettled(), expired]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function noSuchRequest(requestId: RequestId): GatelogError {
  return new GatelogError('not_found', `No request ${requestId} is on record.`);
}
