import { lanes, post, type Surface, type Target } from '../surface.ts';
import { sentTo, spanBody } from './spans.ts';

const distinct = 100_000;
const spansOfBody = 5000;
const day = 86_400_000;

/** Values that are different in each of so many records. */
export const facets: Surface = {
  name: 'facets',
  words: `${distinct} records with a user, a session, a model and a property of their own; meanwhile the facets and the chart of a list over them, with everything else as another row, and searches for values`,
  attack: async (target) => {
    let told = 0;
    const sending = lanes(target, 1, async () => {
      if (told >= distinct) return target.send({ url: `${target.api}/v1/metrics/meta` });
      const from = told;
      told += spansOfBody;
      const attributes = (index: number): object => {
        const number = from + index;
        return {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': `model-${number}`,
          'user.id': `user-${number}-${'u'.repeat(40)}`,
          'session.id': `session-${number}`,
          'gatelog.property.Tenant': `tenant-${number}-${'t'.repeat(40)}`,
        };
      };
      return target.send(sentTo(target, { body: spanBody(spansOfBody, (index) => ({ attributes: { ...attributes(index) } })) }));
    });
    const asking = lanes(target, 12, (turn, lane) => (lane < 8 ? askFacets(target, turn + lane) : askValues(target, turn)));
    await Promise.all([sending, asking]);
  },
};

const dimensions = ['model', 'user', 'session', 'status', 'provider', 'path', 'client', 'key'] as const;

/** What the list of requests asks beside its rows. */
function askFacets(target: Target, turn: number): Promise<unknown> {
  const range = { startTimeUnixMs: Date.now() - 30 * day, endTimeUnixMs: Date.now() };
  const facetsOf = [...dimensions, { property: 'Tenant' }, { property: 'Team' }].map((dimension) => ({
    ...range,
    metrics: ['count', 'cost'],
    groupBy: [dimension],
    sort: { count: 'desc' },
    limit: 10,
    other: true,
    totals: true,
  }));
  const charts = (['minute', 'hour'] as const).map((interval) => ({
    ...range,
    startTimeUnixMs: Date.now() - (interval === 'minute' ? day / 24 : 30 * day),
    metrics: ['count', 'p95_latency'],
    groupBy: [turn % 2 === 0 ? 'user' : 'model'],
    interval,
    limit: 10,
    other: true,
  }));
  return post(target, `${target.api}/v1/metrics/batch`, { queries: [...facetsOf, ...charts] });
}

function askValues(target: Target, turn: number): Promise<unknown> {
  const asked = [
    ['/v1/property/Tenant/search', { searchTerm: `tenant-${turn}` }],
    ['/v1/user/query', { limit: 100, sort: { cost: 'desc' } }],
    ['/v1/session/query', { limit: 100, sort: { total_cost: 'desc' } }],
    ['/v1/session/name/query', {}],
    ['/v1/user/metrics-overview/query', {}],
  ] as const;
  const [path, body] = asked[turn % asked.length] ?? asked[0];
  return post(target, target.api + path, body);
}

/** The most that one call may ask of metrics. */
export const batches: Surface = {
  name: 'batches',
  words:
    'sixteen pages at once that ask 24 queries each with one call: twenty metrics by user, session and a property, or by minute, 4,000 rows each, with totals and everything else as another row, over texts of bodies',
  attack: (target) =>
    lanes(target, 16, (turn, lane) => post(target, `${target.api}/v1/metrics/batch`, { queries: dearQueries(turn + lane) })),
};

const times = ['latency', 'time_to_first_byte', 'time_to_first_token'];
const dearMetrics = [
  'count',
  'errors',
  'cost',
  'users',
  'sessions',
  ...times.flatMap((time) => ['p50', 'p75', 'p90', 'p95', 'p99'].map((quantile) => `${quantile}_${time}`)),
];

function dearQueries(turn: number): readonly object[] {
  return Array.from({ length: 24 }, (_, number) => ({
    metrics: dearMetrics,
    groupBy: [
      ['user', 'session', { property: 'Team' }],
      ['user', 'path', 'model'],
      ['session', 'user', 'status'],
    ][number % 3],
    ...(number % 4 === 3 ? { interval: 'minute' } : {}),
    filter: number % 6 === 5 ? { request_response_rmt: { request_body: { ilike: `%no ${turn} such_text%` } } } : 'all',
    sort: { p99_latency: 'desc' },
    limit: 4000,
    totals: true,
    other: number % 2 === 0,
  }));
}
