import { ApiError, type MetricsQuery } from '../../../src/client/client.ts';
import type { MetricsBatchItem } from '../../../src/client/types/metrics.ts';
import { metricsLimits } from '../../../src/model/vocabulary/metrics.ts';
import { gatelog } from '../client.ts';

/** A query that waits for others of the same page. */
interface Waiting {
  readonly query: MetricsQuery;
  readonly resolve: (item: MetricsBatchItem) => void;
  readonly reject: (failure: unknown) => void;
}

let waiting: Waiting[] = [];

/** Asks for metrics. What a page asks in one turn goes as one call of the API. @throws ApiError */
export function askMetrics(query: MetricsQuery): Promise<MetricsBatchItem> {
  return new Promise((resolve, reject) => {
    waiting.push({ query, resolve, reject });
    if (waiting.length === 1) setTimeout(send, 0);
  });
}

function send(): void {
  const asked = waiting;
  waiting = [];
  for (const batch of batchesOf(asked)) void answer(batch);
}

async function answer(batch: readonly Waiting[]): Promise<void> {
  try {
    const { data } = await gatelog.metrics.batch(batch.map(({ query }) => query));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const item = data[index];
      if (item === undefined) reject(new Error('The service left a query without an answer.'));
      else if (item.problem === null) resolve(item);
      else reject(failureOf(item.problem));
    }
  } catch (failure) {
    for (const { reject } of batch) reject(failure);
  }
}

function failureOf({ error, code, details }: NonNullable<MetricsBatchItem['problem']>): ApiError {
  const status = ['query_timeout', 'service_busy', 'store_unavailable'].includes(code) ? 503 : 422;
  return new ApiError(error, { endpoint: 'POST /v1/metrics/batch', code, status, details });
}

const { queries: maxQueries, rowsOfAll, defaultRows } = metricsLimits;

/** As few calls as the limits of one allow. */
export function batchesOf<Item extends { readonly query: MetricsQuery }>(items: readonly Item[]): readonly (readonly Item[])[] {
  const batches: Item[][] = [];
  let rows = 0;
  for (const item of items) {
    const { limit = defaultRows } = item.query;
    const last = batches.at(-1);
    if (last === undefined || last.length >= maxQueries || rows + limit > rowsOfAll) {
      batches.push([item]);
      rows = limit;
    } else {
      last.push(item);
      rows += limit;
    }
  }
  return batches;
}
