import type { ColumnName } from '../../model/record/columns.ts';
import { type AskedMetric, type MetricName, type QuantileName, quantileLevels, scoreOf } from '../../model/vocabulary/metrics.ts';
import { columnName, identifier } from '../../sql/identifier.ts';
import { literal } from '../../sql/literal.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';

/** A condition of a row, by which an aggregate leaves others out. */
export type When = Fragment | undefined;

/** An aggregate over the requests of a group, from which metrics are computed. Parts of disjoint groups combine to that of their union. */
export interface Part {
  readonly each: (when: When) => Fragment;
  readonly combined: (part: Fragment) => Fragment;
}

function added(each: Part['each']): Part {
  return { each, combined: (part) => sql`sum(${part})` };
}

function counted(condition: Fragment): Part {
  return added((when) => (when === undefined ? sql`countIf(${condition})` : sql`countIf((${condition}) AND ${when})`));
}

/** TRICKY: a sum of UInt64 wraps round silently. */
export function sumOf(column: ColumnName): Part {
  const amount = column === 'cost' ? sql`cost` : sql`toUInt128(${columnName(column)})`;
  return added((when) => (when === undefined ? sql`ifNull(sum(${amount}), 0)` : sql`ifNull(sumIf(${amount}, ${when}), 0)`));
}

export function countOf(column: ColumnName): Part {
  return counted(sql`isNotNull(${columnName(column)})`);
}

export function greatest(column: ColumnName): Part {
  const value = columnName(column);
  return {
    each: (when) => (when === undefined ? sql`max(${value})` : sql`maxIf(${value}, ${when})`),
    combined: (part) => sql`max(${part})`,
  };
}

export function least(column: ColumnName): Part {
  const value = columnName(column);
  return {
    each: (when) => (when === undefined ? sql`min(${value})` : sql`minIf(${value}, ${when})`),
    combined: (part) => sql`min(${part})`,
  };
}

/** @param levels between 0 and 1. */
export function quantilesOf(column: ColumnName, levels: readonly number[]): Part {
  const value = columnName(column);
  const at = join(
    levels.map((level) => literal(level)),
    ', ',
  );
  return {
    each: (when) =>
      when === undefined
        ? sql`quantilesExactInclusiveState(${at})(${value})`
        : sql`quantilesExactInclusiveStateIf(${at})(${value}, ${when})`,
    combined: (part) => sql`quantilesExactInclusiveMergeState(${at})(${part})`,
  };
}

/** Of 2 to the power of 20 registers; its hash table is exact up to 16,000 values. */
function distinct(column: ColumnName): Part {
  const value = columnName(column);
  const present = sql`${value} != ''`;
  return {
    each: (when) => sql`uniqCombined64IfState(20)(${value}, ${when === undefined ? present : sql`${present} AND ${when}`})`,
    combined: (part) => sql`uniqCombined64IfMergeState(20)(${part})`,
  };
}

/** A rate of the price that was applied, US dollars per million; empty without one. The distinct prices are few, so few texts are parsed. */
function rateText(kind: 'input' | 'cache_read'): Fragment {
  return sql`JSONExtractString(applied_price, 'rates', ${literal(kind)})`;
}

function dollars(text: Fragment): Fragment {
  return sql`toDecimal256OrZero(${text}, 12)`;
}

/** TRICKY: any amount times any number of tokens has room in 256 bits only; with six more digits, each product is exact. */
function savings(): Part {
  const difference = sql`if(${rateText('input')} = '' OR ${rateText('cache_read')} = '', toDecimal256(0, 12),
    ${dollars(rateText('input'))} - ${dollars(rateText('cache_read'))})`;
  const saved = sql`ifNull(prompt_cache_read_tokens, 0) * ${difference} * toDecimal256('0.000001', 6)`;
  return added((when) => (when === undefined ? sql`sum(${saved})` : sql`sumIf(${saved}, ${when})`));
}

const fixedLevels = Object.values(quantileLevels);

const isAnswered = sql`((status >= 200 AND status < 400) OR status = 499 OR status = 502)`;
const hasSucceeded = sql`(status >= 200 AND status < 400 AND failure_kind = '')`;
const hasTokens = sql`(ifNull(prompt_tokens, 0) > 0 OR ifNull(completion_tokens, 0) > 0)`;
/** A call of a tool, a query of a database or another step that is logged beside model calls: it has no price. */
const isStep = sql`(model IN ('tool', 'data', 'vector_db') OR startsWith(model, 'tool:') OR startsWith(model, 'data:'))`;

const parts = {
  requests: added((when) => (when === undefined ? sql`count()` : sql`countIf(${when})`)),
  failed: counted(sql`failure_kind != ''`),
  cached: counted(sql`cached`),
  threats: counted(sql`ifNull(threat, false)`),
  cost: sumOf('cost'),
  priced: countOf('cost'),
  left: counted(sql`status = 499`),
  unpriced: counted(sql`isNull(cost) AND ((${isAnswered} AND ${hasTokens}) OR (${hasSucceeded} AND NOT ${isStep}))`),
  total_tokens: sumOf('total_tokens'),
  prompt_tokens: sumOf('prompt_tokens'),
  completion_tokens: sumOf('completion_tokens'),
  with_prompt_tokens: countOf('prompt_tokens'),
  with_completion_tokens: countOf('completion_tokens'),
  prompt_cache_read_tokens: sumOf('prompt_cache_read_tokens'),
  prompt_cache_savings: savings(),
  prompt_cache_write_tokens: sumOf('prompt_cache_write_tokens'),
  reasoning_tokens: sumOf('reasoning_tokens'),
  prompt_audio_tokens: sumOf('prompt_audio_tokens'),
  completion_audio_tokens: sumOf('completion_audio_tokens'),
  size_bytes: sumOf('size_bytes'),
  latency: sumOf('latency'),
  latencies: countOf('latency'),
  max_latency: greatest('latency'),
  latency_quantiles: quantilesOf('latency', fixedLevels),
  first_byte: sumOf('time_to_first_byte'),
  first_bytes: countOf('time_to_first_byte'),
  max_first_byte: greatest('time_to_first_byte'),
  first_byte_quantiles: quantilesOf('time_to_first_byte', fixedLevels),
  first_token: sumOf('time_to_first_token'),
  first_tokens: countOf('time_to_first_token'),
  max_first_token: greatest('time_to_first_token'),
  first_token_quantiles: quantilesOf('time_to_first_token', fixedLevels),
  users: distinct('user_id'),
  sessions: distinct('session_id'),
} as const satisfies Readonly<Record<string, Part>>;

type PartName = keyof typeof parts;

/** The name of a part before and after parts are combined. */
export type PartStage = 'each' | 'all';

type NamedPart = readonly [name: string, part: Part];

interface Metric {
  readonly parts: readonly NamedPart[];
  /** A number, from the names of the parts. */
  readonly value: (...names: readonly Fragment[]) => Fragment;
}

function named(name: PartName): NamedPart {
  return [name, parts[name]];
}

function plain(part: PartName): Metric {
  return { parts: [named(part)], value: (name) => sql`${name ?? missing}` };
}

function ratio(over: PartName, under: PartName): Metric {
  return ratioOf(named(over), named(under));
}

function ratioOf(over: NamedPart, under: NamedPart): Metric {
  return {
    parts: [over, under],
    value: (upper, lower) => sql`if(${lower ?? missing} = 0, NULL, toFloat64(${upper ?? missing}) / ${lower ?? missing})`,
  };
}

const levels = Object.keys(quantileLevels) as readonly QuantileName[];

function quantile(part: PartName, level: QuantileName): Metric {
  return {
    parts: [named(part)],
    value: (name) => sql`finalizeAggregation(${name ?? missing})[${param(levels.indexOf(level) + 1, 'UInt64')}]`,
  };
}

function final(part: PartName): Metric {
  return { parts: [named(part)], value: (name) => sql`finalizeAggregation(${name ?? missing})` };
}

type TimeName = 'latency' | 'time_to_first_byte' | 'time_to_first_token';
type TimeMetric<Name extends TimeName> = `avg_${Name}` | `max_${Name}` | `${QuantileName}_${Name}`;

/** The metrics of a column of milliseconds. */
function ofTime<Name extends TimeName>(
  name: Name,
  of: Readonly<Record<'sum' | 'count' | 'max' | 'quantiles', PartName>>,
): Readonly<Record<TimeMetric<Name>, Metric>> {
  return {
    [`avg_${name}`]: ratio(of.sum, of.count),
    [`max_${name}`]: plain(of.max),
    ...Object.fromEntries(levels.map((level) => [`${level}_${name}`, quantile(of.quantiles, level)])),
  } as Record<TimeMetric<Name>, Metric>;
}

const missing = sql`NULL`;

const metricParts: Readonly<Record<MetricName, Metric>> = {
  count: plain('requests'),
  errors: plain('failed'),
  error_rate: ratio('failed', 'requests'),
  left: plain('left'),
  cached_count: plain('cached'),
  threats: plain('threats'),
  cost: plain('cost'),
  avg_cost: ratio('cost', 'priced'),
  unpriced_count: plain('unpriced'),
  total_tokens: plain('total_tokens'),
  prompt_tokens: plain('prompt_tokens'),
  completion_tokens: plain('completion_tokens'),
  avg_prompt_tokens: ratio('prompt_tokens', 'with_prompt_tokens'),
  avg_completion_tokens: ratio('completion_tokens', 'with_completion_tokens'),
  prompt_cache_read_tokens: plain('prompt_cache_read_tokens'),
  prompt_cache_read_rate: ratio('prompt_cache_read_tokens', 'prompt_tokens'),
  prompt_cache_savings: plain('prompt_cache_savings'),
  prompt_cache_write_tokens: plain('prompt_cache_write_tokens'),
  reasoning_tokens: plain('reasoning_tokens'),
  prompt_audio_tokens: plain('prompt_audio_tokens'),
  completion_audio_tokens: plain('completion_audio_tokens'),
  size_bytes: plain('size_bytes'),
  ...ofTime('latency', { sum: 'latency', count: 'latencies', max: 'max_latency', quantiles: 'latency_quantiles' }),
  ...ofTime('time_to_first_byte', {
    sum: 'first_byte',
    count: 'first_bytes',
    max: 'max_first_byte',
    quantiles: 'first_byte_quantiles',
  }),
  ...ofTime('time_to_first_token', {
    sum: 'first_token',
    count: 'first_tokens',
    max: 'max_first_token',
    quantiles: 'first_token_quantiles',
  }),
  users: final('users'),
  sessions: final('sessions'),
};

/** Of the requests that have the score. */
function ofScore(name: string): Metric {
  const score = param(name, 'String');
  const isThere = sql`mapContains(scores, ${score})`;
  const sum = added((when) => sql`sumIf(scores[${score}], ${when === undefined ? isThere : sql`${isThere} AND ${when}`})`);
  return ratioOf([`score_${name}`, sum], [`scores_${name}`, counted(isThere)]);
}

function metricOf(metric: AskedMetric): Metric {
  const score = scoreOf(metric);
  return score === undefined ? metricParts[metric as MetricName] : ofScore(score);
}

/** Columns of a group of requests with the parts of these metrics. */
export function partColumns(names: readonly AskedMetric[]): readonly Fragment[] {
  return partsOf(names).map(([name, part]) => sql`${part.each(undefined)} AS ${partName('each', name)}`);
}

/** Columns that combine the parts of several groups. */
export function combinedColumns(names: readonly AskedMetric[]): readonly Fragment[] {
  return partsOf(names).map(([name, part]) => sql`${part.combined(partName('each', name))} AS ${partName('all', name)}`);
}

/** The value of a metric, to be read from a derived table with the parts. Null: not known. */
export function metricValue(metric: AskedMetric, stage: PartStage): Fragment {
  const { parts: needed, value } = metricOf(metric);
  return value(...needed.map(([name]) => partName(stage, name)));
}

/** The parts of a metric by name, and its value from the names that they have then. */
export function partsOfMetric(metric: MetricName): {
  readonly parts: readonly NamedPart[];
  readonly value: (names: readonly Fragment[]) => Fragment;
} {
  const { parts: needed, value } = metricOf(metric);
  return { parts: needed, value: (names) => value(...names) };
}

/** Each part once. */
function partsOf(names: readonly AskedMetric[]): readonly NamedPart[] {
  return [...new Map(names.flatMap((name) => metricOf(name).parts))];
}

function partName(stage: PartStage, part: string): Fragment {
  return identifier(`${stage}_${part}`);
}
