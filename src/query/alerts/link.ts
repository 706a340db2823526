import { isJsonObject, type JsonObject } from '../../model/text.ts';
import type { DimensionName } from '../../model/vocabulary/metrics.ts';
import type { Dimension } from '../metrics/plan.ts';
import type { GroupValue, GroupValues } from './groups.ts';
import type { TimeRange } from './windows.ts';

/** A question of the request query: the requests that an alert measured. */
export interface RequestsLink {
  readonly filter: unknown;
  readonly timeFilter: { readonly startTimeUnixMs: number; readonly endTimeUnixMs: number };
}

/** Where a filter finds a dimension. */
const fieldOf: Readonly<Partial<Record<DimensionName, readonly [group: string, field: string]>>> = {
  model: ['request_response_rmt', 'model'],
  request_model: ['request', 'model'],
  provider: ['request_response_rmt', 'provider'],
  status: ['request_response_rmt', 'status'],
  user: ['request_response_rmt', 'user_id'],
  session: ['sessions_request_response_rmt', 'session_session_id'],
  session_name: ['sessions_request_response_rmt', 'session_session_name'],
  country: ['request_response_rmt', 'country_code'],
  failure_type: ['request_response_rmt', 'failure_type'],
  client: ['request_response_rmt', 'client'],
  client_version: ['request_response_rmt', 'client_version'],
  key: ['request', 'auth_hash'],
  path: ['request', 'path'],
  prompt: ['request_response_rmt', 'prompt_id'],
  prompt_version: ['request_response_rmt', 'prompt_version'],
  streamed: ['request_response_rmt', 'streamed'],
  cached: ['request_response_rmt', 'cached'],
};

/** @param filter of the rule, as it was given. */
export function linkOf(filter: unknown, dimensions: readonly Dimension[], group: GroupValues, range: TimeRange): RequestsLink {
  const conditions = dimensions.flatMap((dimension, index) => leafOf(dimension, group[index] ?? null) ?? []);
  const given = filter === undefined || filter === 'all' || (isJsonObject(filter) && Object.keys(filter).length === 0) ? [] : [filter];
  const [first, ...others] = [...given, ...conditions];
  return {
    filter: first === undefined ? {} : others.reduce((left, right) => ({ left, operator: 'and', right }), first),
    timeFilter: { startTimeUnixMs: range.from, endTimeUnixMs: range.to - 1 },
  };
}

/** Absent text equals the empty one. */
function leafOf(dimension: Dimension, value: GroupValue): JsonObject | undefined {
  const condition = { equals: value ?? '' };
  if (dimension.kind === 'column') {
    const group = fieldOf[dimension.name];
    return group === undefined ? undefined : { [group[0]]: { [group[1]]: condition } };
  }
  const named = { [dimension.name]: condition };
  return dimension.kind === 'input' ? { values: named } : { request_response_rmt: { properties: named } };
}
