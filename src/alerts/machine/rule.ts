import type { AlertRule } from '../../contract/events/alerts.ts';
import type { StoredAlert } from '../../model/events/alert.ts';
import { type AlertPlan, planAlert, wordsOf } from '../../query/alerts/plan.ts';
import type { StepRules } from './state.ts';
import { stepRulesOf } from './step-rules.ts';

export type Alert = StoredAlert<AlertRule>;

/** A rule, ready to be evaluated. */
export interface ReadyAlert {
  readonly alert: Alert;
  readonly plan: AlertPlan;
  readonly rules: StepRules;
  /** The same for rules that measure the same groups in the same way. */
  readonly fingerprint: string;
}

/** @param stepMs time between two evaluations. @throws for a rule that was stored although it is not valid: a fault of ours. */
export function readyAlert(alert: Alert, stepMs: number): ReadyAlert {
  const planned = planAlert(alert.organizationId, alert.rule);
  if (!planned.ok) throw new Error(`Rule ${alert.id} was stored although it is not valid: ${planned.fault.message}`);
  return {
    alert,
    plan: planned.value,
    rules: stepRulesOf(alert.rule, planned.value, stepMs),
    fingerprint: fingerprintOf(planned.value),
  };
}

type Measured = Pick<AlertPlan, 'measure' | 'dimensions' | 'filter' | 'window' | 'baselineDays'>;

function fingerprintOf({ measure, dimensions, filter, window, baselineDays }: Measured): string {
  return JSON.stringify([measure, dimensions, filter, window, baselineDays]);
}

/** The rule as it was when it measured something else: of that its open incidents are. @param fingerprint of then. */
export function asMeasured(ready: ReadyAlert, fingerprint: string): ReadyAlert {
  type Parts = [Measured['measure'], Measured['dimensions'], Measured['filter'], Measured['window'], Measured['baselineDays']];
  const [measure, dimensions, filter, window, baselineDays] = JSON.parse(fingerprint) as Parts;
  return { ...ready, plan: { ...ready.plan, measure, dimensions, filter, window, baselineDays, ...wordsOf(measure, baselineDays) } };
}

/** An offered rule is off while nobody is told. */
export function isOn({ offered, channels }: Alert): boolean {
  return !offered || channels.length > 0;
}
