import type { UnpricedRequests } from '../../contract/settings/unpriced.ts';
import type { LimitUsageItem } from '../../contract/settings/limit-usage.ts';
import { unwrap } from '../../contract/fault.ts';
import type { StoredLimit } from '../../metadata/organization/rate-limits.ts';
import { type LimitPolicy, parseLimitPolicy, unitsOfCall } from '../../model/limit-policy.ts';
import { RawJson } from '../../model/json/raw.ts';
import { calendarBounds } from '../../model/time/calendar.ts';
import { intervals } from '../../model/vocabulary/metrics.ts';
import type { MetricsCell } from '../../query/metrics/answer.ts';
import { allOf, condition, type FilterNode } from '../../query/filter/ast.ts';
import { fieldNamed } from '../../query/language/fields.ts';
import { filterJson } from '../../query/language/json.ts';
import { planMetrics } from '../../query/metrics/plan.ts';
import { unpricedOf, unpricedPlan } from '../../query/metrics/unpriced.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import type { ApiPorts } from '../endpoint/ports.ts';
import { forEachAtOnce } from '../../platform/bounds/at-once.ts';
import { answerOf, rowsOf } from './metrics-rows.ts';

const shownSegments = 20;
const unpricedCount = 'unpriced_count';
const picodollars = 1e12;
/** Of one call; the store has others to answer. */
const measuresAtOnce = 4;

/**
 * How much of each limit is used, by the record. The gateway's own counts are under fingerprints of users and values, which have no names.
 */
export async function limitUsage(call: RequestContext, limits: readonly StoredLimit[]): Promise<readonly LimitUsageItem[]> {
  const { context, principal, ports } = call;
  const { organizationId } = principal;
  // Several people look at the same limits, each of which may be a statement.
  const key = JSON.stringify([organizationId, limits]);
  return ports.limitUsages.run(key, context.req.raw.signal, (signal) => measured({ organizationId, ports, signal }, limits));
}

interface Asked {
  readonly organizationId: OrganizationId;
  readonly ports: Pick<ApiPorts, 'apiKeys' | 'now' | 'run'>;
  readonly signal: AbortSignal;
}

async function measured(by: Asked, limits: readonly StoredLimit[]): Promise<readonly LimitUsageItem[]> {
  const { organizationId, ports } = by;
  const keys = limits.some(({ keyId }) => keyId !== null) ? await ports.apiKeys.list(organizationId) : [];
  const hashes = new Map(keys.map(({ id, keyHash }) => [id, keyHash]));
  const now = ports.now();
  const asked = limits.map((limit) => ({ limit, ...measureOf(limit, now, hashes) }));
  const measures = new Map(asked.map(({ key, measure }) => [key, measure]));
  const used = new Map<string, Used>();
  await forEachAtOnce([...measures], measuresAtOnce, async ([key, measure]) => {
    used.set(key, await usesOf(by, measure));
  });
  return asked.map(({ limit: { policy: text, value: only, keyId, rule }, policy: { unit, quota: amount }, span, key }) => {
    const quota = unit === 'cents' ? Number(amount) / picodollars : Number(amount / unitsOfCall);
    return {
      policy: text,
      ...(only === undefined ? {} : { value: only }),
      key_id: keyId,
      ...(rule === undefined ? {} : { alert_id: rule.id, alert_name: rule.name }),
      unit: unit === 'cents' ? 'usd' : 'requests',
      quota,
      from: new Date(span.from).toISOString(),
      to: span.to === null ? null : new Date(span.to).toISOString(),
      fullest: (used.get(key)?.fullest ?? []).map(({ value, used: use }) => ({ value, used: use, share: use / quota })),
      unpriced: used.get(key)?.unpriced ?? null,
    };
  });
}

interface Span {
  readonly from: number;
  readonly to: number | null;
}

/** What a limit counts of the record. Limits that differ in their quota alone share it. */
interface Measure {
  readonly metric: 'cost' | 'count';
  readonly dimension: string | undefined;
  /** The only value of the dimension that counts. */
  readonly value: string | undefined;
  readonly from: number;
  /** Undefined: calls of every key. */
  readonly keyHash: string | undefined;
}

interface Measured {
  readonly policy: LimitPolicy;
  readonly span: Span;
  readonly key: string;
  readonly measure: Measure;
}

function measureOf({ policy: text, value, keyId }: StoredLimit, now: number, hashes: ReadonlyMap<string, string>): Measured {
  const policy = parseLimitPolicy(text);
  const { unit, segment } = policy;
  const span = spanOf(policy, now);
  const measure: Measure = {
    metric: unit === 'cents' ? 'cost' : 'count',
    dimension: segment === undefined ? undefined : segment.of === 'user' ? 'user' : `properties.${segment.name}`,
    value,
    from: span.from,
    keyHash: keyId === null ? undefined : (hashes.get(keyId) ?? ''),
  };
  return { policy, span, key: JSON.stringify(measure), measure };
}

function spanOf({ window }: LimitPolicy, now: number): Span {
  if (window.kind === 'fixed') return { from: now - window.ms, to: null };
  const { startsAt, endsAt } = calendarBounds(window, now);
  return { from: startsAt, to: endsAt };
}

interface SegmentUse {
  readonly value: string | null;
  readonly used: number;
}

interface Used {
  readonly fullest: readonly SegmentUse[];
  /** Null: the limit is no budget. */
  readonly unpriced: UnpricedRequests | null;
}

async function usesOf({ organizationId, ports, signal }: Asked, measure: Measure): Promise<Used> {
  const { metric, dimension, from } = measure;
  const isBudget = metric === 'cost';
  const query = {
    metrics: isBudget ? [metric, unpricedCount] : [metric],
    groupBy: dimension === undefined ? [] : [dimension],
    filter: filterOf(measure),
    timeFilter: { startTimeUnixMs: from },
    sort: { [metric]: 'desc' },
    // Calls without a value are a group, which no limit counts.
    limit: shownSegments + 1,
    totals: isBudget && dimension !== undefined,
  };
  const plan = unwrap(planMetrics(organizationId, query, intervals));
  const { rows } = await answerOf(ports.run, plan, signal);
  const fullest = rows
    .filter((row) => row['total'] !== true)
    .map((row) => ({ value: dimension === undefined ? null : valueText(row[dimension]), used: amountOf(row[metric]) }))
    .filter(({ value, used }) => used > 0 && (dimension === undefined || value !== null))
    .slice(0, shownSegments);
  if (!isBudget) return { fullest, unpriced: null };
  // Without a dimension the only row is the total. Most budgets have none to name, and each query reads all of a window.
  if (amountOf(rows.at(-1)?.[unpricedCount] ?? null) === 0) return { fullest, unpriced: { requests: 0, models: [] } };
  const counted = dimension === undefined ? plan.filter : allOf([plan.filter, hasValue(dimension)]);
  return { fullest, unpriced: unpricedOf(await rowsOf(ports.run, unpricedPlan(organizationId, counted), signal)) };
}

function filterOf({ dimension, value, keyHash }: Measure): unknown {
  return filterJson(
    allOf([
      ...(keyHash === undefined ? [] : [isValue('key', keyHash)]),
      ...(dimension === undefined || value === undefined ? [] : [isValue(dimension, value)]),
    ]),
  );
}

function isValue(field: string, value: string): FilterNode {
  return condition(fieldNamed(field).reference, { family: 'text', operator: 'equals', value });
}

function hasValue(dimension: string): FilterNode {
  return condition(fieldNamed(dimension).reference, { family: 'text', operator: 'not-equals', value: '' });
}

/** Sums are written with all their digits. */
function amountOf(cell: MetricsCell | undefined): number {
  return Number(cell instanceof RawJson ? cell.text : (cell ?? 0));
}

/** A call with an empty value counts towards no limit of segments. */
function valueText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
