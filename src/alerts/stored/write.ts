import type { OrganizationId } from '../../model/ids.ts';
import { alertLimits } from '../../model/events/alert-vocabulary.ts';
import { addHistory, type NewHistoryRow } from '../../events/log/alert-history.ts';
import { chunks } from '../../events/log/chunks.ts';
import type { EventsQueries } from '../../events/database/database.ts';
import type { AlertIncidentsTable, AlertRulesSeenTable, AlertWindowsTable } from '../../events/schema/alert-tables.ts';

/** Windows of a rule whose values are kept. */
const keptWindows = 500;

export interface RuleChanges {
  readonly ruleId: string;
  readonly organizationId: OrganizationId;
  /** Undefined: as before. */
  readonly seen: AlertRulesSeenTable | undefined;
  readonly putGroups: readonly (readonly [key: string, memory: object])[];
  readonly removedGroups: readonly string[];
  /** New ones and changed ones. */
  readonly incidents: readonly AlertIncidentsTable[];
  readonly history: readonly NewHistoryRow[];
  readonly windows: readonly AlertWindowsTable[];
}

/** Writes what an evaluation changes, inside a caller's write transaction, and removes what is too much of it. */
export async function writeRuleChanges(transaction: EventsQueries, changes: RuleChanges): Promise<void> {
  const { queries } = transaction;
  const { ruleId, seen, history, incidents, windows } = changes;
  if (seen !== undefined) {
    await queries
      .insertInto('alert_rules_seen')
      .values(seen)
      .onConflict((conflict) => conflict.column('rule_id').doUpdateSet(seen))
      .execute();
  }
  await writeGroups(transaction, changes);
  for (const incident of incidents) {
    const { id: _, ...values } = incident;
    await queries
      .insertInto('alert_incidents')
      .values(incident)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute();
  }
  await addHistory(transaction, ruleId, history);
  for (const window of windows) {
    const { content } = window;
    await queries
      .insertInto('alert_windows')
      .values(window)
      .onConflict((conflict) => conflict.columns(['rule_id', 'ends_at']).doUpdateSet({ content }))
      .execute();
  }
  if (incidents.length > 0) await pruneIncidents(transaction, ruleId);
  if (windows.length > 0) await pruneWindows(transaction, ruleId);
}

async function writeGroups({ queries }: EventsQueries, { ruleId, organizationId, putGroups, removedGroups }: RuleChanges): Promise<void> {
  for (const part of chunks(putGroups)) {
    const rows = part.map(([key, memory]) => ({
      rule_id: ruleId,
      group_key: key,
      organization_id: organizationId,
      memory: JSON.stringify(memory),
    }));
    await queries
      .insertInto('alert_groups')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['rule_id', 'group_key']).doUpdateSet((expression) => ({ memory: expression.ref('excluded.memory') })),
      )
      .execute();
  }
  for (const keys of chunks(removedGroups)) {
    await queries.deleteFrom('alert_groups').where('rule_id', '=', ruleId).where('group_key', 'in', keys).execute();
  }
}

/** The latest evaluation of all: a longer time without one is a gap. */
export async function writeProgress({ queries }: EventsQueries, at: number): Promise<void> {
  await queries
    .insertInto('alert_progress')
    .values({ number: 1, evaluated_at: at })
    .onConflict((conflict) => conflict.column('number').doUpdateSet({ evaluated_at: at }))
    .execute();
}

export async function removeRule({ queries }: EventsQueries, ruleId: string): Promise<void> {
  for (const table of ['alert_rules_seen', 'alert_groups', 'alert_incidents', 'alert_history', 'alert_windows'] as const) {
    await queries.deleteFrom(table).where('rule_id', '=', ruleId).execute();
  }
}

/** The rule measures something else now: its groups and windows are others. Incidents and history stay. */
export async function forgetGroups({ queries }: EventsQueries, ruleId: string): Promise<void> {
  for (const table of ['alert_groups', 'alert_windows'] as const) await queries.deleteFrom(table).where('rule_id', '=', ruleId).execute();
}

/** Removes what is older than it may be. @param now Unix milliseconds. */
export async function pruneAlerts({ queries }: EventsQueries, now: number): Promise<void> {
  const before = now - alertLimits.historyDays * 86_400_000;
  await queries.deleteFrom('alert_history').where('at', '<', before).execute();
  await queries.deleteFrom('alert_incidents').where('ended_at', '<', before).execute();
  await queries.deleteFrom('alert_windows').where('ends_at', '<', before).execute();
}

async function pruneIncidents({ queries }: EventsQueries, ruleId: string): Promise<void> {
  await queries
    .deleteFrom('alert_incidents')
    .where('rule_id', '=', ruleId)
    .where('ended_at', 'is not', null)
    .where('started_at', '<=', (expression) =>
      expression
        .selectFrom('alert_incidents')
        .select('started_at')
        .where('rule_id', '=', ruleId)
        .orderBy('started_at', 'desc')
        .limit(1)
        .offset(alertLimits.incidentRows),
    )
    .execute();
}

async function pruneWindows({ queries }: EventsQueries, ruleId: string): Promise<void> {
  await queries
    .deleteFrom('alert_windows')
    .where('rule_id', '=', ruleId)
    .where('ends_at', '<=', (expression) =>
      expression
        .selectFrom('alert_windows')
        .select('ends_at')
        .where('rule_id', '=', ruleId)
        .orderBy('ends_at', 'desc')
        .limit(1)
        .offset(keptWindows),
    )
    .execute();
}
