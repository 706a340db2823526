import type { Generated } from 'kysely';
import type { GroupState } from '../../model/events/alert-vocabulary.ts';

/** Times are Unix milliseconds, flags 0 or 1. A group is named by the JSON list of its values. */
export interface AlertTables {
  readonly alert_progress: AlertProgressTable;
  readonly alert_rules_seen: AlertRulesSeenTable;
  readonly alert_groups: AlertGroupsTable;
  readonly alert_incidents: AlertIncidentsTable;
  readonly alert_history: AlertHistoryTable;
  readonly alert_windows: AlertWindowsTable;
}

/** One row: the latest evaluation of all. */
interface AlertProgressTable {
  number: number;
  evaluated_at: number;
}

/** What is known of a rule as a whole. */
export interface AlertRulesSeenTable {
  rule_id: string;
  organization_id: string;
  /** Of what the rule measures; another one makes its groups others. */
  fingerprint: string;
  /** Since when it measures that. */
  measured_since: number;
  /** Failed evaluations in a row. */
  errors: number;
  error: string | null;
  error_told: number;
}

export interface AlertGroupsTable {
  rule_id: string;
  group_key: string;
  organization_id: string;
  /** JSON of what the state machine knows. */
  memory: string;
}

export interface AlertIncidentsTable {
  id: string;
  organization_id: string;
  rule_id: string;
  group_key: string;
  /** JSON list of the names of the group's values. */
  dimensions: string;
  reason: 'threshold' | 'no_data';
  started_at: number;
  ended_at: number | null;
  peak: number | null;
  threshold: number;
  window_from: number;
  window_to: number;
  late: number;
}

export interface AlertHistoryTable {
  seq: Generated<number>;
  organization_id: string;
  rule_id: string;
  at: number;
  state: GroupState | 'error';
  group_key: string;
  /** JSON list of the names of the group's values. */
  dimensions: string;
  value: number | null;
  threshold: number;
  window_from: number;
  window_to: number;
  incident_id: string | null;
  late: number;
  value_before: number | null;
  reason: string | null;
}

/** Values of windows that have ended, by which a late request is noticed. */
export interface AlertWindowsTable {
  rule_id: string;
  ends_at: number;
  starts_at: number;
  /** JSON object: value by group. */
  content: string;
}
