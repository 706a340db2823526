import { sql } from 'kysely';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { EventsDatabase, EventsQueries } from '../../events/database/database.ts';
import type { AlertRulesSeenTable } from '../../events/schema/alert-tables.ts';

/** Groups of a rule that are read, or dropped, at once. */
const groupsAtOnce = 500;

export interface KnownRules {
  /** The latest evaluation of all; null before the first one. */
  readonly evaluatedAt: number | null;
  readonly rules: ReadonlyMap<string, AlertRulesSeenTable>;
}

/** What is known of all rules of all organisations, without their groups. */
export async function readAlertRules({ queries }: EventsQueries): Promise<KnownRules> {
  const progress = await queries.selectFrom('alert_progress').select('evaluated_at').executeTakeFirst();
  const rules = await queries.selectFrom('alert_rules_seen').selectAll().execute();
  return { evaluatedAt: progress?.evaluated_at ?? null, rules: new Map(rules.map((rule) => [rule.rule_id, rule])) };
}

/** Some groups of one rule. */
export interface GroupsOfRule {
  readonly rule: string;
  readonly organizationId: string;
  /** `memory`: JSON of what the state machine knows. */
  readonly groups: readonly { readonly key: string; readonly memory: string }[];
}

/** The groups of all rules with an open incident, or without one, some at a time. */
export async function* readGroups({ queries }: EventsQueries, hasIncident: boolean): AsyncGenerator<GroupsOfRule> {
  let behind = { rule: '', key: '' };
  for (;;) {
    const rows = await queries
      .selectFrom('alert_groups')
      .select(['rule_id as rule', 'group_key as key', 'organization_id as organizationId', 'memory'])
      .where(sql<boolean>`(rule_id, group_key) > (${behind.rule}, ${behind.key})`)
      .orderBy('rule_id')
      .orderBy('group_key')
      .limit(groupsAtOnce)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const rule of new Set(rows.map((row) => row.rule))) {
      const own = rows.filter((row) => row.rule === rule);
      const groups = own.filter(({ memory }) => memory.includes('"incident":null') !== hasIncident);
      if (groups.length > 0) yield { rule, organizationId: own[0]?.organizationId ?? '', groups };
    }
    behind = last;
  }
}

/** Drops groups of a rule and ends their incidents, which nobody is told. @param at Unix milliseconds. */
export async function dropGroups(database: EventsDatabase, rule: string, keys: readonly string[], at: number): Promise<void> {
  await inWriteTransaction(database, async ({ queries }) => {
    await queries.deleteFrom('alert_groups').where('rule_id', '=', rule).where('group_key', 'in', keys).execute();
    await queries
      .updateTable('alert_incidents')
      .set({ ended_at: at })
      .where('rule_id', '=', rule)
      .where('group_key', 'in', keys)
      .where('ended_at', 'is', null)
      .execute();
  });
}
