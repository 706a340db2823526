import { unwrap } from '../../src/contract/fault.ts';
import type { MetricsQuery } from '../../src/contract/metrics/query.ts';
import { jsonParts } from '../../src/model/json/raw.ts';
import { uuidToNumber } from '../../src/model/ids.ts';
import { metricsAnswer } from '../../src/query/metrics/answer.ts';
import { planMetrics } from '../../src/query/metrics/plan.ts';
import { type MetricsRow, metricsStatement } from '../../src/query/metrics/statement.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { makeRunStatement } from '../../src/store/read/run-statement.ts';
import { arrivalOf, makeRandom, tenant } from '../query/records.ts';
import { shownMs, timesOf } from '../query/times.ts';

/** A question as a metrics query, and as the best SQL that we could write by hand for a table of its own. */
interface Question {
  readonly name: string;
  /** Aim for the 95th percentile, milliseconds; null where none is set. */
  readonly aimMs: number | null;
  readonly draw: (random: () => number, records: number) => { readonly body: MetricsQuery; readonly handWritten: string };
}

const week = 7 * 24 * 60 * 60 * 1000;
const org = `toUInt128('${uuidToNumber(tenant)}')`;

function someWeek(random: () => number, records: number): readonly [from: number, to: number] {
  const from = arrivalOf(0) + Math.floor(random() * Math.max(0, arrivalOf(records) - arrivalOf(0) - week));
  return [from, from + week];
}

const between = ([from, to]: readonly [number, number]): string =>
  `created_at >= fromUnixTimestamp64Milli(${from}, 'UTC') AND created_at <= fromUnixTimestamp64Milli(${to}, 'UTC')`;

const questions: readonly Question[] = [
  {
    name: 'cost by property, all time',
    aimMs: 150,
    draw: () => ({
      body: { metrics: ['cost', 'count'], groupBy: [{ property: 'Team' }] },
      handWritten: `SELECT team AS g, sum(cost) AS cost, count() AS n FROM hand_metrics WHERE org_id = ${org} GROUP BY g ORDER BY cost DESC, g LIMIT 1001`,
    }),
  },
  {
    name: 'cost by property with other and total, 10 rows',
    aimMs: null,
    draw: () => ({
      body: { metrics: ['cost', 'count'], groupBy: [{ property: 'Team' }], limit: 10, other: true, totals: true },
      handWritten: `SELECT team AS g, sum(cost) AS cost, count() AS n FROM hand_metrics WHERE org_id = ${org} GROUP BY g WITH TOTALS ORDER BY cost DESC, g LIMIT 10`,
    }),
  },
  {
    name: 'cost by hour of a week',
    aimMs: 100,
    draw: (random, records) => {
      const range = someWeek(random, records);
      return {
        body: { metrics: ['cost', 'count'], interval: 'hour', startTimeUnixMs: range[0], endTimeUnixMs: range[1] },
        handWritten: `SELECT toStartOfHour(created_at) AS g, sum(cost) AS cost, count() AS n FROM hand_metrics WHERE org_id = ${org} AND ${between(range)} GROUP BY g ORDER BY g`,
      };
    },
  },
  {
    name: 'cost by day in Berlin and model, a week',
    aimMs: null,
    draw: (random, records) => {
      const range = someWeek(random, records);
      return {
        body: {
          metrics: ['cost', 'count'],
          groupBy: ['model'],
          interval: 'day',
          timezone: 'Europe/Berlin',
          startTimeUnixMs: range[0],
          endTimeUnixMs: range[1],
        },
        handWritten: `SELECT toStartOfDay(created_at, 'Europe/Berlin') AS d, model AS g, sum(cost) AS cost, count() AS n FROM hand_metrics WHERE org_id = ${org} AND ${between(range)} GROUP BY d, g ORDER BY d, cost DESC, g`,
      };
    },
  },
  {
    name: 'p95 latency by team, a week',
    aimMs: null,
    draw: (random, records) => {
      const range = someWeek(random, records);
      return {
        body: { metrics: ['p95_latency', 'count'], groupBy: ['properties.Team'], startTimeUnixMs: range[0], endTimeUnixMs: range[1] },
        handWritten: `SELECT team AS g, quantileExactInclusive(0.95)(latency) AS p, count() AS n FROM hand_metrics WHERE org_id = ${org} AND ${between(range)} GROUP BY g ORDER BY p DESC, g`,
      };
    },
  },
  {
    name: 'most expensive 10 users, all time',
    aimMs: null,
    draw: () => ({
      body: { metrics: ['cost', 'count'], groupBy: ['user'], limit: 10 },
      handWritten: `SELECT user_id AS g, sum(cost) AS cost, count() AS n FROM hand_metrics WHERE org_id = ${org} GROUP BY g ORDER BY cost DESC, g LIMIT 11`,
    }),
  },
];

/** The hand-written side's table: only what its questions read, the property a column of its own. */
async function makeHandTable(connections: Connections): Promise<void> {
  for (const query of [
    `CREATE TABLE hand_metrics (org_id UInt128, created_at DateTime64(3, 'UTC'), team LowCardinality(String), model LowCardinality(String), user_id String, cost Nullable(Decimal(38, 12)), latency Nullable(UInt64)) ENGINE = MergeTree PARTITION BY toYYYYMM(created_at) ORDER BY (org_id, created_at)`,
    `INSERT INTO hand_metrics SELECT org_id, created_at, properties['Team'], model, user_id, cost, latency FROM requests SETTINGS max_threads = 1, max_insert_threads = 1`,
  ]) {
    await connections.run('control', (client) => client.command({ query }));
  }
}

/** Both sides in turn. @returns lines of a table. @throws Error when they find other counts. */
export async function compareMetrics(
  connections: Connections,
  { records, calls }: { readonly records: number; readonly calls: number },
): Promise<string[]> {
  await makeHandTable(connections);
  const run = makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 2 ** 30 });
  const ours = async (body: MetricsQuery): Promise<number> => {
    const plan = unwrap(planMetrics(tenant, body));
    const { rows } = metricsAnswer(plan, await run<MetricsRow>(metricsStatement(plan)));
    const text = jsonParts({ data: rows, error: null }, 'marker').join('');
    return countIn(
      (JSON.parse(text) as { data: Record<string, unknown>[] }).data
        .filter((row) => row['other'] !== true && row['total'] !== true)
        .map((row) => Number(row['count'])),
    );
  };
  const byHand = async (query: string): Promise<number> =>
    connections.run('long', async (client) => {
      const result = await client.query({ query: `${query} SETTINGS max_threads = 1`, format: 'JSONEachRow' });
      return countIn((await result.json<{ n: string }>()).map(({ n }) => Number(n)));
    });
  const lines = [
    '| question | ours p50 ms | ours p95 ms | by hand p50 ms | by hand p95 ms | ours ÷ by hand, p50 | p95 | aim for p95 ms |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
  ];
  for (const { name, aimMs, draw } of questions) {
    const random = makeRandom(23);
    const samples: [number[], number[]] = [[], []];
    for (let call = -Math.ceil(calls / 3); call < calls; call += 1) {
      const { body, handWritten } = draw(random, records);
      const sides = [() => ours(body), () => byHand(handWritten)];
      const counts: number[] = [];
      for (const index of call % 2 === 0 ? [0, 1] : [1, 0]) {
        const start = performance.now();
        counts[index] = (await sides[index]?.()) ?? 0;
        if (call >= 0) samples[index as 0 | 1].push(performance.now() - start);
      }
      if (body.limit === undefined && counts[0] !== counts[1]) throw new Error(`The two sides differ: ${name}: ${counts.join(' and ')}`);
    }
    const [own, hand] = samples.map(timesOf);
    if (own === undefined || hand === undefined) throw new Error('A side was not measured.');
    const ratios = [own.p50 / hand.p50, own.p95 / hand.p95].map((ratio) => ratio.toFixed(2)).join(' | ');
    lines.push(
      `| ${name} | ${shownMs(own.p50)} | ${shownMs(own.p95)} | ${shownMs(hand.p50)} | ${shownMs(hand.p95)} | ${ratios} | ${aimMs ?? '–'} |`,
    );
  }
  return lines;
}

function countIn(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
