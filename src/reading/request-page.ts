import { pageStatements, spanStatement } from '../query/requests/select.ts';
import { type Span, spanSearchOf } from '../query/requests/spans.ts';
import type { RequestRow } from '../query/requests/columns.ts';
import type { SortCells } from '../query/requests/cursor.ts';
import type { RequestsPlan } from '../query/requests/query.ts';
import { type RunStatement, runUntilRows } from '../store/read/run-statement.ts';

export interface PageReading {
  readonly run: RunStatement;
  readonly signal?: AbortSignal;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The rows of a page; all reads for it have one timeout. @throws GatelogError as `RunStatement`. */
export async function readRequestPage(plan: RequestsPlan, { run, signal, now }: PageReading): Promise<readonly (RequestRow & SortCells)[]> {
  if (plan.limit === 0) return [];
  const search = spanSearchOf(plan, now);
  if (search === undefined) return runUntilRows(run, pageStatements(plan), signal);
  const startedAt = performance.now();
  const rows: (RequestRow & SortCells)[] = [];
  for (let span: Span | undefined = search.first; span !== undefined; span = search.next(span, rows.length)) {
    const statement = spanStatement(plan, span, plan.limit - rows.length);
    rows.push(...(await run<RequestRow & SortCells>(statement, signal, { startedAt })));
  }
  return rows;
}
