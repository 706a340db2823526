import type { OrganizationId } from '../../model/ids.ts';
import { select } from '../../sql/query.ts';
import { sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { tenantRows, requests } from '../../sql/tables.ts';
import { newestTag } from '../filter/sql/compile-session.ts';
import { ofSession } from './statement.ts';

/** The tag of a session with requests; empty without one. */
export interface SessionTagRow {
  readonly session_tag: string;
}

/** The statement for a session's {@link SessionTagRow}; no row without requests. */
export function sessionTagStatement(tenant: OrganizationId, sessionId: string): Statement {
  const tag = select({ columns: newestTag, from: tenantRows('session_tags', ofSession(sessionId)) });
  const tagged = select({ columns: sql`${tag} AS session_tag`, from: requests(ofSession(sessionId)), limit: 1 });
  return statementFor(tenant, tagged, 'short');
}

/** The statement for the `RequestKey` of a session's oldest request. */
export function firstRequestStatement(tenant: OrganizationId, sessionId: string): Statement {
  const columns = sql`id_text AS id, toUnixTimestamp64Milli(created_at) AS created_ms`;
  const first = select({ columns, from: requests(ofSession(sessionId)), orderBy: sql`created_at, request_id`, limit: 1 });
  return statementFor(tenant, first, 'short');
}
