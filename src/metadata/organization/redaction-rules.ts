import type { OrganizationId } from '../../model/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import { StaleCache } from '../../platform/stale-cache.ts';
import type { MetadataQueries } from '../database.ts';

type Rules = readonly RedactionRule[] | undefined;

/** The redaction rules that organisations have stored, cached: the ingest reads them for every batch. */
export class RedactionRules {
  private readonly database: MetadataQueries;
  private readonly clock: Clock;
  private readonly cache: StaleCache<OrganizationId, Rules, Promise<Rules>>;

  constructor(database: MetadataQueries, clock: Clock) {
    this.database = database;
    this.clock = clock;
    this.cache = new StaleCache({
      read: async (organizationId) => {
        const rules = await this.list(organizationId);
        return rules.length === 0 ? undefined : rules;
      },
      monotonic: clock.monotonic,
      freshMs: 1000,
    });
  }

  /**
   * Rules in their order; undefined when there are none. A change made here is seen at once, one of another process within a second.
   * Rejects when they cannot be read: what may be stored is unknown then.
   */
  async of(organizationId: OrganizationId): Promise<Rules> {
    return this.cache.get(organizationId);
  }

  /** Rules in their order, as they are stored now. */
  async list(organizationId: OrganizationId): Promise<readonly RedactionRule[]> {
    const { queries } = this.database;
    const row = await queries
      .selectFrom('redaction_rules')
      .select('rules')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    return row === undefined ? [] : (JSON.parse(row.rules) as readonly RedactionRule[]);
  }

  /** Replaces the rules of an organisation; durable on return in the core. */
  async replace(organizationId: OrganizationId, rules: readonly RedactionRule[]): Promise<void> {
    const row = { rules: JSON.stringify(rules), changed_at: this.clock.now() };
    await this.database.queries
      .insertInto('redaction_rules')
      .values({ organization_id: organizationId, ...row })
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
      .execute();
    this.cache.forget(organizationId);
  }
}
