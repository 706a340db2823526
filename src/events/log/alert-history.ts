import type { Insertable } from 'kysely';
import { alertLimits } from '../../model/events/alert-vocabulary.ts';
import type { EventsQueries } from '../database/database.ts';
import type { AlertHistoryTable } from '../schema/alert-tables.ts';
import { chunks } from './chunks.ts';

export type NewHistoryRow = Insertable<AlertHistoryTable>;

/** Adds rows to the history of a rule, inside a caller's write transaction, and removes what is too much of it. */
export async function addHistory(transaction: EventsQueries, ruleId: string, history: readonly NewHistoryRow[]): Promise<void> {
  for (const rows of chunks(history)) await transaction.queries.insertInto('alert_history').values(rows).execute();
  if (history.length > 0) await pruneHistory(transaction, ruleId);
}

async function pruneHistory({ queries }: EventsQueries, ruleId: string): Promise<void> {
  await queries
    .deleteFrom('alert_history')
    .where('rule_id', '=', ruleId)
    .where('seq', '<=', (expression) =>
      expression
        .selectFrom('alert_history')
        .select('seq')
        .where('rule_id', '=', ruleId)
        .orderBy('seq', 'desc')
        .limit(1)
        .offset(alertLimits.historyRows),
    )
    .execute();
}
