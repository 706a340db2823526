import { GatelogError } from '../../model/errors.ts';
import { shareOf } from '../../platform/organization-shares.ts';

/** Bodies up to this size need no reservation; `GATELOG_CALLS_IN_FLIGHT` bounds their number. */
export const uncountedMaxBytes = 64 * 1024;

export type ReservationOutcome = 'granted' | 'refused' | 'left';

export interface BodyMemoryOptions {
  readonly maxBytes: number;
  /** Of the bytes that other organisations leave. */
  readonly sharePercent: number;
  /** Maximum wait for bytes, milliseconds. */
  readonly waitMs: number;
}

interface OrganizationBytes {
  readonly id: string;
  bytes: number;
  readonly waiting: Set<BodyReservation>;
}

const maxWaiting = 1000;

/** Of all bytes, what bodies of unknown length may take together, without the first of them. */
const growingShare = 0.5;

/**
 * The memory for buffered request bodies of one worker. Waiting calls take turns by organisation, in order of arrival within one.
 * Invariant: bodies of unknown length keep what they have while they wait for more, so the first of them may take what the others may not:
 * it always comes to its end, however many have begun.
 */
export class BodyMemory {
  readonly options: BodyMemoryOptions;
  private readonly organizations = new Map<string, OrganizationBytes>();
  /** Organisations with waiting calls, the next one first. */
  private readonly queue = new Set<OrganizationBytes>();
  /** Bodies of unknown length that have bytes and may need more, in the order in which they got the first. */
  private readonly growing = new Set<BodyReservation>();
  private growingBytes = 0;
  private bytes = 0;
  private waiting = 0;
  private isGrantScheduled = false;

  constructor(options: BodyMemoryOptions) {
    this.options = options;
  }

  get reservedBytes(): number {
    return this.bytes;
  }

  open(organizationId: string): BodyReservation {
    return new BodyReservation(this, organizationId);
  }

  refusal(): GatelogError {
    const { maxBytes, sharePercent } = this.options;
    return new GatelogError(
      'too_many_calls',
      `The bodies that this gateway holds take as many bytes as they may (GATELOG_HELD_BODIES_BYTES: ${maxBytes}, of which an organisation has up to ` +
        `GATELOG_ORGANIZATION_SHARE_PERCENT: ${sharePercent} of what others leave), and this call needs its body here before it goes on. Try again in a moment.`,
    );
  }

  /** @returns whether the bytes were reserved. */
  reserve(reservation: BodyReservation, bytes: number): boolean {
    const organization = this.organizationOf(reservation.organizationId);
    const isNext = organization.waiting.size === 0 || reservation === this.firstGrowing();
    const isGranted = isNext && this.fits(organization, reservation, bytes);
    if (isGranted) this.change(organization, reservation, bytes);
    this.forget(organization);
    return isGranted;
  }

  /** @returns false if too many calls wait. */
  wait(reservation: BodyReservation): boolean {
    const organization = this.organizationOf(reservation.organizationId);
    const own = organization.waiting.size;
    if (own >= shareOf(maxWaiting, this.waiting - own, this.options.sharePercent)) return false;
    organization.waiting.add(reservation);
    this.queue.add(organization);
    this.waiting += 1;
    return true;
  }

  stopWaiting(reservation: BodyReservation): void {
    const organization = this.organizationOf(reservation.organizationId);
    if (!organization.waiting.delete(reservation)) return;
    this.waiting -= 1;
    if (organization.waiting.size === 0) this.queue.delete(organization);
    this.forget(organization);
    this.grantSoon();
  }

  /** Changes a reservation without a limit check. */
  adjust(reservation: BodyReservation, bytes: number): void {
    if (bytes === 0) return;
    const organization = this.organizationOf(reservation.organizationId);
    this.change(organization, reservation, bytes);
    this.forget(organization);
    if (bytes < 0) this.grantSoon();
  }

  /** Its length is known, or it is not buffered any more. */
  endGrowing(reservation: BodyReservation): void {
    if (!this.growing.delete(reservation)) return;
    this.growingBytes -= reservation.bytes;
    this.grantSoon();
  }

  private firstGrowing(): BodyReservation | undefined {
    const [first] = this.growing;
    return first;
  }

  /** The only body of an organisation may exceed its share, and so may the first that grows. */
  private fits(organization: OrganizationBytes, reservation: BodyReservation, bytes: number): boolean {
    const { maxBytes, sharePercent } = this.options;
    if (this.bytes + bytes > maxBytes) return false;
    const first = this.firstGrowing();
    if (reservation === first) return true;
    const others = this.growingBytes - (first?.bytes ?? 0);
    if (reservation.isGrowing && first !== undefined && others + bytes > maxBytes * growingShare) return false;
    const isAlone = organization.bytes === reservation.bytes;
    return isAlone || organization.bytes + bytes <= shareOf(maxBytes, this.bytes - organization.bytes, sharePercent);
  }

  private change(organization: OrganizationBytes, reservation: BodyReservation, bytes: number): void {
    reservation.bytes += bytes;
    organization.bytes += bytes;
    this.bytes += bytes;
    if (!reservation.isGrowing) return;
    this.growing.add(reservation);
    this.growingBytes += bytes;
  }

  private grantSoon(): void {
    if (this.isGrantScheduled || this.waiting === 0) return;
    this.isGrantScheduled = true;
    setImmediate(() => {
      this.isGrantScheduled = false;
      while (this.grantNext());
    });
  }

  /** @returns whether a waiting call got its bytes. */
  private grantNext(): boolean {
    const first = this.firstGrowing();
    if (first !== undefined && this.grant(this.organizationOf(first.organizationId), first)) return true;
    for (const organization of this.queue) {
      const [reservation] = organization.waiting;
      if (reservation !== undefined && this.grant(organization, reservation)) return true;
    }
    return false;
  }

  /** @returns whether it waited and got its bytes. */
  private grant(organization: OrganizationBytes, reservation: BodyReservation): boolean {
    if (!organization.waiting.has(reservation) || !this.fits(organization, reservation, reservation.wanted)) return false;
    this.change(organization, reservation, reservation.wanted);
    this.queue.delete(organization);
    organization.waiting.delete(reservation);
    this.waiting -= 1;
    if (organization.waiting.size > 0) this.queue.add(organization);
    reservation.settle('granted');
    return true;
  }

  private organizationOf(id: string): OrganizationBytes {
    let organization = this.organizations.get(id);
    if (organization === undefined) {
      organization = { id, bytes: 0, waiting: new Set() };
      this.organizations.set(id, organization);
    }
    return organization;
  }

  private forget(organization: OrganizationBytes): void {
    if (organization.bytes === 0 && organization.waiting.size === 0) this.organizations.delete(organization.id);
  }
}

/** The reservation of one body. */
export class BodyReservation {
  readonly organizationId: string;
  /** Only the budget changes it. */
  bytes = 0;
  /** Bytes that it waits for. */
  wanted = 0;
  /** Its length is not known yet: it takes bytes step by step. */
  isGrowing = false;
  /** The body is not needed after it has been sent. */
  endsWhenSent = false;
  private readonly budget: BodyMemory;
  private settled: ((outcome: ReservationOutcome) => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isReleased = false;
  private controller: AbortController | undefined;

  constructor(budget: BodyMemory, organizationId: string) {
    this.budget = budget;
    this.organizationId = organizationId;
  }

  /** @returns whether the bytes were reserved. */
  tryGrow(bytes: number): boolean {
    return !this.isReleased && this.budget.reserve(this, bytes);
  }

  /** `settled` is called once, asynchronously unless it is refused, and not after {@link stopWaiting}. */
  waitToGrow(bytes: number, settled: (outcome: ReservationOutcome) => void): void {
    this.wanted = bytes;
    if (this.isReleased || !this.budget.wait(this)) {
      settled(this.isReleased ? 'left' : 'refused');
      return;
    }
    this.settled = settled;
    this.timer = setTimeout(() => {
      this.budget.stopWaiting(this);
      this.settle('refused');
    }, this.budget.options.waitMs);
  }

  stopWaiting(): void {
    if (this.settled === undefined) return;
    this.settled = undefined;
    clearTimeout(this.timer);
    this.budget.stopWaiting(this);
  }

  /** Called only by the budget. */
  settle(outcome: ReservationOutcome): void {
    const { settled } = this;
    this.settled = undefined;
    clearTimeout(this.timer);
    settled?.(outcome);
  }

  resize(bytes: number): void {
    if (!this.isReleased) this.budget.adjust(this, bytes - this.bytes);
  }

  /** Its length is known, or it is not buffered any more. */
  endGrowing(): void {
    if (!this.isGrowing) return;
    this.isGrowing = false;
    this.budget.endGrowing(this);
  }

  refusal(): GatelogError {
    return this.budget.refusal();
  }

  /** Aborted on release: from then on the body is uncounted memory. */
  get released(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isReleased) this.controller.abort();
    return this.controller.signal;
  }

  /** Idempotent. A wait ends as `left`. */
  readonly release = (): void => {
    if (this.isReleased) return;
    this.isReleased = true;
    this.controller?.abort();
    this.endGrowing();
    this.budget.adjust(this, -this.bytes);
    if (this.settled === undefined) return;
    this.budget.stopWaiting(this);
    this.settle('left');
  };
}
