import type { AlertRule } from '../../contract/events/alerts.ts';
import type { Comparison } from '../../model/events/alert-message.ts';
import { bodyFault, type FaultPath, type Result, success } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import {
  type AggregatedColumn,
  aggregatedColumns,
  type Aggregation,
  alertDefaults,
  failedPercent,
} from '../../model/events/alert-vocabulary.ts';
import { type Calendar, zoneNamed } from '../../model/time/calendar.ts';
import { type MetricDefinition, type MetricName, metricNames, metrics } from '../../model/vocabulary/metrics.ts';
import { everything, type FilterNode } from '../filter/ast.ts';
import { parseFilter } from '../filter/parse.ts';
import { code, codeList, didYouMean, preview } from '../filter/preview.ts';
import { type Dimension, metricsDialect, readDimensions } from '../metrics/plan.ts';

/** What a rule measures of the requests in its window. */
export type Measure =
  /** A metric of `/v1/metrics/query`, times a factor. */
  | { readonly kind: 'metric'; readonly metric: MetricName; readonly factor: number }
  | { readonly kind: 'column'; readonly column: AggregatedColumn; readonly aggregation: Exclude<Aggregation, 'percentile'> }
  /** @param level between 0 and 1. */
  | { readonly kind: 'quantile'; readonly column: AggregatedColumn; readonly level: number };

export type AlertWindow = { readonly kind: 'rolling'; readonly ms: number } | ({ readonly kind: 'calendar' } & Calendar);

/** When a value breaches a rule. */
export interface Condition {
  readonly comparison: Comparison;
  readonly threshold: number;
  readonly minimumCount: number;
}

/** A rule bound to its tenant. */
export interface AlertPlan extends Condition {
  readonly tenant: OrganizationId;
  readonly filter: FilterNode;
  readonly dimensions: readonly Dimension[];
  readonly measure: Measure;
  readonly window: AlertWindow;
  /** Days before with whose same hours the value is compared; 0: none. */
  readonly baselineDays: number;
  /** No requests make 0, not an absent value. */
  readonly zeroWithoutRequests: boolean;
  /** For people, such as `p95 of latency`. */
  readonly title: string;
  readonly unit: string;
}

/** What decides when a rule fires; the rest of a rule is about messages. */
type RuleCondition = Omit<AlertRule, 'name'>;

const dayMs = 86_400_000;

/** @param within the path of the rule in the body. @returns the first fault of the rule, when there is one. */
export function planAlert(tenant: OrganizationId, rule: RuleCondition, within: FaultPath = []): Result<AlertPlan> {
  const result = planned(tenant, rule);
  if (result.ok || within.length === 0) return result;
  return { ok: false, fault: { ...result.fault, path: [...within, ...result.fault.path] } };
}

function planned(tenant: OrganizationId, rule: RuleCondition): Result<AlertPlan> {
  const measure = readMeasure(rule);
  if (!measure.ok) return measure;
  const dimensions = readGrouping(rule);
  if (!dimensions.ok) return dimensions;
  const window = readWindow(rule);
  if (!window.ok) return window;
  const baselineDays = readBaseline(rule, window.value);
  if (!baselineDays.ok) return baselineDays;
  const parsed = rule.filter === undefined ? success({ filter: everything }) : parseFilter(rule.filter, metricsDialect);
  if (!parsed.ok) return parsed;
  const plan: AlertPlan = {
    tenant,
    filter: parsed.value.filter,
    dimensions: dimensions.value,
    measure: measure.value,
    window: window.value,
    comparison: rule.comparison ?? 'gte',
    threshold: rule.threshold,
    minimumCount: rule.minimum_request_count ?? 0,
    baselineDays: baselineDays.value,
    zeroWithoutRequests: baselineDays.value === 0 && isZeroWithout(measure.value),
    ...wordsOf(measure.value, baselineDays.value),
  };
  return checkThreshold(plan) ?? success(plan);
}

function readMeasure({ metric, aggregation, percentile }: RuleCondition): Result<Measure> {
  if (percentile !== undefined && percentile !== null && aggregation !== 'percentile') {
    return bodyFault(['percentile'], '`percentile` stands beside `"aggregation": "percentile"` only; add that, or leave `percentile` out.');
  }
  // Upstream sends an aggregation with these two also.
  if (metric === failedPercent) return success({ kind: 'metric', metric: 'error_rate', factor: 100 });
  if (metric === 'count') return success({ kind: 'metric', metric, factor: 1 });
  if (isColumn(metric)) return success(ofColumn(metric, aggregation ?? 'sum', percentile ?? alertDefaults.percentile));
  if (!isMetric(metric)) {
    const known = [failedPercent, ...new Set([...Object.keys(aggregatedColumns), ...metricNames])];
    return bodyFault(['metric'], `Unknown metric ${preview(metric)}.${didYouMean(metric, known)} Known metrics: ${codeList(known)}.`);
  }
  const isSum = aggregation === 'sum' && metrics[metric].additive;
  if (aggregation === undefined || aggregation === null || isSum) return success({ kind: 'metric', metric, factor: 1 });
  return bodyFault(
    ['aggregation'],
    `${code(metric)} has its aggregation in its name; leave \`aggregation\` out, or take a column such as ${codeList(Object.keys(aggregatedColumns))}.`,
  );
}

function ofColumn(column: AggregatedColumn, aggregation: Aggregation, percentile: number): Measure {
  if (aggregation === 'percentile') return { kind: 'quantile', column, level: percentile / 100 };
  if (aggregation === 'sum' && isMetric(column)) return { kind: 'metric', metric: column, factor: 1 };
  return { kind: 'column', column, aggregation };
}

function isColumn(name: string): name is AggregatedColumn {
  return Object.hasOwn(aggregatedColumns, name);
}

function isMetric(name: string): name is MetricName {
  return Object.hasOwn(metrics, name);
}

function isZeroWithout(measure: Measure): boolean {
  if (measure.kind !== 'metric') return measure.kind === 'column' && measure.aggregation === 'sum';
  const definition: MetricDefinition = metrics[measure.metric];
  return definition.additive || definition.distinct === true;
}

/** What is measured, for people. */
export function wordsOf(measure: Measure, baselineDays: number): Pick<AlertPlan, 'title' | 'unit'> {
  const unit = baselineDays === 0 ? unitOf(measure) : `percent of the same hours of the ${baselineDays} days before`;
  return { title: titleOf(measure), unit };
}

function titleOf(measure: Measure): string {
  switch (measure.kind) {
    case 'metric':
      return measure.factor === 1 ? measure.metric : failedPercent;
    case 'column':
      return `${measure.aggregation} of ${measure.column}`;
    case 'quantile':
      return `p${measure.level * 100} of ${measure.column}`;
  }
}

/** Whether requests without a price are missing in what is measured. */
export function isOfCost(measure: Measure): boolean {
  return unitOf(measure) === 'usd';
}

function unitOf(measure: Measure): string {
  if (measure.kind !== 'metric') return aggregatedColumns[measure.column];
  return measure.factor === 1 ? metrics[measure.metric].unit : 'percent';
}

/** Dimensions of the day itself, which are no groups of requests that anybody owns. */
const ungrouped = ['hour_of_day', 'weekday'];

function readGrouping({ grouping, grouping_is_property: isProperty }: RuleCondition): Result<readonly Dimension[]> {
  if (grouping === undefined || grouping === null || grouping === '') {
    return isProperty === true
      ? bodyFault(['grouping'], '`grouping_is_property` stands beside `grouping` with the name of a property.')
      : success([]);
  }
  if (isProperty === true) {
    if (typeof grouping === 'string') return readDimensions([{ property: grouping }], 'grouping');
    return bodyFault(['grouping_is_property'], 'In a list, a property is written {"property": "Team"}; leave `grouping_is_property` out.');
  }
  const read = readDimensions(Array.isArray(grouping) ? grouping : [grouping], 'grouping');
  if (!read.ok) return read;
  const index = read.value.findIndex(({ kind, name }) => kind === 'column' && ungrouped.includes(name));
  return index === -1 ? read : bodyFault(['grouping', index], `${codeList(ungrouped)} are no groups of a rule; take another dimension.`);
}

function readWindow({ time_window: ms, window }: RuleCondition): Result<AlertWindow> {
  if (ms !== undefined && window !== undefined && window !== null) {
    return bodyFault(['window'], '`time_window` and `window` exclude each other; leave one out.');
  }
  if (ms !== undefined) return success({ kind: 'rolling', ms });
  if (window === undefined || window === null) {
    return bodyFault(
      ['time_window'],
      'A rule has a `time_window` in milliseconds, such as 300000, or a `window` such as {"calendar": "day"}.',
    );
  }
  const timezone = zoneNamed(window.timezone ?? 'UTC');
  if (timezone !== undefined) return success({ kind: 'calendar', unit: window.calendar, timezone });
  return bodyFault(
    ['window', 'timezone'],
    `\`timezone\` takes a name of the IANA time zone database such as "Europe/Berlin"; got ${preview(window.timezone)}.`,
  );
}

function readBaseline({ baseline }: RuleCondition, window: AlertWindow): Result<number> {
  if (baseline === undefined || baseline === null) return success(0);
  if (window.kind === 'rolling' && window.ms <= dayMs) return success(baseline.days ?? alertDefaults.baselineDays);
  return bodyFault(['baseline'], `\`baseline\` needs a \`time_window\` of at most ${dayMs} milliseconds, a day.`);
}

/** No metric is negative: some thresholds are always reached, and some never. */
function checkThreshold({ comparison, threshold, measure, baselineDays }: AlertPlan): Result<AlertPlan> | undefined {
  const path: FaultPath = ['threshold'];
  if ((comparison === 'gte' && threshold <= 0) || (comparison === 'gt' && threshold < 0)) {
    return bodyFault(path, `Every value is ${comparison} ${threshold}, so the rule would always fire; write a threshold above 0.`);
  }
  if ((comparison === 'lt' && threshold <= 0) || (comparison === 'lte' && threshold < 0)) {
    return bodyFault(path, `No value is ${comparison} ${threshold}, so the rule would never fire; write a threshold above 0.`);
  }
  if (measure.kind !== 'metric' || measure.metric !== 'error_rate' || baselineDays > 0) return undefined;
  const most = measure.factor;
  if (threshold <= most) return undefined;
  const other = most === 1 ? ` \`${failedPercent}\` takes percent.` : '';
  return bodyFault(path, `${code(titleOf(measure))} is between 0 and ${most}; got ${threshold}.${other}`);
}
