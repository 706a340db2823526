import type { LimitUsageItem } from '../../contract/settings/limit-usage.ts';
import { unwrap } from '../../contract/fault.ts';
import type { StoredLimit } from '../../metadata/organization/rate-limits.ts';
import { type LimitPolicy, parseLimitPolicy, unitsOfCall } from '../../model/limit-policy.ts';
import { RawJson } from '../../model/json/raw.ts';
import { calendarBounds } from '../../model/time/calendar.ts';
import { intervals } from '../../model/vocabulary/metrics.ts';
import type { MetricsCell } from '../../query/metrics/answer.ts';
import { planMetrics } from '../../query/metrics/plan.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { answerOfPlan } from './metrics-rows.ts';

const shownSegments = 20;
const picodollars = 1e12;

/**
 * How much of each limit is used, by the record. The gateway's own counts are under fingerprints of users and values, which have no names.
 */
export async function limitUsage(call: RequestContext, limits: readonly StoredLimit[]): Promise<readonly LimitUsageItem[]> {
  const { principal, ports } = call;
  const keys = limits.some(({ keyId }) => keyId !== null) ? await ports.apiKeys.list(principal.organizationId) : [];
  const hashes = new Map(keys.map(({ id, keyHash }) => [id, keyHash]));
  const now = ports.now();
  const items: LimitUsageItem[] = [];
  // One after another: an organisation has dozens of limits at most, and the store has others to answer.
  for (const { policy: text, keyId, rule } of limits) {
    const policy = parseLimitPolicy(text);
    const span = spanOf(policy, now);
    const quota = policy.unit === 'cents' ? Number(policy.quota) / picodollars : Number(policy.quota / unitsOfCall);
    const uses = await usesOf(call, policy, { from: span.from, keyHash: keyId === null ? undefined : (hashes.get(keyId) ?? '') });
    items.push({
      policy: text,
      key_id: keyId,
      ...(rule === undefined ? {} : { alert_id: rule.id, alert_name: rule.name }),
      unit: policy.unit === 'cents' ? 'usd' : 'requests',
      quota,
      from: new Date(span.from).toISOString(),
      to: span.to === null ? null : new Date(span.to).toISOString(),
      fullest: uses.map(({ value, used }) => ({ value, used, share: used / quota })),
    });
  }
  return items;
}

function spanOf({ window }: LimitPolicy, now: number): { readonly from: number; readonly to: number | null } {
  if (window.kind === 'fixed') return { from: now - window.ms, to: null };
  const { startsAt, endsAt } = calendarBounds(window, now);
  return { from: startsAt, to: endsAt };
}

interface Scope {
  readonly from: number;
  /** Undefined: calls of every key. */
  readonly keyHash: string | undefined;
}

interface SegmentUse {
  readonly value: string | null;
  readonly used: number;
}

async function usesOf(call: RequestContext, { unit, segment }: LimitPolicy, { from, keyHash }: Scope): Promise<readonly SegmentUse[]> {
  const metric = unit === 'cents' ? 'cost' : 'count';
  const dimension = segment === undefined ? undefined : segment.of === 'user' ? 'user' : `properties.${segment.name}`;
  const query = {
    metrics: [metric],
    groupBy: dimension === undefined ? [] : [dimension],
    filter: keyHash === undefined ? 'all' : { request: { auth_hash: { equals: keyHash } } },
    timeFilter: { startTimeUnixMs: from },
    sort: { [metric]: 'desc' },
    // Calls without a value are a group, which no limit counts.
    limit: shownSegments + 1,
  };
  const plan = unwrap(planMetrics(call.principal.organizationId, query, intervals));
  const { rows } = await answerOfPlan(call, plan);
  return rows
    .map((row) => ({ value: dimension === undefined ? null : valueText(row[dimension]), used: amountOf(row[metric]) }))
    .filter(({ value, used }) => used > 0 && (dimension === undefined || value !== null))
    .slice(0, shownSegments);
}

/** Sums are written with all their digits. */
function amountOf(cell: MetricsCell | undefined): number {
  return Number(cell instanceof RawJson ? cell.text : (cell ?? 0));
}

/** A call with an empty value counts towards no limit of segments. */
function valueText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
