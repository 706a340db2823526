import type { Answer, CallOptions, Connection, Endpoints } from '../connection/connection.ts';
import { answerOf } from '../connection/pages.ts';
import type { MetricsBatchItem, MetricsMeta, MetricsQuery } from '../types/metrics.ts';

/** Rows of metrics, as the query asks for them. */
export interface MetricsRows<Query extends MetricsQuery> extends Answer<readonly MetricsRowOf<Query>[]> {
  /** Every record that ended before it is counted; ISO 8601. */
  readonly freshUntil: string | undefined;
  /** Metrics that are not exact. */
  readonly approximate: readonly string[];
}

/** A row of a group, and where it is asked for, one of what remains and one of everything. */
export type MetricsRowOf<Query extends MetricsQuery> = GroupRow<Query> | SumRow<Query, 'other', 'total'> | SumRow<Query, 'total', 'other'>;

/** Asked for by `other` or by `totals`. */
type SumRow<Query extends MetricsQuery, Kind extends 'other' | 'total', None extends string> = Query extends Asked[Kind]
  ? Figures<Query> & Readonly<Record<Kind, true>> & Readonly<Partial<Record<None, undefined>>>
  : never;

interface Asked {
  readonly other: { readonly other: boolean };
  readonly total: { readonly totals: boolean };
}

/** The figures of one group, under the names of its dimensions; a request without one is in the group null. */
export type GroupRow<Query extends MetricsQuery> = Figures<Query> &
  Keys<Query> &
  Bucket<Query> & { readonly other?: undefined; readonly total?: undefined };

type Figures<Query extends MetricsQuery> = { readonly [Metric in Query['metrics'][number]]: number | null };

type Keys<Query extends MetricsQuery> = Query extends { readonly groupBy: readonly (infer Dimension)[] }
  ? { readonly [Key in KeyOf<Dimension>]: string | number | boolean | null }
  : unknown;

type KeyOf<Dimension> = Dimension extends string
  ? Dimension
  : Dimension extends { readonly property: infer Name extends string }
    ? `properties.${Name}`
    : Dimension extends { readonly input: infer Name extends string }
      ? `inputs.${Name}`
      : never;

type Bucket<Query extends MetricsQuery> = Query extends { readonly interval: string } ? { readonly time: string } : unknown;

/** Names of the metrics that older clients ask for one by one. */
export type NamedMetric = keyof Endpoints extends infer Endpoint
  ? Endpoint extends `POST /v1/metrics/${infer Name}`
    ? Exclude<Name, 'query' | 'batch'>
    : never
  : never;

type NamedEndpoint<Name extends NamedMetric> = Endpoints[`POST /v1/metrics/${Name}`];

/** Figures of requests. */
export class Metrics {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Any metrics by up to three dimensions and over time. A row has what the query names. */
  async query<const Query extends MetricsQuery>(query: Query, options: CallOptions = {}): Promise<MetricsRows<Query>> {
    const reply = await this.connection.call('POST /v1/metrics/query', { body: query, ...options });
    return {
      ...(answerOf(reply) as Answer<readonly MetricsRowOf<Query>[]>),
      freshUntil: reply.headers.get('svc-fresh-until') ?? undefined,
      approximate: reply.extras.approximate ?? [],
    };
  }

  /** Several queries with one call; one that fails has a `problem` in its place. At most 24. */
  async batch(queries: readonly MetricsQuery[], options: CallOptions = {}): Promise<Answer<readonly MetricsBatchItem[]>> {
    return answerOf(await this.connection.call('POST /v1/metrics/batch', { body: { queries }, ...options }));
  }

  /** The metrics, dimensions, operators and intervals that there are. */
  async describe(options: CallOptions = {}): Promise<Answer<MetricsMeta>> {
    return answerOf(await this.connection.call('GET /v1/metrics/meta', options));
  }

  /** One metric in the shape that older clients know. */
  async byName<Name extends NamedMetric>(
    name: Name,
    query: NamedEndpoint<Name>['body'],
    options: CallOptions = {},
  ): Promise<Answer<NamedEndpoint<Name>['data']>> {
    const reply = await this.connection.call<NamedMetricEndpoint>(`POST /v1/metrics/${name}`, { body: query, ...options });
    return answerOf(reply) as Answer<NamedEndpoint<Name>['data']>;
  }
}

type NamedMetricEndpoint = `POST /v1/metrics/${NamedMetric}`;
