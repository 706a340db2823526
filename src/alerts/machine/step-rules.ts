import type { AlertRule } from '../../contract/events/alerts.ts';
import { alertDefaults } from '../../model/events/alert-vocabulary.ts';
import type { AlertPlan } from '../../query/alerts/plan.ts';
import type { StepRules } from './state.ts';

/** A group without requests for so long is forgotten. */
const forgetAfterMs = 7 * 86_400_000;
const minGapMs = 90_000;

/** What the states of a rule's groups go by. @param stepMs time between two evaluations. */
export function stepRulesOf(rule: Omit<AlertRule, 'name'>, plan: AlertPlan, stepMs: number): StepRules {
  const isGrouped = plan.dimensions.length > 0;
  return {
    comparison: plan.comparison,
    threshold: plan.threshold,
    minimumCount: plan.minimumCount,
    forMs: rule.for_ms ?? 0,
    recoverAfterMs: rule.recover_after_ms ?? alertDefaults.recoverAfterMs,
    newGroupDelayMs: rule.new_group_delay_ms ?? (isGrouped ? alertDefaults.newGroupDelayMs : 0),
    noData: rule.no_data ?? 'ok',
    renotifyMs: rule.renotify_ms ?? null,
    muteUntil: rule.mute_until ?? null,
    zeroWithoutRequests: plan.zeroWithoutRequests,
    forgetAfterMs: isGrouped ? forgetAfterMs : null,
    maxGapMs: Math.max(minGapMs, 3 * stepMs),
  };
}
