import type { OrganizationId } from '../../model/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import type { HasArrived } from '../../store/once/told-rows.ts';

const hourMs = 3_600_000;

/** Whether an organisation has had records of a kind in the last hour. The store is asked once, then the ingest tells of each. */
export class Lately {
  /** Unix milliseconds; 0: there was none. */
  private readonly last = new Map<OrganizationId, number>();
  private readonly ports: { readonly clock: Clock; readonly hasArrived: HasArrived };

  constructor(ports: Lately['ports']) {
    this.ports = ports;
  }

  note(organizationId: OrganizationId): void {
    this.last.set(organizationId, this.ports.clock.now());
  }

  /** @throws GatelogError when the store fails. */
  async has(organizationId: OrganizationId): Promise<boolean> {
    const now = this.ports.clock.now();
    const known = this.last.get(organizationId);
    if (known !== undefined) return known >= now - hourMs;
    const found = await this.ports.hasArrived(organizationId, now - hourMs);
    this.last.set(organizationId, found ? now : 0);
    return found;
  }
}
