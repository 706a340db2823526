import type { OrganizationId } from '../../model/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import { StaleCache } from '../../platform/stale-cache.ts';
import type { MetadataDatabase } from '../database.ts';
import { declareProperty, listDeclaredProperties } from './properties.ts';

type Names = ReadonlyMap<string, string>;

/** Declared property names by their lower-case form, cached for a second: the ingest reads them for every batch. */
export class DeclaredNames {
  private readonly database: MetadataDatabase;
  private readonly clock: Clock;
  private readonly cache: StaleCache<OrganizationId, Names, Promise<Names>>;

  constructor(database: MetadataDatabase, clock: Clock) {
    this.database = database;
    this.clock = clock;
    this.cache = new StaleCache({
      read: async (organizationId) => {
        const declared = await listDeclaredProperties(database, organizationId);
        return new Map(declared.map(({ lowerName, name }) => [lowerName, name]));
      },
      monotonic: clock.monotonic,
      freshMs: 1000,
    });
  }

  /** A declaration made here is seen at once, one of another process within a second. */
  async of(organizationId: OrganizationId): Promise<Names> {
    return this.cache.get(organizationId);
  }

  /** Declares a name; durable on return. @returns the other spelling that it replaced, when there was one. */
  async declare(organizationId: OrganizationId, name: string): Promise<string | undefined> {
    const replaced = await declareProperty(this.database, { organizationId, name, at: this.clock.now() });
    this.cache.forget(organizationId);
    return replaced;
  }
}
