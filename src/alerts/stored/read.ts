import type { Selectable } from 'kysely';
import type { EventsQueries } from '../../events/database/database.ts';
import type { AlertHistoryTable, AlertIncidentsTable, AlertWindowsTable } from '../../events/schema/alert-tables.ts';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Incidents of rules, newest first. */
export async function listIncidents(
  { queries }: EventsQueries,
  ruleIds: readonly string[],
  page: Page,
): Promise<readonly AlertIncidentsTable[]> {
  return queries
    .selectFrom('alert_incidents')
    .selectAll()
    .where('rule_id', 'in', ruleIds)
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

/** A window whose values are kept, without these: they are many. */
export type KeptWindow = Omit<AlertWindowsTable, 'content'>;

/** Windows of a rule that lie in a range at least in part, the oldest first. */
export async function windowsWithin(
  { queries }: EventsQueries,
  ruleId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly KeptWindow[]> {
  return queries
    .selectFrom('alert_windows')
    .select(['rule_id', 'ends_at', 'starts_at'])
    .where('rule_id', '=', ruleId)
    .where('ends_at', '>', from)
    .where('starts_at', '<', to)
    .orderBy('ends_at')
    .execute();
}

/** The values of a window; none of one that was removed meanwhile. */
export async function windowContent({ queries }: EventsQueries, { rule_id: rule, ends_at: at }: KeptWindow): Promise<string> {
  const row = await queries
    .selectFrom('alert_windows')
    .select('content')
    .where('rule_id', '=', rule)
    .where('ends_at', '=', at)
    .executeTakeFirst();
  return row?.content ?? '[]';
}
