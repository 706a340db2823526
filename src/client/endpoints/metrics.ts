/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { MetricActiveUsersAnswer, MetricAverageLatencyAnswer, MetricAverageTimeToFirstTokenAnswer, MetricAverageTokensPerRequestAnswer, MetricCostOverTimeAnswer, MetricCountryAnswer, MetricDetailedTokensOverTimeAnswer, MetricErrorOverTimeAnswer, MetricLatencyOverTimeAnswer, MetricModelUsageOverTimeAnswer, MetricModelsAnswer, MetricQuantilesAnswer, MetricRequestCountAnswer, MetricRequestOverTimeAnswer, MetricRequestStatusOverTimeAnswer, MetricThreatsOverTimeAnswer, MetricTimeToFirstTokenAnswer, MetricTokensOverTimeAnswer, MetricTotalCostAnswer, MetricTotalRequestsAnswer, MetricTotalThreatsAnswer, MetricUsersOverTimeAnswer, MetricsMeta, MetricsQuery, MetricsRow, NamedCountQuery, NamedListQuery, NamedQuantilesQuery, NamedSeriesQuery, NamedTotalQuery } from '../types/metrics.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface MetricsEndpoints {
  readonly 'POST /v1/metrics/totalRequests': {
    readonly body: NamedTotalQuery;
    readonly data: MetricTotalRequestsAnswer;
  };
  readonly 'POST /v1/metrics/requestCount': {
    readonly body: NamedCountQuery;
    readonly data: MetricRequestCountAnswer;
  };
  readonly 'POST /v1/metrics/totalCost': {
    readonly body: NamedTotalQuery;
    readonly data: MetricTotalCostAnswer;
  };
  readonly 'POST /v1/metrics/averageLatency': {
    readonly body: NamedTotalQuery;
    readonly data: MetricAverageLatencyAnswer;
  };
  readonly 'POST /v1/metrics/averageTimeToFirstToken': {
    readonly body: NamedTotalQuery;
    readonly data: MetricAverageTimeToFirstTokenAnswer;
  };
  readonly 'POST /v1/metrics/totalThreats': {
    readonly body: NamedTotalQuery;
    readonly data: MetricTotalThreatsAnswer;
  };
  readonly 'POST /v1/metrics/activeUsers': {
    readonly body: NamedTotalQuery;
    readonly data: MetricActiveUsersAnswer;
  };
  readonly 'POST /v1/metrics/averageTokensPerRequest': {
    readonly body: NamedTotalQuery;
    readonly data: MetricAverageTokensPerRequestAnswer;
  };
  readonly 'POST /v1/metrics/requestOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricRequestOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/costOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricCostOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/tokensOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricTokensOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/detailedTokensOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricDetailedTokensOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/modelUsageOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricModelUsageOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/latencyOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricLatencyOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/timeToFirstToken': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricTimeToFirstTokenAnswer;
  };
  readonly 'POST /v1/metrics/usersOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricUsersOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/threatsOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricThreatsOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/errorOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricErrorOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/requestStatusOverTime': {
    readonly body: NamedSeriesQuery;
    readonly data: MetricRequestStatusOverTimeAnswer;
  };
  readonly 'POST /v1/metrics/models': {
    readonly body: NamedListQuery;
    readonly data: MetricModelsAnswer;
  };
  readonly 'POST /v1/metrics/country': {
    readonly body: NamedListQuery;
    readonly data: MetricCountryAnswer;
  };
  readonly 'POST /v1/metrics/quantiles': {
    readonly body: NamedQuantilesQuery;
    readonly data: MetricQuantilesAnswer;
  };
  readonly 'POST /v1/metrics/query': {
    readonly body: MetricsQuery;
    readonly data: readonly MetricsRow[];
    readonly extras: {
      /** Metrics that are not exact in this answer; absent when all are. */
      readonly approximate?: readonly string[] | undefined;
    };
  };
  readonly 'GET /v1/metrics/meta': {
    readonly data: MetricsMeta;
  };
}
