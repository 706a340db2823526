import { isPublicAddress } from '../../egress/addresses.ts';
import type { Observe } from '../../model/observation.ts';

export interface AddressNotesOptions {
  readonly observe: Observe;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

/** Of one kind of note. */
const everyMs = 3_600_000;

/** Tells the operator, once an hour, which addresses in replies lead where callers may not want to go. */
export class AddressNotes {
  private readonly options: AddressNotesOptions;
  private readonly toldAt = new Map<'own' | 'packed', number>();

  constructor(options: AddressNotesOptions) {
    this.options = options;
  }

  /** An address in a reply has become this one, which no setting names. */
  becameServerAddress(address: string): void {
    if (isPublicAddress(new URL(address).hostname.replaceAll(/^\[|\]$/g, ''))) return;
    const reason = `addresses in replies have become ${address}, at which the caller's connection arrived; where callers reach the gateway at another address, set GATELOG_PUBLIC_GATEWAY_URL`;
    this.tell('own', reason);
  }

  /** A reply that may hold addresses is compressed, although it was not asked to be. */
  stayed(provider: string, coding: string): void {
    const reason = `a reply of ${provider} was compressed (${coding}) although identity was asked for, so that addresses in it still lead to the provider: a client that calls one shows its key there`;
    this.tell('packed', reason);
  }

  private tell(what: 'own' | 'packed', reason: string): void {
    const { observe, monotonic } = this.options;
    const now = monotonic();
    if (now - (this.toldAt.get(what) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
    this.toldAt.set(what, now);
    observe({ kind: 'reply_addresses', reason });
  }
}
