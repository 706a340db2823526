import { type Result, success } from '../../model/fault.ts';
import type { RequestQuery } from '../../contract/requests/query.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { filterWrappers, type FilterDialect } from '../filter/leaf.ts';
import { parseFilter } from '../filter/parse.ts';
import { parseCursor, type Keyset } from './cursor.ts';
import type { RequestFlags, RequestSelection } from './selection.ts';
import { parseSort } from './sort.ts';

/** A request query bound to its tenant. */
export interface RequestsPlan extends RequestSelection {
  /** The last row of the previous page; undefined for the first page. */
  readonly after: Keyset | undefined;
  readonly offset: number;
  readonly limit: number;
  readonly includeInputs: boolean;
}

/** A page, or, by the contract, an empty list with a `hint` that explains it. */
export type PlannedRequests = { readonly kind: 'page'; readonly plan: RequestsPlan } | { readonly kind: 'nothing'; readonly hint: string };

const unwrappedHint =
  'the filter holds a "properties" leaf outside "request_response_rmt", which matches nothing here; write {"request_response_rmt": {"properties": {...}}}';

/** How an endpoint parses a query of requests. */
export interface RequestsDialect extends FilterDialect {
  /** The meaning of `isScored: false`. */
  readonly isScoredFalse: 'all' | 'unscored';
}

export const requestDialect: RequestsDialect = { wrappers: filterWrappers, unwrappedProperties: 'empty', isScoredFalse: 'all' };
/** The legacy query: a `properties` leaf without its wrapper is an ordinary one, and `isScored: false` selects unscored requests. */
export const legacyDialect: RequestsDialect = { wrappers: filterWrappers, unwrappedProperties: 'filter', isScoredFalse: 'unscored' };

/** @returns the first fault in the filter or sort, when there is one. */
export function planRequests(tenant: OrganizationId, body: RequestQuery, dialect: RequestsDialect): Result<PlannedRequests> {
  const parsed = parseFilter(body.filter, dialect);
  if (!parsed.ok) return parsed;
  const sort = parseSort(body.sort);
  if (!sort.ok) return sort;
  if (parsed.value.unwrappedProperties) return success({ kind: 'nothing', hint: unwrappedHint });
  const selection: RequestSelection = {
    tenant,
    filter: parsed.value.filter,
    flags: flagsOf(body, dialect),
    sort: sort.value,
  };
  const after = body.cursor === undefined ? success(undefined) : parseCursor(body.cursor, selection);
  if (!after.ok) return after;
  const plan: RequestsPlan = {
    ...selection,
    after: after.value,
    // A cursor alone decides where the page begins: a client may repeat its first body with the cursor.
    offset: after.value === undefined ? (body.offset ?? 0) : 0,
    limit: body.limit ?? 10,
    includeInputs: body.includeInputs === true,
  };
  return success({ kind: 'page', plan });
}

function flagsOf({ isCached, isScored, isPartOfExperiment }: RequestQuery, { isScoredFalse }: RequestsDialect): RequestFlags {
  const flags = { cached: isCached === true, scored: isScored === true, inExperiment: isPartOfExperiment === true };
  return isScored === false && isScoredFalse === 'unscored' ? { ...flags, unscored: true } : flags;
}
