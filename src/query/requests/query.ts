import type { Result } from '../../contract/fault.ts';
import type { RequestQuery } from '../../contract/requests/query.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { FilterDialect } from '../filter/leaf.ts';
import { parseFilter } from '../filter/parse.ts';
import { success } from '../outcome.ts';
import { parseCursor, type Keyset } from './cursor.ts';
import type { RequestFlags, RequestQueryStatement } from './question.ts';
import { parseSort } from './sort.ts';

/** A request query bound to its tenant: what `requests.ts` makes statements of. */
export interface RequestsPlan extends RequestQueryStatement {
  /** Where the page before this one ended; undefined for the first. */
  readonly after: Keyset | undefined;
  readonly offset: number;
  readonly limit: number;
  readonly includeInputs: boolean;
}

/** What a request query asks for: a page, or by the contract nothing at all, with a `hint` that tells the caller why. */
export type PlannedRequests = { readonly kind: 'page'; readonly plan: RequestsPlan } | { readonly kind: 'nothing'; readonly hint: string };

const unwrappedHint =
  'the filter holds a "properties" leaf outside "request_response_rmt", which matches nothing here; write {"request_response_rmt": {"properties": {...}}}';

/** Every wrapper: each endpoint that filters takes them all. */
export const filterWrappers: FilterDialect['wrappers'] = [
  'request_response_rmt',
  'sessions_request_response_rmt',
  'session',
  'request',
  'response',
  'feedback',
  'values',
];

/** How an endpoint reads a query of requests. */
export interface RequestsDialect extends FilterDialect {
  /** What `isScored: false` keeps. */
  readonly isScoredFalse: 'all' | 'unscored';
}

/** What `POST /v1/request/query-clickhouse` accepts. */
export const requestDialect: RequestsDialect = { wrappers: filterWrappers, unwrappedProperties: 'empty', isScoredFalse: 'all' };
/** The legacy query's: there a `properties` leaf without its wrapper is an ordinary one, and a worker asks for what it has not scored yet. */
export const legacyDialect: RequestsDialect = { wrappers: filterWrappers, unwrappedProperties: 'filter', isScoredFalse: 'unscored' };

/** Binds a request query to its tenant. @returns the first fault in its filter or sort, when there is one. */
export function planRequests(tenant: OrganizationId, body: RequestQuery, dialect: RequestsDialect): Result<PlannedRequests> {
  const parsed = parseFilter(body.filter, dialect);
  if (!parsed.ok) return parsed;
  const sort = parseSort(body.sort);
  if (!sort.ok) return sort;
  if (parsed.value.unwrappedProperties) return success({ kind: 'nothing', hint: unwrappedHint });
  const question: RequestQueryStatement = {
    tenant,
    filter: parsed.value.filter,
    flags: flagsOf(body, dialect),
    sort: sort.value,
  };
  const after = body.cursor === undefined ? success(undefined) : parseCursor(body.cursor, question);
  if (!after.ok) return after;
  const plan: RequestsPlan = {
    ...question,
    after: after.value,
    // A cursor says by itself where the page begins: a client that sends its first body again, with the cursor, goes on behind it.
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
