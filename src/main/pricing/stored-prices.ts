import type { OrganizationId } from '../../model/ids.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { StoredPrice } from '../../model/pricing/stored-price.ts';
import { noOrganizationPrices, type OrganizationPrices, readOrganizationPrices } from '../../pricing/organization-prices.ts';

export interface StoredPricesOptions {
  /** What an organisation has stored. Throws when that cannot be read. */
  readonly lookUp: (organizationId: OrganizationId) => readonly StoredPrice[];
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
  readonly observe: Observe;
}

/** A change must be seen within 5 s, as that of a key. */
const freshMs = 2000;
const maxOrganizations = 10_000;

interface Entry {
  readonly prices: OrganizationPrices;
  readonly freshUntil: number;
}

/** The prices that organisations have stored, read and cached. Most have none. */
export class StoredPrices {
  private readonly options: StoredPricesOptions;
  private readonly cache = new Map<OrganizationId, Entry>();

  constructor(options: StoredPricesOptions) {
    this.options = options;
  }

  /**
   * The prices of an organisation. While they cannot be read the last ones known hold.
   * @throws GatelogError `metadata_unavailable` when none are known.
   */
  of(organizationId: OrganizationId): OrganizationPrices {
    const now = this.options.monotonic();
    const known = this.cache.get(organizationId);
    if (known !== undefined && now < known.freshUntil) return known.prices;
    const prices = this.read(organizationId, known);
    if (this.cache.size >= maxOrganizations) this.cache.clear();
    this.cache.set(organizationId, { prices, freshUntil: now + freshMs });
    return prices;
  }

  /** Makes a change of this process seen at once. */
  forget(organizationId: OrganizationId): void {
    this.cache.delete(organizationId);
  }

  private read(organizationId: OrganizationId, known: Entry | undefined): OrganizationPrices {
    const { lookUp, observe } = this.options;
    try {
      const stored = lookUp(organizationId);
      return stored.length === 0 ? noOrganizationPrices : readOrganizationPrices(stored);
    } catch (error) {
      observe({ kind: 'prices_failed', reason: messageOf(error) });
      if (known !== undefined) return known.prices;
      throw new GatelogError('metadata_unavailable', 'The prices of the organisation cannot be read at the moment; try again shortly.', {
        cause: error,
      });
    }
  }
}
