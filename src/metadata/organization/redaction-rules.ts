import type { OrganizationId } from '../../model/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import type { MetadataQueries } from '../database.ts';

/** A change made here is seen at once, one of another process within this time. */
const freshMs = 1000;
const maxOrganizations = 10_000;

/** The redaction rules that organisations have stored, cached: the ingest asks for every batch. */
export class RedactionRules {
  private readonly database: MetadataQueries;
  private readonly clock: Clock;
  private readonly cache = new Map<OrganizationId, { readonly rules: readonly RedactionRule[] | undefined; readonly until: number }>();

  constructor(database: MetadataQueries, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }

  /** Rules in their order; undefined when there are none. Throws when they cannot be read: nobody knows then what may be stored. */
  async of(organizationId: OrganizationId): Promise<readonly RedactionRule[] | undefined> {
    const cached = this.cache.get(organizationId);
    if (cached !== undefined && this.clock.monotonic() < cached.until) return cached.rules;
    const rules = await this.list(organizationId);
    if (this.cache.size >= maxOrganizations) this.cache.clear();
    const entry = { rules: rules.length === 0 ? undefined : rules, until: this.clock.monotonic() + freshMs };
    this.cache.set(organizationId, entry);
    return entry.rules;
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
    this.cache.delete(organizationId);
  }
}
