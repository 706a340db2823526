import { type OrganizationId, type RequestId, uuidOfHex } from '../../model/ids.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import { type CallDetails, detailColumns } from '../../model/record/call-details.ts';
import type { Spend } from '../../model/record/spend.ts';
import { columnName } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { compileFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';

/** Where records that tell of the same calls as others are looked for: only such as may do so, as one trace may have very many. */
export interface ToldQuery {
  readonly traceIds: readonly string[];
  /** Of these traces: records of these spans tell of the same call whenever they came. */
  readonly spanIds: readonly string[];
  /** Values of `span_links`, as of `spanIds`. */
  readonly links: readonly string[];
  /** Of these traces, what tells of the same call only at about the same time. */
  readonly near?: NearQuery | undefined;
  /** Of the same trace, or at about one of the times. */
  readonly responses?: { readonly ids: readonly string[]; readonly times: readonly TimeRange[] } | undefined;
  /** Range of their arrival, Unix milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** Unix milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export interface NearQuery {
  /** A record is near that shares a moment with one of them. */
  readonly times: readonly TimeRange[];
  readonly spanIds: readonly string[];
  readonly links: readonly string[];
  /** Records with one of the first and none of the second links. */
  readonly beside: readonly { readonly links: readonly string[]; readonly without: readonly string[] }[];
}

export interface ToldRows {
  /** In the order of their arrival. */
  readonly rows: readonly ToldRow[];
  /** False: there are more than are read at once. */
  readonly isComplete: boolean;
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
  /** Of one that was made of a span. */
  readonly details?: CallDetails | undefined;
  /** Of a stored one. */
  readonly spend?: Spend | undefined;
}

/** Finds records by their spans and by the provider's identifiers of their responses. @throws GatelogError when the store fails. */
export type FindTold = (organizationId: OrganizationId, query: ToldQuery) => Promise<ToldRows>;

/** Whether a record of a kind arrived since then, Unix milliseconds. @throws GatelogError when the store fails. */
export type HasArrived = (organizationId: OrganizationId, since: number) => Promise<boolean>;

/** Texts of a statement: its lists are read into a set, so that more of them cost little. */
const askedAtOnce = 2500;
/** The engine's own limit is 256 KiB: the lists of a look may have megabytes. */
const settings = { max_query_size: 64 * 1024 * 1024 };
/** Of one answer of the engine: a row may have half a megabyte of properties. */
const pageRows = 500;
/** Of what one look finds: characters of links and properties, and so many for each row. */
const maxFoundBytes = 16 * 1024 * 1024;
const bytesOfRow = 1024;

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
  readonly details: readonly string[];
  readonly status: number;
  /** -1: not known. */
  readonly first_ms: string | number;
  readonly model: string;
  /** Decimal text; empty: not known. */
  readonly cost_text: string;
  readonly tokens: readonly (string | number)[];
}

const columns = sql`hex(request_id) AS id_hex, toUnixTimestamp64Milli(created_at) AS created_ms,
  toUnixTimestamp64Milli(ifNull(response_created_at, created_at)) AS ended_ms, provider, request_model, response_model, response_id,
  trace_id, span_id, span_links, if(has(span_links, '*'), properties, map()) AS told,
  if(has(span_links, '*'), [${join(
    detailColumns.map((name) => columnName(name)),
    ', ',
  )}], []) AS details, status,
  ifNull(toInt64(time_to_first_token), -1) AS first_ms, model, ifNull(toString(cost), '') AS cost_text,
  [ifNull(prompt_tokens, 0), ifNull(prompt_cache_read_tokens, 0), ifNull(prompt_cache_write_tokens, 0), ifNull(completion_tokens, 0)] AS tokens`;

/** Runs in the `insert` lane, whose caller inserts next. */
export function makeFindTold(connections: Connections): FindTold {
  return async (organizationId, query) => {
    const found = new Map<RequestId, ToldRow>();
    const { from, to } = query;
    const inTime = [sql`created_at >= ${dateTime64(from, 'from')}`, sql`created_at <= ${dateTime64(to, 'to')}`, sql`method = 'POST'`];
    let bytes = 0;
    for (const which of [...inTraces(query), ...withResponses(query)]) {
      let last: Row | undefined;
      do {
        const behind = last === undefined ? [] : [isBehind(last)];
        const page = select({
          columns,
          from: requests([...inTime, ...behind, which]),
          orderBy: sql`created_at, request_id`,
          limit: pageRows,
        });
        const rows = await readRows<Row>(connections, 'insert', compileFor(organizationId, page), settings);
        for (const row of rows.map(toldRow)) {
          if (found.has(row.requestId)) continue;
          bytes += bytesOf(row);
          if (bytes > maxFoundBytes) return { rows: [...found.values()], isComplete: false };
          found.set(row.requestId, row);
        }
        last = rows.length < pageRows ? undefined : rows.at(-1);
      } while (last !== undefined);
    }
    return { rows: [...found.values()], isComplete: true };
  };
}

function inTraces({ traceIds, spanIds, links, near }: ToldQuery): readonly Fragment[] {
  const own = namesOf(spanIds, links, 'own');
  const spans = near === undefined ? own : sql`${own} OR (${areNear(near)})`;
  return chunksOf(traceIds, askedAtOnce).map((traces) => sql`trace_id IN ${param(traces, 'Array(String)', 'traces')} AND (${spans})`);
}

function areNear({ times, spanIds, links, beside }: NearQuery): Fragment {
  const others = beside.map(
    ({ links: some, without }, index) =>
      sql`hasAny(span_links, ${param(some, 'Array(String)', `beside_${index}`)}) AND NOT hasAny(span_links, ${param(without, 'Array(String)', `without_${index}`)})`,
  );
  const all = join([namesOf(spanIds, links, 'near'), ...others.map((other) => sql`(${other})`)], ' OR ');
  return sql`(${all}) AND ${isDuring(times, 'near')}`;
}

function namesOf(spanIds: readonly string[], links: readonly string[], name: string): Fragment {
  return sql`span_id IN ${param(spanIds, 'Array(String)', `${name}_spans`)} OR hasAny(span_links, ${param(links, 'Array(String)', `${name}_links`)})`;
}

function isDuring(times: readonly TimeRange[], name: string): Fragment {
  const froms = param(
    times.map(({ from }) => from),
    'Array(Int64)',
    `${name}_from`,
  );
  const tos = param(
    times.map(({ to }) => to),
    'Array(Int64)',
    `${name}_to`,
  );
  return sql`arrayExists((time_from, time_to) -> (created_ms <= time_to AND ended_ms >= time_from), ${froms}, ${tos})`;
}

function withResponses({ traceIds, responses }: ToldQuery): readonly Fragment[] {
  if (responses === undefined) return [];
  const traces = param(traceIds, 'Array(String)', 'traces');
  const isNear = sql`trace_id IN ${traces} OR ${isDuring(responses.times, 'response')}`;
  return chunksOf(responses.ids, askedAtOnce).map((ids) => sql`response_id IN ${param(ids, 'Array(String)', 'responses')} AND (${isNear})`);
}

function isBehind({ created_ms: createdMs, id_hex: idHex }: Row): Fragment {
  const id = param(BigInt(`0x${idHex}`), 'UInt128', 'last_id');
  return sql`(created_at, request_id) > (${dateTime64(Number(createdMs), 'last_created')}, ${id})`;
}

function bytesOf({ links, properties }: ToldRow): number {
  const texts = [...links, ...[...properties].flat()];
  return texts.reduce((sum, { length }) => sum + length, bytesOfRow);
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
    details: detailsOf(row),
    spend: spendOfRow(row),
  };
}

function detailsOf({ details, model, status, first_ms: firstMs }: Row): CallDetails | undefined {
  if (details.length === 0) return undefined;
  return { texts: details, model, status, firstTokenMs: Number(firstMs) < 0 ? null : Number(firstMs) };
}

function spendOfRow({ provider, model, cost_text: cost, tokens }: Row): Spend {
  const [promptTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0] = tokens.map(Number);
  const inputTokens = Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens);
  return { provider, model, cost: parseMoney(cost) ?? null, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens };
}

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}
