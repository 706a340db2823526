import type { OrganizationId } from '../../model/ids.ts';

/** Maximum names of all organisations; the oldest is dropped first. */
const maxNames = 10_000;

/**
 * Property names seen on requests of an organisation. A name stays known after its last request is removed, which costs callers only a
 * hint.
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

/** All organisation identifiers have one length. */
function keyOf(tenant: OrganizationId, name: string): string {
  return tenant + name;
}
