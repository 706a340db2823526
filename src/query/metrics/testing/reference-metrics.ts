import { Temporal } from 'temporal-polyfill';
import { moneyOfUnits, moneyText, parseMoney } from '../../../model/pricing/money.ts';
import { exactTotal } from '../../../model/record/usage.ts';
import { type AskedMetric, type Interval, type MetricName, quantileLevels, scoreOf } from '../../../model/vocabulary/metrics.ts';
import type { StoredRecord } from '../../filter/testing/nasty-records.ts';
import { aliasOf } from '../../../model/vocabulary/property-alias.ts';
import type { Zone } from '../buckets.ts';
import { type Dimension, keyOf, type MetricsPlan } from '../plan.ts';

/** A value of a metric: a sum as decimal text, another number, or null. */
export type Value = string | number | null;

export interface ReferenceRow {
  readonly key: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, Value>>;
}

/** Metrics computed record by record, without SQL, with the calendar of `Temporal`. @param records those that the filter keeps. */
export function referenceRows(plan: MetricsPlan, records: readonly StoredRecord[]): readonly ReferenceRow[] {
  const groups = new Map<string, { readonly key: Record<string, unknown>; readonly members: StoredRecord[] }>();
  for (const record of records) {
    const key = keyFor(plan, record);
    const text = JSON.stringify(key);
    const group = groups.get(text) ?? { key, members: [] };
    group.members.push(record);
    groups.set(text, group);
  }
  if (plan.dimensions.length === 0 && plan.interval === undefined && groups.size === 0) return [rowOf(plan, {}, [])];
  return [...groups.values()].map(({ key, members }) => rowOf(plan, key, members));
}

export function rowOf({ metrics }: Pick<MetricsPlan, 'metrics'>, key: ReferenceRow['key'], members: readonly StoredRecord[]): ReferenceRow {
  return { key, values: Object.fromEntries(metrics.map((name) => [name, valueOf(name, members)])) };
}

function keyFor({ dimensions, interval, zone }: MetricsPlan, record: StoredRecord): Record<string, unknown> {
  const key = Object.fromEntries(dimensions.map((dimension) => [keyOf(dimension), dimensionOf(dimension, record, zone)]));
  return interval === undefined ? key : { ...key, time: startOf(interval, record.createdAt, zone) };
}

function dimensionOf(dimension: Dimension, record: StoredRecord, zone: Zone): string | number | boolean | null {
  if (dimension.kind !== 'column') {
    const { kind, name } = dimension;
    if (kind === 'input') return record.inputs.get(name) ?? null;
    return record.properties.get(name) ?? record.properties.get(aliasOf(name) ?? name) ?? null;
  }
  switch (dimension.name) {
    case 'model':
      return orNull(record.model);
    case 'request_model':
      return orNull(record.requestModel);
    case 'provider':
      return orNull(record.provider);
    case 'status':
      return record.status;
    case 'user':
      return orNull(record.userId);
    case 'session':
      return orNull(record.sessionId);
    case 'session_name':
      return orNull(record.sessionName);
    case 'country':
      return orNull(record.countryCode);
    case 'failure_type':
      return orNull(record.failure?.type ?? '');
    case 'client':
      return orNull(record.client);
    case 'client_version':
      return orNull(record.clientVersion);
    case 'key':
      return orNull(record.keyHash);
    case 'path':
      return orNull(record.path);
    case 'prompt':
      return orNull(record.promptId);
    case 'prompt_version':
      return orNull(record.promptVersion);
    case 'streamed':
      return record.streamed;
    case 'cached':
      return record.cached;
    case 'hour_of_day':
      return local(record.createdAt, zone).hour;
    case 'weekday':
      return local(record.createdAt, zone).dayOfWeek;
  }
}

function local(ms: number, zone: Zone): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zoneName(zone));
}

function zoneName(zone: Zone): string {
  if (zone.kind === 'named') return zone.name;
  const minutes = Math.abs(zone.minutes);
  return `${zone.minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

/** Unix milliseconds of the start of the bucket with this time. */
export function startOf(interval: Interval, ms: number, zone: Zone): number {
  const at = local(ms, zone);
  switch (interval) {
    case 'minute':
      return ms - (at.second * 1000 + at.millisecond);
    case '5m':
    case '15m':
      return ms - (((at.minute % (interval === '5m' ? 5 : 15)) * 60 + at.second) * 1000 + at.millisecond);
    case '3h':
    case '6h': {
      const step = (interval === '3h' ? 3 : 6) * 3_600_000;
      const midnight = at.startOfDay().epochMilliseconds;
      return midnight + Math.floor((ms - midnight) / step) * step;
    }
    case 'hour':
      return ms - ((at.minute * 60 + at.second) * 1000 + at.millisecond);
    case 'day':
      return at.startOfDay().epochMilliseconds;
    case 'week':
      return startOfDate(at.toPlainDate().subtract({ days: at.dayOfWeek - 1 }), zone);
    case 'month':
      return startOfDate(at.toPlainDate().with({ day: 1 }), zone);
    case 'year':
      return startOfDate(at.toPlainDate().with({ month: 1, day: 1 }), zone);
  }
}

function startOfDate(date: Temporal.PlainDate, zone: Zone): number {
  return date.toZonedDateTime({ timeZone: zoneName(zone) }).epochMilliseconds;
}

function valueOf(metric: AskedMetric, members: readonly StoredRecord[]): Value {
  const score = scoreOf(metric);
  return score === undefined ? ofList(metric as MetricName, members) : averageOf(members.flatMap(({ scores }) => scores.get(score) ?? []));
}

function averageOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function ofList(name: MetricName, members: readonly StoredRecord[]): Value {
  const count = (isCounted: (record: StoredRecord) => boolean): string => String(members.filter(isCounted).length);
  const sum = (read: (record: StoredRecord) => number | bigint | null): string => String(total(members.map(read)));
  const costs = members.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const cost = costs.reduce<bigint>((all, one) => all + one, 0n);
  switch (name) {
    case 'count':
      return String(members.length);
    case 'errors':
      return count(isError);
    case 'error_rate':
      return members.length === 0 ? null : members.filter(isError).length / members.length;
    case 'left':
      return count(({ status }) => status === 499);
    case 'cached_count':
      return count(({ cached }) => cached);
    case 'threats':
      return count(({ threat }) => threat === true);
    case 'cost':
      return shortest(moneyText(moneyOfUnits(cost)));
    case 'avg_cost':
      return costs.length === 0 ? null : Number(moneyText(moneyOfUnits(cost))) / costs.length;
    case 'unpriced_count':
      return count(isUnpriced);
    case 'total_tokens':
      return sum(({ usage }) => exactTotal(usage));
    case 'prompt_tokens':
      return sum(({ usage }) => usage.promptTokens);
    case 'completion_tokens':
      return sum(({ usage }) => usage.completionTokens);
    case 'avg_prompt_tokens':
      return averageCount(members.map(({ usage }) => usage.promptTokens));
    case 'avg_completion_tokens':
      return averageCount(members.map(({ usage }) => usage.completionTokens));
    case 'prompt_cache_read_tokens':
      return sum(({ usage }) => usage.promptCacheReadTokens);
    case 'prompt_cache_read_rate': {
      const input = Number(sum(({ usage }) => usage.promptTokens));
      return input === 0 ? null : Number(sum(({ usage }) => usage.promptCacheReadTokens)) / input;
    }
    case 'prompt_cache_savings':
      return exactUsd(total(members.map(savedUnits)));
    case 'prompt_cache_write_tokens':
      return sum(({ usage }) => usage.promptCacheWriteTokens);
    case 'reasoning_tokens':
      return sum(({ usage }) => usage.reasoningTokens);
    case 'prompt_audio_tokens':
      return sum(({ usage }) => usage.promptAudioTokens);
    case 'completion_audio_tokens':
      return sum(({ usage }) => usage.completionAudioTokens);
    case 'size_bytes':
      return sum(({ sizeBytes }) => sizeBytes);
    case 'users':
      return new Set(members.map(({ userId }) => userId).filter((id) => id !== '')).size;
    case 'sessions':
      return new Set(members.map(({ sessionId }) => sessionId).filter((id) => id !== '')).size;
    default:
      return ofTimes(name, members);
  }
}

/** Of those that are known. */
function averageCount(values: readonly (number | bigint | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Number(total(known)) / known.length;
}

function isUnpriced({ cost, status, failure, model, usage }: StoredRecord): boolean {
  if (cost !== null) return false;
  const isSuccess = status >= 200 && status < 400;
  const hasTokens = (usage.promptTokens ?? 0) > 0 || (usage.completionTokens ?? 0) > 0;
  if (hasTokens) return isSuccess || status === 499 || status === 502;
  return isSuccess && failure === null && !/^(?:tool|data|vector_db)$|^(?:tool|data):/.test(model);
}

/** In 10⁻¹⁸ US dollars. */
function savedUnits({ usage, appliedPrice }: StoredRecord): bigint {
  const { input, cache_read: cacheRead } = (appliedPrice === '' ? {} : (JSON.parse(appliedPrice) as Applied).rates) ?? {};
  const [inputRate, cached] = [input, cacheRead].map((rate) => (rate === undefined ? undefined : parseMoney(rate)));
  return inputRate === undefined || cached === undefined ? 0n : (inputRate - cached) * BigInt(usage.promptCacheReadTokens ?? 0);
}

interface Applied {
  readonly rates?: Readonly<Record<string, string>>;
}

/** @param units 10⁻¹⁸ US dollars. */
function exactUsd(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(19, '0');
  return `${units < 0n ? '-' : ''}${shortest(`${digits.slice(0, -18)}.${digits.slice(-18)}`)}`;
}

/** Without zeros at the end. */
function shortest(decimal: string): string {
  return decimal.replace(/\.?0+$/, '') || '0';
}

const readTime = {
  latency: ({ latencyMs }: StoredRecord) => latencyMs,
  time_to_first_byte: ({ timeToFirstByteMs }: StoredRecord) => timeToFirstByteMs,
  time_to_first_token: ({ timeToFirstTokenMs }: StoredRecord) => timeToFirstTokenMs,
} as const;

function ofTimes(name: MetricName, members: readonly StoredRecord[]): Value {
  const [kind = '', ...rest] = name.split('_');
  const values = members.map(readTime[rest.join('_') as keyof typeof readTime]).filter((value) => value !== null);
  if (values.length === 0) return null;
  if (kind === 'max') return Math.max(...values.map(Number));
  if (kind === 'avg') return Number(total(values)) / values.length;
  const sorted = values.map(Number).toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * quantileLevels[kind as keyof typeof quantileLevels];
  const [below = 0, above = below] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}

function total(values: readonly (number | bigint | null)[]): bigint {
  return values.reduce<bigint>((sum, value) => sum + (value === null ? 0n : BigInt(value)), 0n);
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}

function isError({ failure }: StoredRecord): boolean {
  return failure !== null;
}
