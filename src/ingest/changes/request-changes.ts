import type { AcceptedChange, Change } from '../../model/change.ts';
import { GatelogError } from '../../model/errors.ts';
import { type OrganizationId, type RequestId, timeOfUuid } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import type { ChangeStored } from '../../store/update/change.ts';
import { OrganizationLock } from './organization-lock.ts';
import type { LaterTexts } from '../redaction/later-texts.ts';
import type { ExchangeIndex, TrackedExchange, Settlement } from '../series/exchange.ts';
import type { PendingChanges } from './pending.ts';

export interface RequestChangerPorts {
  /** Reads everything that is in the spool now. */
  readonly catchUp: () => Promise<void>;
  readonly inFlight: ExchangeIndex;
  readonly pendingChanges: PendingChanges;
  /** Time of a stored request, Unix milliseconds; undefined when the store does not have it. */
  readonly findStored: (organizationId: OrganizationId, requestId: RequestId) => Promise<number | undefined>;
  readonly changeStored: ChangeStored;
  /** What is written to records passes it first. */
  readonly laterTexts: LaterTexts;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The greatest number of any accepted change. */
  readonly latestNumber: number;
  /** How long a change may wait for a record that is being stored, milliseconds. */
  readonly storeWaitMs: number;
}

/** Where a request is: in the store, or in flight to it. */
export type RecordLocation = { readonly storedAt: number } | { readonly inFlight: TrackedExchange } | undefined;

/** Distinct change numbers per millisecond. */
const numbersInMs = 1000;

/** Changes requests in the store or in flight to it. */
export class RequestChanges {
  private readonly ports: RequestChangerPorts;
  private readonly lock = new OrganizationLock();
  /** The latest change of each organisation that rules are applied to. */
  private readonly redactions = new Map<OrganizationId, Promise<unknown>>();
  private lastNumber: number;

  constructor(ports: RequestChangerPorts) {
    this.ports = ports;
    this.lastNumber = ports.latestNumber;
  }

  /**
   * Changes a request; durable and visible to every later read when it returns.
   * @throws GatelogError `not_found`, `store_unavailable` when the store does not take the record in time, or as {@link LaterTexts.change}
   * does.
   */
  async change(principal: Principal, requestId: RequestId, change: Change): Promise<void> {
    const redacted = await this.redact(principal.organizationId, change);
    await this.lock.shared(principal.organizationId, () => this.changeNow(principal, requestId, redacted));
  }

  /** Changes of an organisation keep the order in which they came, whatever the rules take. */
  private async redact(organizationId: OrganizationId, change: Change): Promise<Change> {
    const before = this.redactions.get(organizationId);
    const redacting = (async () => {
      await before?.catch(() => undefined);
      return this.laterTexts.change(organizationId, change);
    })();
    this.redactions.set(organizationId, redacting);
    try {
      return await redacting;
    } finally {
      if (this.redactions.get(organizationId) === redacting) this.redactions.delete(organizationId);
    }
  }

  /** For changes of sessions and of many requests. */
  get laterTexts(): LaterTexts {
    return this.ports.laterTexts;
  }

  /**
   * Runs `work`, another kind of change, concurrently with changes of single requests. @throws GatelogError `store_unavailable` when too
   * many wait.
   */
  shared<Result>(organizationId: OrganizationId, work: () => Promise<Result>): Promise<Result> {
    return this.lock.shared(organizationId, work);
  }

  /** Runs `work` while no other change of the organisation does. */
  exclusive<Result>(organizationId: OrganizationId, work: () => Promise<Result>): Promise<Result> {
    return this.lock.exclusive(organizationId, work);
  }

  private async changeNow(principal: Principal, requestId: RequestId, change: Change): Promise<void> {
    const accept = (): AcceptedChange => this.accept(principal, requestId, change);
    const known = this.findInFlight(principal.organizationId, requestId);
    const timeInId = timeOfUuid(requestId);
    // Most identifiers contain the time of their record, so the change itself shows whether the store has it; many changes share one
    // query.
    if (known === undefined && timeInId !== undefined && (await this.changeAt(timeInId, accept))) return;
    const found = known ?? (await this.locate(principal.organizationId, requestId));
    const changed = found !== undefined && (await this.changeFound(found, change, accept));
    if (!changed) throw new GatelogError('not_found', `No request ${requestId} is on record.`);
  }

  /** Looks for a request among those in flight, then in the store, then in what the spool received meanwhile. */
  async locate(organizationId: OrganizationId, requestId: RequestId): Promise<RecordLocation> {
    const { inFlight, findStored, catchUp } = this.ports;
    const known = this.findInFlight(organizationId, requestId);
    if (known !== undefined) return known;
    const stored = await findStored(organizationId, requestId);
    if (stored !== undefined) return { storedAt: stored };
    await catchUp();
    const foundNow = inFlight.find(organizationId, requestId);
    if (foundNow !== undefined) return { inFlight: foundNow };
    // It may have been read and stored between the two lookups.
    const storedNow = await findStored(organizationId, requestId);
    return storedNow === undefined ? undefined : { storedAt: storedNow };
  }

  private findInFlight(organizationId: OrganizationId, requestId: RequestId): { readonly inFlight: TrackedExchange } | undefined {
    const known = this.ports.inFlight.find(organizationId, requestId);
    return known === undefined || known.state === 'replaying' ? undefined : { inFlight: known };
  }

  /** @param createdAt Unix milliseconds. @returns whether the store has the request. */
  private changeAt(createdAt: number, accept: () => AcceptedChange): Promise<boolean> {
    return this.ports.changeStored({ accepted: accept(), createdAt });
  }

  /** TRICKY: call it at the moment that fixes the order of the change among others, so that numbers grow in the order of application. */
  private accept({ organizationId, keyId }: Principal, requestId: RequestId, change: Change): AcceptedChange {
    return { organizationId, requestId, change, keyId, ...this.stamp() };
  }

  /** Time and number of a change accepted now. Numbers grow even if the clock stops or steps back, also across restarts. */
  stamp(): Pick<AcceptedChange, 'acceptedAt' | 'number'> {
    const acceptedAt = this.ports.now();
    this.lastNumber = Math.max(this.lastNumber + 1, acceptedAt * numbersInMs);
    return { acceptedAt, number: this.lastNumber };
  }

  /** A change that the record has no space for waits until the record is stored. @returns false when the exchange was not stored. */
  private async changeInFlight(exchange: TrackedExchange, change: Change, accept: () => AcceptedChange): Promise<boolean> {
    if (exchange.state === 'pending' && exchange.hasSpaceFor(change)) {
      exchange.reserveSpace(change);
      await exchange.trackChange(this.ports.pendingChanges.append(accept()));
      return true;
    }
    const settlement = await this.whenSettled(exchange);
    if (settlement !== 'repeated') return settlement === 'stored' && this.changeAt(exchange.openedAt, accept);
    const repeated = await this.locate(exchange.organizationId, exchange.requestId);
    return repeated !== undefined && this.changeFound(repeated, change, accept);
  }

  private changeFound(found: NonNullable<RecordLocation>, change: Change, accept: () => AcceptedChange): Promise<boolean> {
    return 'storedAt' in found ? this.changeAt(found.storedAt, accept) : this.changeInFlight(found.inFlight, change, accept);
  }

  /** Waits until an exchange has left the spool. @throws GatelogError `store_unavailable` when the store does not take it in time. */
  async whenSettled(exchange: TrackedExchange): Promise<Settlement> {
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
