import { type MetricDefinition, type MetricName, metrics } from '../../model/vocabulary/metrics.ts';

const steps = '▁▂▃▄▅▆▇█';

/** A line of bars, each as high as its share of the greatest value; a value of nothing is a space. */
export function sparkline(values: readonly number[], greatest: number): string {
  return values
    .map((value) =>
      value <= 0 || greatest <= 0 ? ' ' : (steps[Math.min(steps.length - 1, Math.floor((value / greatest) * steps.length))] ?? ' '),
    )
    .join('');
}

/** A value of a metric for people: with its unit, and rounded. */
export function cellText(name: MetricName, value: unknown): string {
  if (value === null || value === undefined) return '-';
  const number = Number(value);
  const definition: MetricDefinition | undefined = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
  switch (definition?.unit) {
    case 'usd':
      return `$${money(number)}`;
    case 'ratio':
      return `${(number * 100).toFixed(1)} %`;
    case 'milliseconds':
      return `${Math.round(number).toLocaleString('en')} ms`;
    default:
      return number.toLocaleString('en');
  }
}

const smallestShown = 0.000_001;

/** Two decimals from a hundred dollars on, six below one; what is less than they show is no zero. */
function money(usd: number): string {
  const size = Math.abs(usd);
  if (size > 0 && size < smallestShown) return usd.toPrecision(2);
  const digits = size === 0 || size >= 100 ? 2 : size >= 1 ? 4 : 6;
  return usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: digits });
}
