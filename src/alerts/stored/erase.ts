import { sql } from 'kysely';
import { setImmediate as turn } from 'node:timers/promises';
import type { OrganizationId } from '../../model/ids.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { EventsDatabase, EventsQueries } from '../../events/database/database.ts';

/** Windows of a transaction, which blocks the process meanwhile. */
const windowsAtOnce = 200;

/** Removes the groups that have a text as a value, with their incidents and history, inside a caller's write transaction. */
export async function eraseGroupMentions({ queries }: EventsQueries, organizationId: OrganizationId, text: string): Promise<void> {
  const named = JSON.stringify(text);
  for (const table of ['alert_groups', 'alert_incidents', 'alert_history'] as const) {
    await queries
      .deleteFrom(table)
      .where('organization_id', '=', organizationId)
      .where(sql<number>`instr(group_key, ${named})`, '>', 0)
      .execute();
  }
}

/** Removes such groups from the values of windows that are kept. */
export async function eraseFromWindows(database: EventsDatabase, organizationId: OrganizationId, text: string): Promise<void> {
  const named = JSON.stringify(text);
  // Keys of groups are JSON texts within JSON.
  const quoted = JSON.stringify(named).slice(1, -1);
  for (let found = windowsAtOnce; found === windowsAtOnce;) {
    found = await inWriteTransaction(database, async ({ queries }) => {
      const rows = await queries
        .selectFrom('alert_windows')
        .innerJoin('alert_rules_seen', 'alert_rules_seen.rule_id', 'alert_windows.rule_id')
        .select(['alert_windows.rule_id as rule', 'ends_at', 'content'])
        .where('organization_id', '=', organizationId)
        .where(sql<number>`instr(content, ${quoted})`, '>', 0)
        .limit(windowsAtOnce)
        .execute();
      for (const { rule, ends_at: endsAt, content } of rows) {
        const values = JSON.parse(content) as readonly (readonly [key: string, value: number | null])[];
        const kept = JSON.stringify(values.filter(([key]) => !key.includes(named)));
        await queries
          .updateTable('alert_windows')
          .set({ content: kept })
          .where('rule_id', '=', rule)
          .where('ends_at', '=', endsAt)
          .execute();
      }
      return rows.length;
    });
    await turn();
  }
}
