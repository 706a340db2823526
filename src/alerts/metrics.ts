import { type MetricFamily, type Meter, secondsBounds } from '../platform/metrics/meter.ts';

const evaluations: MetricFamily = { name: 'gatelog_alert_evaluations_total', kind: 'counter', help: 'Evaluations of rules that alert.' };
const failures: MetricFamily = {
  name: 'gatelog_alert_evaluation_errors_total',
  kind: 'counter',
  help: 'Evaluations of rules that failed; the state of their groups stays as it was.',
};
const rounds: MetricFamily = {
  name: 'gatelog_alert_round_duration_seconds',
  kind: 'histogram',
  help: 'How long all rules took to be evaluated once.',
  bounds: secondsBounds,
};
const rules: MetricFamily = { name: 'gatelog_alert_rules', kind: 'gauge', help: 'Rules that are evaluated.' };

const incidents: MetricFamily = {
  name: 'gatelog_alert_incidents_open',
  kind: 'gauge',
  help: 'Incidents that are open: groups of rules that fire, or have no data where that is told. Absent until the first evaluation.',
};

export const alertFamilies: readonly MetricFamily[] = [evaluations, failures, rounds, rules, incidents];

/** A round of all rules. */
export interface Round {
  readonly rules: number;
  readonly failed: number;
  readonly ms: number;
}

export function recordIncidents(meter: Meter, open: number): void {
  meter.set(incidents, [], open);
}

export function countRound(meter: Meter, round: Round): void {
  meter.add(evaluations, [], round.rules);
  meter.add(failures, [], round.failed);
  meter.record(rounds, [], round.ms / 1000);
  meter.set(rules, [], round.rules);
}
