import type { Variable } from './variable.ts';

export const alertVariables = {
  alertIntervalMs: {
    name: 'GATELOG_ALERT_INTERVAL',
    kind: 'duration',
    default: '10s',
    min: 5000,
    max: 30_000,
    reason: 'Time between two evaluations of all rules that alert. A rule fires within twice that and a few seconds of its cause.',
  },
} as const satisfies Readonly<Record<string, Variable>>;
