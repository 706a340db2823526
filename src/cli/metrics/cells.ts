import { costText, notPriced } from '../terminal/texts.ts';
import { type AskedMetric, definitionOf, type MetricName } from '../../model/vocabulary/metrics.ts';
import { scoreDigits } from '../../model/vocabulary/scores.ts';

const steps = '▁▂▃▄▅▆▇█';

/** A line of bars, each as high as its share of the greatest value; a value of nothing is a space. */
export function sparkline(values: readonly number[], greatest: number): string {
  return values
    .map((value) =>
      value <= 0 || greatest <= 0 ? ' ' : (steps[Math.min(steps.length - 1, Math.floor((value / greatest) * steps.length))] ?? ' '),
    )
    .join('');
}

/** The metric that says of a sum of costs how many requests it lacks. */
export const unpricedMetric: MetricName = 'unpriced_count';

/** A value of a metric for people: with its unit, and rounded. @param row where the cost of none but unpriced requests is no $0. */
export function cellText(name: AskedMetric, value: unknown, row: Readonly<Record<string, unknown>> = {}): string {
  if (name === 'cost' && Number(value) === 0 && Number(row[unpricedMetric] ?? 0) > 0) return notPriced;
  if (value === null || value === undefined) return '-';
  const number = Number(value);
  switch (definitionOf(name).unit) {
    case 'usd':
      return costText(number);
    case 'ratio':
      return `${(number * 100).toFixed(1)} %`;
    case 'milliseconds':
      return `${Math.round(number).toLocaleString('en')} ms`;
    case 'score':
      return number.toLocaleString('en', scoreDigits);
    default:
      return number.toLocaleString('en');
  }
}
