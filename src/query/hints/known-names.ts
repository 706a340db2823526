import type { OrganizationId } from '../../model/ids.ts';

/** Names kept at once, of all organisations; the one that came first goes first. */
const maxNames = 10_000;

/**
 * Names of properties that some request of an organisation was seen to have. A name stays known when the last request that has it is removed:
 * whoever asks then misses a hint, and nothing else.
 */
export class KnownNames {
  private readonly names = new Set<string>();

  has(tenant: OrganizationId, name: string): boolean {
    return this.names.has(keyOf(tenant, name));
  }

  add(tenant: OrganizationId, name: string): void {
    this.names.add(keyOf(tenant, name));
    const [oldest = ''] = this.names;
    if (this.names.size > maxNames) this.names.delete(oldest);
  }
}

/** All identifiers of organisations have one length. */
function keyOf(tenant: OrganizationId, name: string): string {
  return tenant + name;
}
