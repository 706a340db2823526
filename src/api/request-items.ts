import type { RequestItem } from '../contract/requests.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { RequestsPlan } from '../query/plan.ts';
import { requestItem } from '../query/request-item.ts';
import type { BodiesRow, RequestRow } from '../query/request-row.ts';
import { bodiesStatement, pageStatements } from '../query/requests.ts';
import type { RunStatement } from '../store/run.ts';

type Statement = Parameters<RunStatement>[0];

export interface ReadOptions {
  /** Whether bodies are read too. */
  readonly bodies: boolean;
  /** Ends the query when the caller leaves. */
  readonly signal: AbortSignal;
}

/** The items of a planned page. */
export async function readRequestItems(plan: RequestsPlan, run: RunStatement, options: ReadOptions): Promise<RequestItem[]> {
  const rows = await firstRows(pageStatements(plan), run, options.signal);
  return withBodies(plan.tenant, rows, run, options);
}

/** Runs statements in order until one gives rows. */
export async function firstRows(statements: readonly Statement[], run: RunStatement, signal: AbortSignal): Promise<readonly RequestRow[]> {
  for (const statement of statements) {
    const rows = await run<RequestRow>(statement, signal);
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Rows as items, with their bodies where those are asked for. */
export async function withBodies(
  tenant: OrganizationId,
  rows: readonly RequestRow[],
  run: RunStatement,
  options: ReadOptions,
): Promise<RequestItem[]> {
  const statement = options.bodies ? bodiesStatement(tenant, rows) : undefined;
  const bodies = statement === undefined ? [] : await run<BodiesRow>(statement, options.signal);
  const bodiesById = new Map(bodies.map((row) => [row.id, row]));
  return rows.map((row) => requestItem(row, bodiesById.get(row.id)));
}
