import type { RuleChanges } from '../stored/write.ts';
import type { AlertRulesSeenTable } from '../../events/schema/alert-tables.ts';
import { alertLimits } from '../../model/events/alert-vocabulary.ts';
import { windowAt } from '../../query/alerts/windows.ts';
import { keyOf } from '../../query/metrics/plan.ts';
import type { Evaluated } from '../machine/evaluate.ts';
import type { ReadyAlert } from '../machine/rule.ts';
import type { GroupMemory } from '../machine/state.ts';
import { storedMemory } from '../machine/stored-memory.ts';

type HistoryRow = RuleChanges['history'][number];

/** Rows that one evaluation of a rule adds to its history; the most severe first. */
const maxHistoryRows = alertLimits.historyRows;
const gravity: Readonly<Record<string, number>> = { firing: 0, no_data: 1, ok: 2, recovering: 3, pending: 4 };

/** What an evaluation writes. @param at Unix milliseconds. */
export function changesOf(ready: ReadyAlert, evaluated: Evaluated, at: number, seen: AlertRulesSeenTable | undefined): RuleChanges {
  const { alert, plan } = ready;
  const window = windowAt(plan.window, at);
  const changed = [...evaluated.changed];
  const history = evaluated.entered
    .toSorted((one, other) => (gravity[one.state] ?? 0) - (gravity[other.state] ?? 0))
    .slice(0, maxHistoryRows)
    .map(({ key, state, value, incidentId }) => ({
      ...historyRow(ready, at),
      state,
      group_key: key,
      value,
      incident_id: incidentId,
    }));
  return {
    ruleId: alert.id,
    organizationId: alert.organizationId,
    seen,
    putGroups: changed.flatMap(([key, { after }]) =>
      after !== undefined && isKept(ready, after) ? [[key, storedMemory(after)] as const] : [],
    ),
    removedGroups: changed.flatMap(([key, { before, after }]) => (isKept(ready, before) && !isKept(ready, after) ? [key] : [])),
    incidents: evaluated.incidents.map(({ key, incident, endedAt }) => ({
      id: incident.id,
      organization_id: alert.organizationId,
      rule_id: alert.id,
      group_key: key,
      dimensions: dimensionNames(ready),
      reason: incident.reason,
      started_at: incident.startedAt,
      ended_at: endedAt,
      peak: incident.peak,
      threshold: plan.threshold,
      window_from: windowAt(plan.window, incident.startedAt).from,
      window_to: Math.max(window.to, incident.startedAt),
      late: 0,
    })),
    history,
    windows: [],
  };
}

/** A group that is ok is known again from its requests after a restart, unless its age matters, or that its requests stop. */
function isKept({ rules }: ReadyAlert, memory: GroupMemory | undefined): boolean {
  return memory !== undefined && (memory.state !== 'ok' || rules.noData === 'alert' || rules.newGroupDelayMs > 0);
}

/** A row of the history, of no group and no state yet. */
export function historyRow(ready: ReadyAlert, at: number): Omit<HistoryRow, 'state'> {
  const { alert, plan } = ready;
  const { from, to } = windowAt(plan.window, at);
  return {
    organization_id: alert.organizationId,
    rule_id: alert.id,
    at,
    group_key: '[]',
    dimensions: dimensionNames(ready),
    value: null,
    threshold: plan.threshold,
    window_from: from,
    window_to: to,
    incident_id: null,
    late: 0,
    value_before: null,
    reason: null,
  };
}

export function dimensionNames({ plan }: ReadyAlert): string {
  return JSON.stringify(plan.dimensions.map(keyOf));
}
