import type { StoredAlert } from '../../model/events/alert.ts';
import type { StoredChannel } from '../../model/events/channel.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { MetadataQueries } from '../database.ts';
import type { AlertRulesTable } from '../schema/schema.ts';

export type AlertRefusal = 'too_many' | 'name_taken' | 'too_many_limits';

/** The gateway checks each of them at each call. */
export const maxEnforcedRules = 32;

/** Every rule of every organisation, oldest first. */
export async function listAllAlertRules<Rule>({ queries }: MetadataQueries): Promise<readonly StoredAlert<Rule>[]> {
  const rows = await queries.selectFrom('alert_rules').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map((row) => ({
    id: row.id as Uuid,
    organizationId: row.organization_id as OrganizationId,
    rule: JSON.parse(row.rule) as Rule,
    channels: JSON.parse(row.channels) as readonly StoredChannel[],
    limitPolicy: row.limit_policy,
    offered: row.offered === 1,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  }));
}

/** Stores a rule; durable on return in the core. @param max rules of the organisation. */
export async function addAlertRule(
  database: MetadataQueries,
  alert: StoredAlert<{ readonly name: string }>,
  max: number,
): Promise<AlertRefusal | undefined> {
  return inWriteTransaction(database, async ({ queries }) => {
    const existing = await othersOf(queries, alert);
    if (existing.length >= max) return 'too_many';
    const refusal = conflictOf(alert, existing);
    if (refusal !== undefined) return refusal;
    await queries.insertInto('alert_rules').values(rowOf(alert)).execute();
    return undefined;
  });
}

/** Replaces a rule; durable on return in the core. */
export async function replaceAlertRule(
  database: MetadataQueries,
  alert: StoredAlert<{ readonly name: string }>,
): Promise<'unknown' | Exclude<AlertRefusal, 'too_many'> | undefined> {
  return inWriteTransaction(database, async ({ queries }) => {
    const refusal = conflictOf(alert, await othersOf(queries, alert));
    if (refusal !== undefined) return refusal;
    const { numUpdatedRows } = await queries
      .updateTable('alert_rules')
      .set(rowOf(alert))
      .where('organization_id', '=', alert.organizationId)
      .where('id', '=', alert.id)
      .executeTakeFirst();
    return numUpdatedRows > 0n ? undefined : 'unknown';
  });
}

type OtherRule = Pick<AlertRulesTable, 'name' | 'limit_policy'>;

function othersOf(queries: MetadataQueries['queries'], { organizationId, id }: StoredAlert): Promise<readonly OtherRule[]> {
  return queries
    .selectFrom('alert_rules')
    .select(['name', 'limit_policy'])
    .where('organization_id', '=', organizationId)
    .where('id', '!=', id)
    .execute();
}

function conflictOf(
  { rule, limitPolicy }: StoredAlert<{ readonly name: string }>,
  others: readonly OtherRule[],
): Exclude<AlertRefusal, 'too_many'> | undefined {
  if (others.some(({ name }) => name === rule.name)) return 'name_taken';
  const enforced = others.filter((other) => other.limit_policy !== null);
  return limitPolicy !== null && enforced.length >= maxEnforcedRules ? 'too_many_limits' : undefined;
}

/** Organisations to which no rules were offered yet. */
export async function listWithoutOffer({ queries }: MetadataQueries): Promise<readonly OrganizationId[]> {
  const rows = await queries
    .selectFrom('organizations')
    .leftJoin('alert_offers', 'alert_offers.organization_id', 'organizations.id')
    .select('organizations.id as id')
    .where('alert_offers.organization_id', 'is', null)
    .execute();
  return rows.map(({ id }) => id as OrganizationId);
}

/** Stores offered rules, once for an organisation: a rule that it deletes does not come back. Durable on return in the core. */
export async function offerAlertRules(
  database: MetadataQueries,
  organizationId: OrganizationId,
  alerts: readonly StoredAlert<{ readonly name: string }>[],
  at: number,
): Promise<void> {
  await inWriteTransaction(database, async ({ queries }) => {
    await queries.insertInto('alert_offers').values({ organization_id: organizationId, offered_at: at }).execute();
    for (const alert of alerts) {
      await queries
        .insertInto('alert_rules')
        .values(rowOf(alert))
        .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doNothing())
        .execute();
    }
  });
}

function rowOf(alert: StoredAlert<{ readonly name: string }>): AlertRulesTable {
  return {
    id: alert.id,
    organization_id: alert.organizationId,
    name: alert.rule.name,
    rule: JSON.stringify(alert.rule),
    channels: JSON.stringify(alert.channels),
    limit_policy: alert.limitPolicy,
    offered: alert.offered ? 1 : 0,
    created_at: alert.createdAt,
    changed_at: alert.changedAt,
  };
}
