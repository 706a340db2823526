import {
  type Arbitrary,
  asyncProperty,
  boolean,
  check,
  constant,
  constantFrom,
  nat,
  oneof,
  option,
  record,
  tuple,
  uniqueArray,
} from 'fast-check';
import type { MetricsQuery } from '../../../contract/metrics/query.ts';
import { jsonParts } from '../../../model/json/raw.ts';
import {
  type AskedMetric,
  dimensions,
  intervals,
  type MetricName,
  metricNames,
  metrics,
  scoreOf,
  scorePrefix,
} from '../../../model/vocabulary/metrics.ts';
import { makeRunStatement } from '../../../store/read/run-statement.ts';
import { matches } from '../../filter/memory/interpret.ts';
import type { Subject } from '../../filter/memory/readers.ts';
import { nastyNames, scoreNames, sessionNames, type StoredRecord } from '../../filter/testing/nasty-records.ts';
import { randomFilters } from '../../filter/testing/random-queries.ts';
import { type Comparison, organization, type Runs, sessionsOf, textOf, type World } from '../../filter/testing/same-result.ts';
import type { Statement } from '../../../sql/statement.ts';
import { metricsAnswer } from '../answer.ts';
import { type MetricsPlan, planMetrics } from '../plan.ts';
import { frugalMetricsStatement, type MetricsRow, metricsStatement } from '../statement.ts';
import { type ReferenceRow, referenceRows, rowOf, type Value } from './reference-metrics.ts';

export const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Pacific/Apia'];

const groupBy = oneof(
  { weight: 4, arbitrary: constantFrom<unknown>(...Object.keys(dimensions)) },
  { weight: 2, arbitrary: constantFrom(...nastyNames, ...sessionNames).map((property) => ({ property })) },
  { weight: 1, arbitrary: constantFrom(...nastyNames).map((input) => ({ input })) },
);

const metric = oneof(
  { weight: 5, arbitrary: constantFrom<AskedMetric>(...metricNames) },
  { weight: 1, arbitrary: constantFrom(...scoreNames, 'nowhere').map((name): AskedMetric => `${scorePrefix}${name}`) },
);

/** Any metrics query over records. */
function randomMetricsQueries(subjects: readonly Subject[]): Arbitrary<MetricsQuery> {
  const times = subjects.flatMap(({ record: { createdAt } }) => [createdAt, createdAt + 1]);
  const zone = oneof(
    constant({}),
    constantFrom(...zones, 'Europe/Berlin').map((timezone) => ({ timezone })),
    constantFrom(-11, -3.5, 5.75, 14, 90).map((timezoneDifference) => ({ timezoneDifference })),
  );
  const bounds = tuple(option(constantFrom(...times)), option(constantFrom(...times))).map(([from, to]) => ({
    ...(from === null ? {} : { startTimeUnixMs: from }),
    ...(to === null ? {} : { endTimeUnixMs: to }),
  }));
  const sort = option(uniqueArray(tuple(metric, constantFrom('asc', 'desc')), { maxLength: 2, selector: ([name]) => name })).map((terms) =>
    terms === null ? {} : { sort: Object.fromEntries(terms) },
  );
  return record({
    fields: record({
      metrics: uniqueArray(metric, { minLength: 1, maxLength: 6 }),
      groupBy: uniqueArray(groupBy, { maxLength: 3, selector: (one) => JSON.stringify(one) }),
      filter: oneof({ weight: 2, arbitrary: constant<unknown>('all') }, { weight: 3, arbitrary: randomFilters(subjects) }),
      limit: oneof({ weight: 2, arbitrary: constant(1000) }, nat(6)),
      offset: oneof({ weight: 3, arbitrary: constant(0) }, nat(3)),
      other: boolean(),
      totals: boolean(),
    }),
    interval: option(constantFrom(...intervals)).map((interval) => (interval === null ? {} : { interval })),
    zone,
    bounds,
    sort,
  }).map(({ fields, interval, zone: inZone, bounds: range, sort: by }) => ({ ...fields, ...interval, ...inZone, ...range, ...by }));
}

/** Makes a statement that is wrong in one respect. */
type Mutant = (statement: Statement) => Statement;

/** Faults that the comparison must find. */
export const mutants: Readonly<Record<string, Mutant>> = {
  'other and total have the greatest sum of a group': (statement) => ({
    ...statement,
    text: statement.text.replaceAll(/sum\((`?each_)/g, 'max($1'),
  }),
  'other has only groups behind the limit': (statement) => ({
    ...statement,
    text: statement.text.replace(
      /if\((place > \{p\d+:UInt64\}) AND (place <= \{p\d+:UInt64\}), place, 0\)/,
      'if($1, if($2, place, 0), NULL)',
    ),
  }),
  'a time zone has no daylight saving': (statement) => ({
    ...statement,
    params: Object.fromEntries(
      Object.entries(statement.params).map(([name, value]) => [
        name,
        typeof value === 'string' ? (standardZones.get(value) ?? value) : value,
      ]),
    ),
  }),
};

/** Zones with the clocks of January all year. */
const standardZones: ReadonlyMap<string, string> = new Map([
  ['Europe/Berlin', 'Etc/GMT-1'],
  ['America/New_York', 'Etc/GMT+5'],
  ['Australia/Lord_Howe', 'Etc/GMT-11'],
]);

/** Compares the store's metrics with those computed from the same records. */
export const compareMetrics: Comparison = (world, runs) => compareMutated({ ...world, mutant: (statement) => statement }, runs);

/** As {@link compareMetrics}, with statements that are wrong. */
export const compareMutant =
  (mutant: Mutant): Comparison =>
  (world, runs) =>
    compareMutated({ ...world, mutant }, runs);

interface MetricsWorld extends World {
  readonly mutant: Mutant;
}

async function compareMutated(world: MetricsWorld, { runs, seed }: Runs): ReturnType<Comparison> {
  const sessions = sessionsOf(world);
  const subjects = world.records.map((one) => ({ record: one, session: sessions.get(one.sessionId) ?? null }));
  let telling = 0;
  const details = await check(
    asyncProperty(randomMetricsQueries(subjects), async (query) => {
      const plan = planOf(query);
      const kept = subjects.filter(({ record: one, session }) => matches(plan.filter, one, session ?? undefined));
      if (kept.length > 0 && kept.length < subjects.length) telling += 1;
      const found = await differenceOn(world, plan, kept);
      if (found !== null) throw new Error(found);
    }),
    { numRuns: runs, seed },
  );
  const mismatch = details.failed
    ? `seed ${seed}, path ${details.counterexamplePath}: ${textOf(details.counterexample)}\n${String(details.errorInstance)}`
    : null;
  return { queries: details.numRuns, telling, mismatch };
}

function planOf(query: MetricsQuery): MetricsPlan {
  const planned = planMetrics(organization, query);
  if (!planned.ok) throw new Error(planned.fault.message);
  return planned.value;
}

interface StoredSubject extends Subject {
  readonly record: StoredRecord;
}

async function differenceOn(world: MetricsWorld, plan: MetricsPlan, kept: readonly StoredSubject[]): Promise<string | null> {
  const run = makeRunStatement(world.connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 1024 * 1024 * 1024 });
  const records = kept.map(({ record: one }) => one);
  const answerOf = async (statement: Statement) => metricsAnswer(plan, await run<MetricsRow>(world.mutant(statement)));
  const answer = await answerOf(metricsStatement(plan));
  const wrong = difference(plan, records, answer.rows.map(parsed));
  const frugal = frugalMetricsStatement(plan);
  if (wrong !== null || frugal === undefined) return wrong;
  const again = await answerOf(frugal);
  if (again.isCut !== answer.isCut) return `frugal: isCut is ${again.isCut}`;
  const otherwise = difference(plan, records, again.rows.map(parsed));
  return otherwise === null ? null : `frugal: ${otherwise}`;
}

/** A row as a client that keeps all digits reads it: additive metrics as text. */
function parsed(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isSum = Object.hasOwn(metrics, name) && metrics[name as MetricName].additive;
      return [name, isSum ? jsonParts({ value }, 'marker').join('').slice('{"value":'.length, -1) : value];
    }),
  );
}

function difference(plan: MetricsPlan, kept: readonly StoredRecord[], found: readonly Record<string, unknown>[]): string | null {
  const all = referenceRows(plan, kept);
  const rows = found.filter((row) => row['other'] !== true && row['total'] !== true);
  const expectedCount = Math.min(plan.limit, Math.max(0, all.length - plan.offset));
  if (rows.length !== expectedCount) return `${rows.length} rows instead of ${expectedCount}`;
  const shownKeys = new Set<string>();
  for (const row of rows) {
    const key = keyIn(plan, row);
    const reference = all.find((one) => JSON.stringify(one.key) === key);
    if (reference === undefined) return `a row of nowhere: ${key}`;
    if (shownKeys.has(key)) return `a row twice: ${key}`;
    shownKeys.add(key);
    const wrong = wrongValue(reference, row);
    if (wrong !== null) return `${key}: ${wrong}`;
  }
  const outOfOrder = rows.findIndex((row, index) => index > 0 && isBefore(plan, row, rows[index - 1] ?? {}));
  if (outOfOrder !== -1 && plan.sort.every(({ by }) => by === 'time' || plan.metrics.includes(by))) {
    return `row ${outOfOrder} is out of order`;
  }
  const others = kept.filter((one) => !shownKeys.has(JSON.stringify(referenceRows(plan, [one])[0]?.key)));
  const summed = [...(plan.other ? [['other', others] as const] : []), ...(plan.totals ? [['total', kept] as const] : [])];
  const last = found.slice(rows.length);
  if (last.length !== summed.length) return `${last.length} rows of sums`;
  for (const [index, [kind, members]] of summed.entries()) {
    const row = last[index] ?? {};
    const wrong = row[kind] === true ? wrongValue(rowOf(plan, {}, members), row) : 'is missing';
    if (wrong !== null) return `${kind}: ${wrong}`;
  }
  return null;
}

function keyIn({ dimensions: groups, interval }: MetricsPlan, row: Record<string, unknown>): string {
  const names = Object.keys(row).slice(0, groups.length);
  const key = Object.fromEntries(names.map((name) => [name, row[name]]));
  return JSON.stringify(interval === undefined ? key : { ...key, time: Date.parse(String(row['time'])) });
}

function wrongValue({ values }: ReferenceRow, row: Record<string, unknown>): string | null {
  for (const [name, value] of Object.entries(values)) {
    const found = row[name] as Value;
    const isClose = scoreOf(name) === undefined ? isNear : isNearScore;
    const isSame = typeof value === 'number' && typeof found === 'number' ? isClose(value, found) : value === found;
    if (!isSame) return `${name} is ${String(found)} instead of ${String(value)}`;
  }
  return null;
}

/** Averages and quantiles are computed in another order. */
function isNear(one: number, other: number): boolean {
  return one === other || Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
}

/** Scores have either sign, so that what is left of a sum may be its rounding alone. */
function isNearScore(one: number, other: number): boolean {
  return isNear(one, other) || Math.abs(one - other) <= 1e-12;
}

/** Whether a row belongs before the one that precedes it. */
function isBefore(plan: MetricsPlan, row: Record<string, unknown>, before: Record<string, unknown>): boolean {
  for (const { by, direction } of plan.sort) {
    const [one, other] = [valueToSort(by, before), valueToSort(by, row)];
    if (one === other) continue;
    if (one === null) return true;
    if (other === null || isNear(one, other)) return false;
    return direction === 'asc' ? other < one : other > one;
  }
  return false;
}

function valueToSort(by: AskedMetric | 'time', row: Record<string, unknown>): number | null {
  const value = row[by];
  if (value === null || value === undefined) return null;
  return by === 'time' && typeof value === 'string' ? Date.parse(value) : Number(value);
}
