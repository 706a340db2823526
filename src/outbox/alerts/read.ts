import type { Selectable } from 'kysely';
import type { EventsQueries } from '../database.ts';
import type { AlertHistoryTable, AlertIncidentsTable, AlertRulesSeenTable, AlertWindowsTable } from './schema.ts';

export interface KnownAlerts {
  /** The latest evaluation of all; null before the first one. */
  readonly evaluatedAt: number | null;
  readonly rules: ReadonlyMap<string, AlertRulesSeenTable>;
  /** By rule, then by group: what the state machine knows. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
}

/** What is known of all rules of all organisations. */
export async function readKnownAlerts({ queries }: EventsQueries): Promise<KnownAlerts> {
  const progress = await queries.selectFrom('alert_progress').select('evaluated_at').executeTakeFirst();
  const rules = await queries.selectFrom('alert_rules_seen').selectAll().execute();
  const groups = new Map<string, Map<string, unknown>>();
  for (const { rule_id: rule, group_key: key, memory } of await queries.selectFrom('alert_groups').selectAll().execute()) {
    const ofRule = groups.get(rule) ?? new Map<string, unknown>();
    groups.set(rule, ofRule.set(key, JSON.parse(memory)));
  }
  return { evaluatedAt: progress?.evaluated_at ?? null, rules: new Map(rules.map((rule) => [rule.rule_id, rule])), groups };
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Newest first. */
export async function listIncidents({ queries }: EventsQueries, ruleId: string, page: Page): Promise<readonly AlertIncidentsTable[]> {
  return queries
    .selectFrom('alert_incidents')
    .selectAll()
    .where('rule_id', '=', ruleId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** When the latest incident of each rule began; rules without one are not among them. */
export async function latestIncidents({ queries }: EventsQueries, ruleIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await queries
    .selectFrom('alert_incidents')
    .select((select) => ['rule_id', select.fn.max('started_at').as('started_at')])
    .where('rule_id', 'in', ruleIds)
    .groupBy('rule_id')
    .execute();
  return new Map(rows.map(({ rule_id: rule, started_at: at }) => [rule, at]));
}

/** Newest first. */
export async function listHistory(
  { queries }: EventsQueries,
  ruleId: string,
  page: Page,
): Promise<readonly Selectable<AlertHistoryTable>[]> {
  return queries
    .selectFrom('alert_history')
    .selectAll()
    .where('rule_id', '=', ruleId)
    .orderBy('seq', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** Incidents of a rule that were open at some time of a range; Unix milliseconds. */
export async function incidentsWithin(
  { queries }: EventsQueries,
  ruleId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly AlertIncidentsTable[]> {
  return queries
    .selectFrom('alert_incidents')
    .selectAll()
    .where('rule_id', '=', ruleId)
    .where('started_at', '<=', to)
    .where((expression) => expression.or([expression('ended_at', 'is', null), expression('ended_at', '>=', from)]))
    .execute();
}

/** Windows of a rule that lie in a range at least in part, the oldest first. */
export async function windowsWithin(
  { queries }: EventsQueries,
  ruleId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly AlertWindowsTable[]> {
  return queries
    .selectFrom('alert_windows')
    .selectAll()
    .where('rule_id', '=', ruleId)
    .where('ends_at', '>', from)
    .where('starts_at', '<', to)
    .orderBy('ends_at')
    .execute();
}
