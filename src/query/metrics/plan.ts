import { filterWrappers } from '../filter/leaf.ts';
import type { MetricsQuery } from '../../contract/metrics/query.ts';
import { bodyFault, type FaultPath, type Result, success } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { isJsonObject, wellFormed } from '../../model/text.ts';
import { zoneNamed } from '../../model/time/calendar.ts';
import { overlongName } from '../../model/vocabulary/limits.ts';
import {
  type AskedMetric,
  type DimensionName,
  dimensions,
  type Interval,
  intervals,
  isAskedMetric,
  metricNames,
  metricsLimits,
  type NamedDimension,
  namedDimensions,
  scorePrefix,
} from '../../model/vocabulary/metrics.ts';
import { type SortDirection, sortDirections } from '../../model/vocabulary/sort.ts';
import { allOf, condition, everything, type FilterNode } from '../filter/ast.ts';
import { parseFilter } from '../filter/parse.ts';
import { code, codeList, didYouMean, preview } from '../filter/preview.ts';
import { clampTime } from '../../model/vocabulary/timestamp.ts';
import { utc, type Zone } from './buckets.ts';

/** A dimension of a query; a named one has the name of a property or an input. */
export type Dimension =
  | { readonly kind: 'column'; readonly name: DimensionName }
  | { readonly kind: NamedDimension; readonly name: string };

export interface MetricsSortTerm {
  readonly by: AskedMetric | 'time';
  readonly direction: SortDirection;
}

/** A metrics query bound to its tenant. */
export interface MetricsPlan {
  readonly tenant: OrganizationId;
  readonly filter: FilterNode;
  readonly metrics: readonly AskedMetric[];
  readonly dimensions: readonly Dimension[];
  readonly interval: Interval | undefined;
  readonly zone: Zone;
  readonly sort: readonly MetricsSortTerm[];
  readonly limit: number;
  readonly offset: number;
  /** Whether a row tells what the rows that are not shown make together. */
  readonly other: boolean;
  readonly totals: boolean;
}

export const metricsDialect = { wrappers: filterWrappers, unwrappedProperties: 'refuse', propertyWrapper: 'request_response_rmt' } as const;

/** How a body names groups and buckets. */
interface FieldNames {
  readonly groupBy: string;
  readonly interval: string;
}

const defaultNames: FieldNames = { groupBy: 'groupBy', interval: 'interval' };

/**
 * @param known intervals that the caller may name. @param names of fields in the body of the caller. @returns the first fault of the query,
 * when there is one.
 */
export function planMetrics(
  tenant: OrganizationId,
  body: MetricsQuery,
  known: readonly Interval[] = intervals,
  names: FieldNames = defaultNames,
): Result<MetricsPlan> {
  const metrics = readMetrics(body.metrics);
  if (!metrics.ok) return metrics;
  const groups = readDimensions(body.groupBy ?? [], names.groupBy);
  if (!groups.ok) return groups;
  const interval = readInterval(body.interval, known, names.interval);
  if (!interval.ok) return interval;
  const zone = readZone(body);
  if (!zone.ok) return zone;
  const filter = readFilter(body);
  if (!filter.ok) return filter;
  const sort = readSort(body.sort, metrics.value, interval.value !== undefined);
  if (!sort.ok) return sort;
  return success({
    tenant,
    filter: filter.value,
    metrics: metrics.value,
    dimensions: groups.value,
    interval: interval.value,
    zone: zone.value,
    sort: sort.value,
    limit: body.limit ?? metricsLimits.defaultRows,
    offset: body.offset ?? 0,
    other: body.other === true,
    totals: body.totals === true,
  });
}

/** The key of a dimension in an answer: `model`, `properties.Team`. */
export function keyOf(dimension: Dimension): string {
  return dimension.kind === 'column' ? dimension.name : `${namedDimensions[dimension.kind]}.${dimension.name}`;
}

const knownMetrics = `${codeList(metricNames)}, and ${code(`${scorePrefix}…`)} of a score`;

function readMetrics(given: unknown): Result<readonly AskedMetric[]> {
  const path: FaultPath = ['metrics'];
  if (!Array.isArray(given) || given.length === 0) {
    return bodyFault(path, `\`metrics\` takes a list such as ["count", "cost"]. Known metrics: ${knownMetrics}.`);
  }
  if (given.length > metricsLimits.metrics) return bodyFault(path, `A query has at most ${metricsLimits.metrics} metrics.`);
  for (const [index, name] of given.entries()) {
    if (isAskedMetric(name)) continue;
    return bodyFault(
      [...path, index],
      `Unknown metric ${preview(name)}.${typeof name === 'string' ? didYouMean(name, metricNames) : ''} Known metrics: ${knownMetrics}.`,
    );
  }
  return success([...new Set((given as readonly AskedMetric[]).map(asStored))]);
}

/** Names of scores are well-formed. */
function asStored(metric: AskedMetric): AskedMetric {
  return wellFormed(metric) as AskedMetric;
}

/** @param field of the body. */
export function readDimensions(given: unknown, field: string): Result<readonly Dimension[]> {
  const path: FaultPath = [field];
  if (!Array.isArray(given)) {
    return bodyFault(path, `${code(field)} takes a list such as ["model", {"property": "Team"}]; got ${preview(given)}.`);
  }
  if (given.length > metricsLimits.dimensions) return bodyFault(path, `A query has at most ${metricsLimits.dimensions} dimensions.`);
  const read: Dimension[] = [];
  for (const [index, one] of given.entries()) {
    const dimension = readDimension(one, [...path, index]);
    if (!dimension.ok) return dimension;
    if (read.some((other) => keyOf(other) === keyOf(dimension.value))) {
      return bodyFault([...path, index], `${code(keyOf(dimension.value))} stands in ${code(field)} twice.`);
    }
    read.push(dimension.value);
  }
  return success(read);
}

function readDimension(given: unknown, path: FaultPath): Result<Dimension> {
  if (typeof given === 'string') {
    if (Object.hasOwn(dimensions, given)) return success({ kind: 'column', name: given as DimensionName });
    for (const [kind, prefix] of Object.entries(namedDimensions)) {
      if (given.startsWith(`${prefix}.`)) return named(kind as NamedDimension, given.slice(prefix.length + 1), path);
    }
    const known = Object.keys(dimensions);
    return bodyFault(
      path,
      `Unknown dimension ${code(given)}.${didYouMean(given, known)} Known dimensions: ${codeList(known)}, and {"property": "…"} and {"input": "…"}.`,
    );
  }
  const [entry, ...more] = isJsonObject(given) ? Object.entries(given) : [];
  if (entry === undefined || more.length > 0 || !Object.hasOwn(namedDimensions, entry[0])) {
    return bodyFault(path, `A dimension is a name such as "model", or {"property": "Team"} or {"input": "topic"}; got ${preview(given)}.`);
  }
  return named(entry[0] as NamedDimension, entry[1], path);
}

function named(kind: NamedDimension, name: unknown, path: FaultPath): Result<Dimension> {
  if (typeof name !== 'string' || name === '') return bodyFault(path, `${code(kind)} takes a name; got ${preview(name)}.`);
  const overlong = overlongName(namedDimensions[kind], name);
  return overlong === undefined ? success({ kind, name: wellFormed(name) }) : bodyFault(path, overlong);
}

/** @param field of the body. */
function readInterval(given: unknown, known: readonly Interval[], field: string): Result<Interval | undefined> {
  if (given === undefined) return success(undefined);
  const interval = known.find((one) => one === given);
  return interval === undefined
    ? bodyFault([field], `${code(field)} takes one of ${codeList(known)}; got ${preview(given)}.`)
    : success(interval);
}

const maxHours = 24;

function readZone({ timezone, timezoneDifference }: MetricsQuery): Result<Zone> {
  if (timezone === undefined) {
    const difference = timezoneDifference ?? 0;
    return success({ kind: 'offset', minutes: Math.round(Math.abs(difference) <= maxHours ? difference * 60 : difference) });
  }
  if (timezoneDifference !== undefined) {
    return bodyFault(['timezoneDifference'], '`timezone` and `timezoneDifference` exclude each other; leave one out.');
  }
  const name = zoneNamed(timezone);
  if (name !== undefined) return success(name === 'UTC' ? utc : { kind: 'named', name });
  return bodyFault(
    ['timezone'],
    `\`timezone\` takes a name of the IANA time zone database such as "Europe/Berlin"; got ${preview(timezone)}.`,
  );
}

function readFilter({ filter, timeFilter, startTimeUnixMs, endTimeUnixMs }: MetricsQuery): Result<FilterNode> {
  const parsed = filter === undefined ? success({ filter: everything }) : parseFilter(filter, metricsDialect);
  if (!parsed.ok) return parsed;
  const { startTimeUnixMs: from, endTimeUnixMs: to } = timeFilter ?? { startTimeUnixMs, endTimeUnixMs };
  return success(
    allOf([
      ...(from === undefined ? [] : [arrived('gte', Math.ceil(from))]),
      ...(to === undefined ? [] : [arrived('lte', Math.floor(to))]),
      parsed.value.filter,
    ]),
  );
}

function arrived(operator: 'gte' | 'lte', ms: number): FilterNode {
  return condition({ group: 'request_response_rmt', field: 'request_created_at' }, { family: 'timestamp', operator, value: clampTime(ms) });
}

/** Absent: by time, then by the first metric, the greatest first. */
function readSort(given: unknown, metrics: readonly AskedMetric[], hasTime: boolean): Result<readonly MetricsSortTerm[]> {
  const [first] = metrics;
  if (given === undefined) {
    return success([
      ...(hasTime ? [{ by: 'time', direction: 'asc' } as const] : []),
      ...(first === undefined ? [] : [{ by: first, direction: 'desc' } as const]),
    ]);
  }
  if (!isJsonObject(given)) return bodyFault(['sort'], `\`sort\` takes an object such as {"cost": "desc"}; got ${preview(given)}.`);
  const terms: MetricsSortTerm[] = [];
  for (const [by, value] of Object.entries(given)) {
    const direction = sortDirections.find((one) => one === value);
    if (!isAskedMetric(by) && !(by === 'time' && hasTime)) {
      const known = [...metricNames, ...(hasTime ? ['time'] : []), `${scorePrefix}…`];
      return bodyFault(['sort', by], `Unknown sort key ${code(by)}.${didYouMean(by, known)} Known keys: ${codeList(known)}.`);
    }
    if (direction === undefined) return bodyFault(['sort', by], `${code(by)} is sorted "asc" or "desc"; got ${preview(value)}.`);
    terms.push({ by: by === 'time' ? by : asStored(by), direction });
  }
  if (terms.length > metricsLimits.metrics) return bodyFault(['sort'], `A sort has at most ${metricsLimits.metrics} keys.`);
  return success(terms);
}
