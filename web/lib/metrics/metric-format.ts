import { type AskedMetric, definitionOf, type MetricName, type MetricUnit, scoreOf } from '../../../src/model/vocabulary/metrics.ts';
import { feedbackScore, scoreDigits } from '../../../src/model/vocabulary/scores.ts';
import { canceledTitle } from '../failure.ts';
import { formatBytes, formatCost, formatCount, formatDuration, withMinus, withoutPrice } from '../format.ts';

const titles: Readonly<Record<MetricName, string>> = {
  count: 'Requests',
  errors: 'Errors',
  error_rate: 'Error rate',
  left: canceledTitle,
  cached_count: 'Cached responses',
  threats: 'Threats',
  cost: 'Cost',
  avg_cost: 'Average cost',
  unpriced_count: 'Requests with no price',
  total_tokens: 'Tokens',
  prompt_tokens: 'Input tokens',
  completion_tokens: 'Output tokens',
  avg_prompt_tokens: 'Input tokens, average',
  avg_completion_tokens: 'Output tokens, average',
  prompt_cache_read_tokens: 'Cached input tokens',
  prompt_cache_read_rate: 'Cached input',
  prompt_cache_savings: 'Saved by cached input',
  prompt_cache_write_tokens: 'Input tokens written to the cache',
  reasoning_tokens: 'Reasoning tokens',
  prompt_audio_tokens: 'Audio input tokens',
  completion_audio_tokens: 'Audio output tokens',
  size_bytes: 'Size',
  ...timeTitles('latency', 'Latency'),
  ...timeTitles('time_to_first_byte', 'Time to first byte'),
  ...timeTitles('time_to_first_token', 'Time to first token'),
  users: 'Users',
  sessions: 'Sessions',
};

type OfTime<Name extends string> = Readonly<Record<Extract<MetricName, `${string}_${Name}`>, string>>;

function timeTitles<Name extends 'latency' | 'time_to_first_byte' | 'time_to_first_token'>(name: Name, title: string): OfTime<Name> {
  const kinds = { avg: 'average', max: 'maximum', p50: 'p50', p75: 'p75', p90: 'p90', p95: 'p95', p99: 'p99' };
  return Object.fromEntries(Object.entries(kinds).map(([kind, word]) => [`${kind}_${name}`, `${title}, ${word}`])) as OfTime<Name>;
}

export function metricTitle(name: AskedMetric): string {
  const score = scoreOf(name);
  if (score === undefined) return titles[name as MetricName];
  return score === feedbackScore ? 'Feedback, average' : `Score ${score}, average`;
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });

const scoreNumber = new Intl.NumberFormat(undefined, scoreDigits);

/** A score of one request, or an average of some. */
export function formatScore(value: number | null): string {
  return value === null ? formatCount(null) : withMinus(scoreNumber.format(value));
}

const formats: Readonly<Record<MetricUnit, (value: number | null) => string>> = {
  requests: formatCount,
  tokens: formatCount,
  users: formatCount,
  sessions: formatCount,
  usd: formatCost,
  milliseconds: formatDuration,
  bytes: formatBytes,
  ratio: (value) => (value === null ? formatCount(null) : percent.format(value)),
  score: formatScore,
};

export function formatOf(name: AskedMetric): (value: number | null) => string {
  return formats[definitionOf(name).unit];
}

export function isMoney(name: AskedMetric): boolean {
  return definitionOf(name).unit === 'usd';
}

type Figures = Readonly<Partial<Record<AskedMetric, number | null>>>;

/** A metric of a group. Money is never shown without what it leaves out: all unpriced is no 0, and a part makes the sum a lower bound. */
export function figureText(name: AskedMetric, figures: Figures | undefined): string {
  if (isUnpriced(name, figures)) return withoutPrice;
  const text = formatOf(name)(figures?.[name] ?? null);
  return name === 'cost' && (figures?.unpriced_count ?? 0) > 0 ? `≥ ${text}` : text;
}

/** Whether a cost of 0 says only that no request has a price. */
export function isUnpriced(name: AskedMetric, figures: Figures | undefined): boolean {
  return name === 'cost' && (figures?.unpriced_count ?? 0) > 0 && (figures?.cost ?? 0) === 0;
}

/** A cost whose unpriced requests are asked for apart. @param figures undefined: not known, or not yet. */
export function costWith(cost: number, figures: Figures | undefined): string {
  if (figures === undefined) return formatCost(cost === 0 ? null : cost);
  return figureText('cost', { cost, unpriced_count: figures.unpriced_count ?? 0 });
}

/** Where buckets without a request are 0; elsewhere they are a gap. */
export function isSum(name: AskedMetric): boolean {
  const { additive, unit } = definitionOf(name);
  return additive || unit === 'users' || unit === 'sessions';
}

const change = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' });

/** A change since before: `+212%`, `−38%`, `new`, `gone`; empty where nothing is known. */
export function formatChange(now: number | null | undefined, before: number | null | undefined): string {
  if (now === null || now === undefined || before === null || before === undefined) return '';
  if (before === 0) return now === 0 ? '' : 'new';
  return now === 0 ? 'gone' : withMinus(change.format(now / before - 1));
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 3 });
const compactUsd = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  notation: 'compact',
  maximumSignificantDigits: 3,
});

/** Short figures beside an axis. */
export function axisFormatOf(name: AskedMetric): (value: number) => string {
  const { unit } = definitionOf(name);
  if (unit === 'usd') return shortUsd;
  return unit === 'milliseconds' || unit === 'bytes' || unit === 'ratio' ? formats[unit] : shortCount;
}

function shortUsd(value: number): string {
  return compactUsd.format(value);
}

function shortCount(value: number): string {
  return compact.format(value);
}
