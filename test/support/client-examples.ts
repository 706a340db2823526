/**
 * What must compile with the client's types, and behind each `@ts-expect-error` what must not. Nothing here is run. The type check of the
 * repository reads it, and `test/client-package.system.test.ts` checks it against the built package.
 */
import { and, ApiError, between, createClient, type Filter, or, type RequestItem, where, whereUser } from '../../src/client/client.ts';

declare function use(...values: readonly unknown[]): void;

const gatelog = createClient({
  apiUrl: 'https://gatelog.example.com',
  apiKey: 'sk-svc-us-x',
  timeoutMs: 5000,
  fetch: (at, init) => fetch(at, init),
});

export function conditions(): readonly Filter[] {
  return [
    where('model', 'equals', 'gpt-4o'),
    where('request_body', 'not-contains', 'secret'),
    where('cost', 'gt', 0.5),
    where('cached', 'equals', true),
    where('request_created_at', 'gte', '2026-01-01'),
    where('request_created_at', 'lt', new Date()),
    where('request_created_at', 'lte', Date.now()),
    where('property_key', 'equals', 'Team'),
    where('properties.Team', 'contains', 'search'),
    where('properties.a.b c', 'equals', ''),
    where('search_properties.Team', 'equals', 'se%'),
    where('scores.accuracy', 'gte', 0.75),
    where('svc-score-feedback', 'equals', false),
    where('session_total_cost', 'gte', 10),
    where('session.properties.Team', 'not-equals', 'search'),
    where('values.city', 'equals', 'Oslo'),
    where('request.prompt', 'ilike', '%refund%'),
    where('response.body_tokens', 'gt', 1000),
    where('feedback.rating', 'equals', true),
    between('request_created_at', '2026-01-01', new Date()),
    between('latency', 100, 2000),
    and(),
    and(undefined, false, where('status', 'gte', 400)),
    or(where('status', 'gte', 500), and(where('status', 'equals', 429), 'all')),
    'all',
    {},
    { request_response_rmt: { properties: { Team: { equals: 'search' } } } },
    { left: { values: { city: { like: 'O%' } } }, operator: 'and', right: { session: { properties: { Team: { equals: 'x' } } } } },
  ];
}

export function wrongConditions(): void {
  // @ts-expect-error An unknown field.
  use(where('modle', 'equals', 'x'));
  // @ts-expect-error An operator of numbers on a text.
  use(where('model', 'gt', 'x'));
  // @ts-expect-error A text for a number.
  use(where('cost', 'gt', '0.5'));
  // @ts-expect-error Booleans take `equals` alone.
  use(where('cached', 'not-equals', true));
  // @ts-expect-error Timestamps have no `not-equals`.
  use(where('request_created_at', 'not-equals', '2026-01-01'));
  // @ts-expect-error A date is no number of milliseconds for other fields.
  use(where('latency', 'gt', new Date()));
  // @ts-expect-error A property has a name.
  use(where('properties', 'equals', 'search'));
  // @ts-expect-error Scores are numbers.
  use(where('scores.accuracy', 'equals', 'high'));
  // @ts-expect-error `property_key` takes `equals` alone.
  use(where('property_key', 'contains', 'Team'));
  // @ts-expect-error There is no range of texts.
  use(between('model', 'a', 'b'));
  // @ts-expect-error At least one filter.
  use(or());
  // @ts-expect-error Totals of users are for queries of users.
  use(gatelog.requests.query({ filter: whereUser('user_cost', 'gt', 1) }));
  // @ts-expect-error The filter is required.
  use(gatelog.requests.query({ limit: 10 }));
  // @ts-expect-error A property stands in a wrapper.
  const unwrapped: Filter = { properties: { Team: { equals: 'search' } } };
  // @ts-expect-error One field in a leaf.
  const twoFields: Filter = { request_response_rmt: { cost: { gt: 1 }, model: { equals: 'x' } } };
  // @ts-expect-error One operator in a condition.
  const twoOperators: Filter = { request_response_rmt: { cost: { gt: 1, lt: 2 } } };
  // @ts-expect-error One wrapper in a leaf.
  const twoWrappers: Filter = { request_response_rmt: { cost: { gt: 1 } }, response: { status: { gte: 400 } } };
  // @ts-expect-error A branch has a right side.
  const oneSide: Filter = { left: 'all', operator: 'and' };
  // @ts-expect-error No other operator joins.
  const otherOperator: Filter = { left: 'all', operator: 'xor', right: 'all' };
  use(unwrapped, twoFields, twoOperators, twoWrappers, oneSide, otherOperator);
}

export async function requests(signal: AbortSignal): Promise<void> {
  const page = await gatelog.requests.query({ filter: 'all', sort: { cost: 'desc' }, limit: 10 }, { signal, includeCount: true });
  const costs: readonly (number | null)[] = page.data.map(({ cost }) => cost);
  const total: number | undefined = page.totalCount;
  for await (const { data, nextCursor } of gatelog.requests.pages({ filter: {} })) use(data[0]?.properties['Team'], nextCursor?.length);
  for await (const request of gatelog.requests.each({ filter: where('cost', 'gt', 1) })) use(request satisfies RequestItem);
  const { data: job } = await gatelog.requests.change({ filter: 'all', set: { Team: 'search' }, remove: ['Draft'] });
  const ended = await gatelog.jobs.ended(job, { onProgress: ({ done, total: all }) => use(done, all) });
  use(costs, total, ended.changed satisfies number);
  // @ts-expect-error No such key of a sort.
  use(gatelog.requests.query({ filter: 'all', sort: { price: 'desc' } }));
  // @ts-expect-error No such direction.
  use(gatelog.requests.query({ filter: 'all', sort: { cost: 'down' } }));
  // @ts-expect-error An unknown field of a query.
  use(gatelog.requests.query({ filter: 'all', limits: 10 }));
  // @ts-expect-error What is answered does not change.
  page.data[0].cost = 1;
  // @ts-expect-error Properties are texts.
  use(gatelog.requests.setProperties('id', { Count: 1 }));
}

export async function live(signal: AbortSignal): Promise<void> {
  const query = { filter: where('status', 'gte', 400), includeBodies: true };
  const onConnection = (lost: ApiError | undefined): void => use(lost?.code);
  for await (const { request, position } of gatelog.requests.follow(query, { signal, onConnection })) {
    use(request satisfies RequestItem, gatelog.requests.follow({ ...query, after: position }));
    // @ts-expect-error What is followed is a request with its position.
    use(request.position);
  }
  // @ts-expect-error A position is a text.
  use(gatelog.requests.follow({ after: 5 }));
  // @ts-expect-error A stream has no order.
  use(gatelog.requests.follow({ sort: { created_at: 'desc' } }));
}

export async function metrics(): Promise<void> {
  const { data: rows, freshUntil } = await gatelog.metrics.query({
    metrics: ['cost', 'count'],
    groupBy: ['model', 'properties.Team', { input: 'city' }],
    interval: 'day',
    totals: true,
  });
  use(freshUntil satisfies string | undefined);
  for (const row of rows) {
    use(row.cost satisfies number | null);
    if (row.total === true) continue;
    use(row.model, row['properties.Team'], row['inputs.city'], row.time satisfies string);
    // @ts-expect-error It was not asked for.
    use(row.errors);
    // @ts-expect-error Nor was this dimension.
    use(row.provider);
  }
  const { data: cost } = await gatelog.metrics.byName('totalCost', { filter: 'all' });
  const { data: series } = await gatelog.metrics.byName('costOverTime', { dbIncrement: 'hour' });
  use(cost satisfies number, series[0]?.time satisfies string | undefined);
  // @ts-expect-error No such metric.
  use(gatelog.metrics.query({ metrics: ['costs'] }));
  // @ts-expect-error No such dimension.
  use(gatelog.metrics.query({ metrics: ['cost'], groupBy: ['team'] }));
  // @ts-expect-error No such interval.
  use(gatelog.metrics.query({ metrics: ['cost'], interval: 'year' }));
  // @ts-expect-error No such metric of older clients.
  use(gatelog.metrics.byName('query', {}));
}

export async function others(): Promise<void> {
  const { data } = await gatelog.sessions.get('checkout-7');
  use(data.tree[0]?.children[0]?.totals.cost satisfies number | undefined);
  for await (const session of gatelog.sessions.each({ sort: { total_cost: 'desc' } })) use(session.total_cost satisfies number);
  const dear = and(whereUser('user_cost', 'gt', 1), where('model', 'equals', 'x'));
  for await (const user of gatelog.users.each({ filter: dear })) use(user.cost);
  for await (const row of gatelog.exports.rows({ filter: 'all' })) use(row.model satisfies string);
  for await (const row of gatelog.exports.rows({ columns: ['model', 'properties.Team'] })) {
    use(row['model'] satisfies unknown);
    // @ts-expect-error Columns are not known to the types.
    use(row['model'].length);
  }
  const { data: prices } = await gatelog.call('GET /v1/prices', {});
  use(prices[0]?.model satisfies string | undefined);
  // @ts-expect-error No such endpoint.
  use(gatelog.call('GET /v1/price', {}));
  // @ts-expect-error Its path takes an identifier.
  use(gatelog.call('GET /v1/jobs/{id}', {}));
  // @ts-expect-error No such permissions.
  use(gatelog.keys.create({ api_key_name: 'x', key_permissions: 'root' }));
  // @ts-expect-error A column is a name.
  use(gatelog.exports.open({ columns: [1] }));
}

export function failure(error: unknown): string {
  if (!(error instanceof ApiError)) return 'none of ours';
  const status: number = error.status;
  // @ts-expect-error Errors do not change.
  error.code = 'invalid_filter';
  return `${status} ${error.code === 'invalid_filter' ? (error.place ?? '') : error.code} ${error.warnings.join()} ${error.hint ?? ''}`;
}
