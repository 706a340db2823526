import {
  type Arbitrary,
  asyncProperty,
  check,
  constant,
  constantFrom,
  integer,
  oneof,
  record,
  tuple,
  uniqueArray,
  array,
} from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AlertRule } from '../../contract/events/alerts.ts';
import { dimensions, type MetricName, metricNames } from '../../model/vocabulary/metrics.ts';
import { makeRunStatement, type RunStatement } from '../../store/read/run-statement.ts';
import { openStoreRig, type StoreRig } from '../../store/testing/store-harness.ts';
import { isRowLevel } from '../filter/sql/compile.ts';
import { nastyNames, type StoredRecord } from '../filter/testing/nasty-records.ts';
import { randomFilters } from '../filter/testing/random-queries.ts';
import { organization, textOf, type World, worldsInEveryState } from '../filter/testing/same-result.ts';
import { metricsAnswer } from '../metrics/answer.ts';
import { keyOf, planMetrics } from '../metrics/plan.ts';
import { type MetricsRow, metricsStatement } from '../metrics/statement.ts';
import { shownGroup } from './groups.ts';
import { type AlertPlan, planAlert } from './plan.ts';
import type { AlertRow } from './rows.ts';
import { batchesOf, type Samples } from './statement.ts';
import { byLength, testSeed } from '../../../test/support/test-length.ts';

const seed = testSeed();
const hourMs = 3_600_000;

let rig: StoreRig;
let run: RunStatement;
let world: World;
beforeAll(async () => {
  rig = await openStoreRig();
  run = makeRunStatement(rig.connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 1024 ** 3 });
  // The state has updates that wait.
  let states = 0;
  for await (const { world: entered } of worldsInEveryState(rig.connections, seed)) {
    world = entered;
    states += 1;
    if (states === 3) break;
  }
});
afterAll(async () => rig.close());

/** A rule, and the end of the window that it is measured over. */
interface Question {
  readonly rule: Omit<AlertRule, 'name'>;
  readonly metric: MetricName;
  readonly at: number;
  readonly ms: number;
}

/** The same value by the name of a metric and as a column with its aggregation. */
const spellings: readonly (readonly [MetricName, Partial<AlertRule>])[] = [
  ...metricNames.map((metric) => [metric, { metric }] as const),
  ['cost', { metric: 'cost', aggregation: 'sum' }],
  ['avg_cost', { metric: 'cost', aggregation: 'avg' }],
  ['max_latency', { metric: 'latency', aggregation: 'max' }],
  ['avg_time_to_first_token', { metric: 'time_to_first_token', aggregation: 'avg' }],
  ['p50_latency', { metric: 'latency', aggregation: 'percentile' }],
  ['p99_latency', { metric: 'latency', aggregation: 'percentile', percentile: 99 }],
];

const groupings = oneof(
  constant(undefined),
  uniqueArray(constantFrom<unknown>(...Object.keys(dimensions).filter((name) => name !== 'hour_of_day' && name !== 'weekday')), {
    minLength: 1,
    maxLength: 2,
  }),
  constantFrom(...nastyNames).map((property) => [{ property }]),
);

function questions(records: readonly StoredRecord[]): Arbitrary<readonly Question[]> {
  const subjects = records.map((one) => ({ record: one, session: null }));
  const sought = tuple(constantFrom(...records), constantFrom('user_id', 'model', 'property')).map(([one, field]) => {
    const [name, value] = [...one.properties][0] ?? ['Team', 'x'];
    const leaf =
      field === 'property'
        ? { properties: { [name]: { equals: value } } }
        : { [field]: { equals: field === 'model' ? one.model : one.userId } };
    return { request_response_rmt: leaf };
  });
  const filter = oneof(constant<unknown>('all'), sought, sought, randomFilters(subjects));
  const question = record({
    spelling: constantFrom(...spellings),
    filter,
    grouping: groupings,
    time: constantFrom(...records.map(({ createdAt }) => createdAt + 1)),
    ms: integer({ min: 30_000, max: 48 * hourMs }),
  }).map(({ spelling: [metric, spelling], filter: given, grouping, time, ms }) => ({
    metric,
    at: time,
    ms,
    rule: { metric, threshold: 1, time_window: ms, filter: given, ...(grouping === undefined ? {} : { grouping }), ...spelling },
  }));
  return array(question, { minLength: 1, maxLength: 40 });
}

function planOf({ rule }: Question): AlertPlan {
  const planned = planAlert(organization, rule);
  if (!planned.ok) throw new Error(planned.fault.message);
  return planned.value;
}

async function measured(asked: readonly Question[]): Promise<ReadonlyMap<number, Samples>> {
  const readings = asked.map((question) => ({ plan: planOf(question), ranges: [{ from: question.at - question.ms, to: question.at }] }));
  const found = new Map<number, Samples>();
  for (const { statement, samplesOf } of batchesOf(readings)) {
    for (const [index, samples] of samplesOf(await run<AlertRow>(statement))) found.set(index, samples);
  }
  return found;
}

async function differenceOn(question: Question, samples: Samples | undefined): Promise<string | null> {
  const { rule, metric, at, ms } = question;
  const plan = planOf(question);
  const planned = planMetrics(organization, {
    metrics: ['count', metric],
    filter: rule.filter,
    groupBy: plan.dimensions.map((one) => (one.kind === 'column' ? one.name : { [one.kind]: one.name })),
    startTimeUnixMs: at - ms,
    endTimeUnixMs: at - 1,
    limit: 10_000,
  });
  if (!planned.ok) throw new Error(planned.fault.message);
  const { rows } = metricsAnswer(planned.value, await run<MetricsRow>(metricsStatement(planned.value)));
  const answered = rows.filter((row) => number(row['count']) > 0);
  const found = new Map((samples?.[0] ?? []).map((sample) => [JSON.stringify(shownGroup(plan.dimensions, sample.group)), sample]));
  if (found.size !== answered.length) return `${found.size} groups instead of ${answered.length}`;
  for (const row of answered) {
    const key = JSON.stringify(Object.fromEntries(plan.dimensions.map((one) => [keyOf(one), row[keyOf(one)]])));
    const sample = found.get(key);
    const value = row[metric] === null ? null : number(row[metric]);
    if (sample === undefined) return `no group ${key}`;
    if (sample.count !== number(row['count'])) return `${key}: ${sample.count} requests instead of ${number(row['count'])}`;
    if (!isNear(sample.value, value)) return `${key}: ${metric} is ${sample.value} instead of ${value}`;
  }
  return null;
}

/** Sums are kept with all their digits. */
function number(value: unknown): number {
  return Number(typeof value === 'object' && value !== null && 'text' in value ? value.text : value);
}

function isNear(one: number | null, other: number | null): boolean {
  if (one === null || other === null) return one === other;
  return one === other || Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
}

const spendOf = (team: string) => ({
  metric: 'cost',
  threshold: 1,
  time_window: 60_000,
  filter: { request_response_rmt: { properties: { Team: { equals: team } } } },
});

describe(`what rules measure together is what /v1/metrics/query answers for each (seed ${seed})`, () => {
  test('any rules', { timeout: 900_000 }, async () => {
    let telling = 0;
    const details = await check(
      asyncProperty(questions(world.records), async (given) => {
        const asked = given.filter((question) => isRowLevel(planOf(question).filter));
        const samples = await measured(asked);
        for (const [index, question] of asked.entries()) {
          const difference = await differenceOn(question, samples.get(index));
          if (difference !== null) throw new Error(`${textOf(question)}\n${difference}`);
          if ((samples.get(index)?.[0] ?? []).length > 0) telling += 1;
        }
      }),
      { numRuns: byLength(8, 25), seed },
    );
    expect(details.failed ? String(details.errorInstance) : null).toBeNull();
    expect(telling).toBeGreaterThan(20);
  });

  test('equalities of one field are read as groups by one statement', () => {
    const readings = Array.from({ length: 300 }, (_, index) => ({
      plan: planOf({ rule: spendOf(`team ${index}`), metric: 'cost', at: 0, ms: 60_000 }),
      ranges: [{ from: 0, to: 60_000 }],
    }));
    expect(batchesOf(readings).map(({ indexes }) => indexes.length)).toEqual([300]);
  });
});
