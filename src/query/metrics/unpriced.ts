import type { UnpricedRequests } from '../../contract/settings/unpriced.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { FilterNode } from '../filter/ast.ts';
import { utc } from './buckets.ts';
import type { MetricsPlan } from './plan.ts';
import type { MetricsRow } from './statement.ts';

const shownModels = 5;

/** Which requests of a filter have no price. @param filter with the bounds of time. */
export function unpricedPlan(tenant: OrganizationId, filter: FilterNode): MetricsPlan {
  return {
    tenant,
    filter,
    metrics: ['unpriced_count'],
    dimensions: [{ kind: 'column', name: 'model' }],
    interval: undefined,
    zone: utc,
    sort: [{ by: 'unpriced_count', direction: 'desc' }],
    limit: shownModels,
    offset: 0,
    other: false,
    totals: true,
  };
}

/** @param rows of {@link unpricedPlan}. */
export function unpricedOf(rows: readonly MetricsRow[]): UnpricedRequests {
  const total = rows.find(({ kind }) => kind === 'total');
  return {
    requests: total === undefined ? 0 : countOf(total),
    models: rows.filter((row) => row.kind === 'row' && countOf(row) > 0).map((row) => ({ model: modelOf(row), requests: countOf(row) })),
  };
}

function countOf({ metric_0: count }: MetricsRow): number {
  return Number(count ?? 0);
}

function modelOf({ dimension_0: model }: MetricsRow): string | null {
  return typeof model === 'string' ? model : null;
}
