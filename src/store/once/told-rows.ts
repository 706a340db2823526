import { type OrganizationId, type RequestId, uuidOfHex } from '../../model/ids.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import type { Spend } from '../../model/record/spend.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { compileFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';

/** Where records that tell of the same calls as others are looked for. */
export interface ToldQuery {
  readonly traceIds: readonly string[];
  /** Of these traces. */
  readonly spanIds: readonly string[];
  /** Values of `span_links` that name one of the spans. */
  readonly links: readonly string[];
  readonly responseIds: readonly string[];
  /** Range of their arrival, Unix milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** A stored record as far as it shows which call it is. */
export interface ToldRow {
  readonly requestId: RequestId;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly endedAt: number;
  readonly provider: string;
  readonly models: readonly string[];
  readonly responseId: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly links: readonly string[];
  /** Of one that was made of a span; else empty. */
  readonly properties: ReadonlyMap<string, string>;
  /** Of a stored one. */
  readonly spend?: Spend | undefined;
}

/** Finds records by their spans and by the provider's identifiers of their responses. @throws GatelogError when the store fails. */
export type FindTold = (organizationId: OrganizationId, query: ToldQuery) => Promise<readonly ToldRow[]>;

/** Whether a record of a kind arrived since then, Unix milliseconds. @throws GatelogError when the store fails. */
export type HasArrived = (organizationId: OrganizationId, since: number) => Promise<boolean>;

/** Texts of a statement, as `find-rows.ts` has it. */
const askedAtOnce = 500;
const maxRows = 5000;

interface Row {
  readonly id_hex: string;
  readonly created_ms: string | number;
  readonly ended_ms: string | number;
  readonly provider: string;
  readonly request_model: string;
  readonly response_model: string;
  readonly response_id: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly span_links: readonly string[];
  readonly told: Readonly<Record<string, string>>;
  readonly model: string;
  /** Decimal text; empty: not known. */
  readonly cost_text: string;
  readonly tokens: readonly (string | number)[];
}

const columns = sql`hex(request_id) AS id_hex, toUnixTimestamp64Milli(created_at) AS created_ms,
  toUnixTimestamp64Milli(ifNull(response_created_at, created_at)) AS ended_ms, provider, request_model, response_model, response_id,
  trace_id, span_id, span_links, if(has(span_links, '*'), properties, map()) AS told, model, ifNull(toString(cost), '') AS cost_text,
  [ifNull(prompt_tokens, 0), ifNull(prompt_cache_read_tokens, 0), ifNull(prompt_cache_write_tokens, 0), ifNull(completion_tokens, 0)] AS tokens`;

/** Runs in the `insert` lane, whose caller inserts next. */
export function makeFindTold(connections: Connections): FindTold {
  return async (organizationId, { traceIds, spanIds, links, responseIds, from, to }) => {
    const found = new Map<RequestId, ToldRow>();
    const read = async (which: Fragment): Promise<void> => {
      const inTime = [sql`created_at >= ${dateTime64(from, 'from')}`, sql`created_at <= ${dateTime64(to, 'to')}`, sql`method = 'POST'`];
      const query = select({ columns, from: requests([...inTime, which]), limit: maxRows });
      const rows = await readRows<Row>(connections, 'insert', compileFor(organizationId, query));
      for (const row of rows.map(toldRow)) found.set(row.requestId, row);
    };
    for (const traces of chunksOf(traceIds, askedAtOnce)) {
      const spans = sql`span_id IN ${param(spanIds, 'Array(String)', 'spans')} OR hasAny(span_links, ${param(links, 'Array(String)', 'links')})`;
      await read(sql`trace_id IN ${param(traces, 'Array(String)', 'traces')} AND (${spans})`);
    }
    for (const responses of chunksOf(responseIds, askedAtOnce)) {
      await read(sql`response_id IN ${param(responses, 'Array(String)', 'responses')}`);
    }
    return [...found.values()];
  };
}

/** Records that were made of spans. */
export function makeHasSpans(connections: Connections): HasArrived {
  return makeHasArrived(connections, sql`has(span_links, '*')`);
}

/** Calls through the gateway whose callers named a span. */
export function makeHasTracedCalls(connections: Connections): HasArrived {
  return makeHasArrived(connections, sql`trace_id != '' AND NOT has(span_links, '*')`);
}

function makeHasArrived(connections: Connections, which: Fragment): HasArrived {
  return async (organizationId, since) => {
    const from = requests([sql`created_at >= ${dateTime64(since, 'since')}`, which]);
    const query = select({ columns: sql`1 AS one`, from, limit: 1 });
    return (await readRows(connections, 'insert', compileFor(organizationId, query))).length > 0;
  };
}

function toldRow(row: Row): ToldRow {
  return {
    requestId: uuidOfHex(row.id_hex.toLowerCase().padStart(32, '0')),
    createdAt: Number(row.created_ms),
    endedAt: Number(row.ended_ms),
    provider: row.provider,
    models: [row.request_model, row.response_model],
    responseId: row.response_id,
    traceId: row.trace_id,
    spanId: row.span_id,
    links: row.span_links,
    properties: new Map(Object.entries(row.told)),
    spend: spendOfRow(row),
  };
}

function spendOfRow({ provider, model, cost_text: cost, tokens }: Row): Spend {
  const [promptTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0] = tokens.map(Number);
  const inputTokens = Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens);
  return { provider, model, cost: parseMoney(cost) ?? null, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens };
}

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}
