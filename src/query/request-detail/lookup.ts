import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { select } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import { condition } from '../filter/ast.ts';
import type { RequestsPlan } from '../requests/query.ts';
import { noFlags } from '../requests/selection.ts';
import type { NumberCell } from '../requests/columns.ts';
import { arrivalStatements, type PageStatements, pageStatements } from '../requests/select.ts';

/**
 * Statements for one request, to run in order until one returns its `RequestRow`; none does when it does not exist. They are the page of
 * the filter `request_id equals`, so both find the same record in the same way.
 */
export function requestStatements(tenant: OrganizationId, id: RequestId): PageStatements {
  return pageStatements(onlyRequest(tenant, id));
}

/** The time in a record's key, Unix milliseconds. */
export interface CreatedAtRow {
  readonly created_ms: NumberCell;
}

/** As {@link requestStatements}, for a {@link CreatedAtRow}: whether and where the request is stored. */
export function requestKeyStatements(tenant: OrganizationId, id: RequestId): PageStatements {
  return arrivalStatements(onlyRequest(tenant, id));
}

/** A row of {@link storedIdsStatement}. */
export interface StoredIdRow {
  readonly id_hex: string;
}

/** Statement for those of the identifiers that stored requests have, in no order. It reads one column of the organisation's requests. */
export function storedIdsStatement(tenant: OrganizationId, ids: readonly RequestId[]): Statement {
  const numbers = param(ids.map(uuidToNumber), 'Array(UInt128)');
  const found = select({ columns: sql`hex(request_id) AS id_hex`, from: requests(sql`request_id IN ${numbers}`) });
  return statementFor(tenant, found, 'long');
}

export function onlyRequest(tenant: OrganizationId, id: RequestId): RequestsPlan {
  return {
    tenant,
    filter: condition({ group: 'request_response_rmt', field: 'request_id' }, { family: 'text', operator: 'equals', value: id }),
    flags: noFlags,
    sort: [{ key: 'created_at', direction: 'desc' }],
    after: undefined,
    offset: 0,
    limit: 1,
    includeInputs: false,
  };
}
