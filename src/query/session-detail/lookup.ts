import type { OrganizationId } from '../../model/ids.ts';
import { sql } from '../../sql/sql.ts';
import { ownTable, type Statement, statementFor } from '../../sql/statement.ts';
import { newestTag } from '../filter/sql/compile-session.ts';
import { ofSession } from './statement.ts';

/** The tag of a session that has a request; empty: none. */
export interface SessionTagRow {
  readonly session_tag: string;
}

/** The statement for a session's {@link SessionTagRow}; no row when it has no request. */
export function sessionTagStatement(tenant: OrganizationId, sessionId: string): Statement {
  const tag = sql`(SELECT ${newestTag} FROM ${ownTable('session_tags', ofSession(sessionId))})`;
  return statementFor(tenant, sql`SELECT ${tag} AS session_tag FROM ${ownTable('requests', ofSession(sessionId))} LIMIT 1`, 'short');
}

/** The statement for the key, a `RequestKey`, of a session's oldest request. */
export function firstRequestStatement(tenant: OrganizationId, sessionId: string): Statement {
  return statementFor(
    tenant,
    sql`SELECT id_text AS id, toUnixTimestamp64Milli(created_at) AS created_ms FROM ${ownTable('requests', ofSession(sessionId))} ORDER BY created_at, request_id LIMIT 1`,
    'short',
  );
}
