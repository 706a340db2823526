import type { OrganizationId } from '../../model/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import type { MetadataDatabase } from '../database.ts';
import { declareProperty, listDeclaredProperties } from './properties.ts';

/** Declared property names, cached: the ingest asks for every batch. */
export class DeclaredNames {
  private readonly database: MetadataDatabase;
  private readonly clock: Clock;
  private readonly cache = new Map<OrganizationId, { readonly names: ReadonlyMap<string, string>; readonly until: number }>();

  constructor(database: MetadataDatabase, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }

  /** Names by their lower-case form. A declaration made here is seen at once, one of another process within a second. */
  async of(organizationId: OrganizationId): Promise<ReadonlyMap<string, string>> {
    const cached = this.cache.get(organizationId);
    if (cached !== undefined && this.clock.monotonic() < cached.until) return cached.names;
    const declared = await listDeclaredProperties(this.database, organizationId);
    const names = new Map(declared.map(({ lowerName, name }) => [lowerName, name]));
    if (this.cache.size >= maxOrganizations) this.cache.clear();
    this.cache.set(organizationId, { names, until: this.clock.monotonic() + freshMs });
    return names;
  }

  /** Declares a name; durable on return. @returns the other spelling that it replaced, when there was one. */
  async declare(organizationId: OrganizationId, name: string): Promise<string | undefined> {
    const replaced = await declareProperty(this.database, { organizationId, name, at: this.clock.now() });
    this.cache.delete(organizationId);
    return replaced;
  }
}

const freshMs = 1000;
const maxOrganizations = 10_000;
