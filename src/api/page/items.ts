import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'hono';
import { unwrap } from '../../contract/fault.ts';
import type { RequestItem } from '../../contract/requests/item.ts';
import { requestQuerySchema } from '../../contract/requests/query.ts';
import { GatelogError } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import { jsonParts, RawJson } from '../../model/json/raw.ts';
import { cursorBehind, type SortCells } from '../../query/requests/cursor.ts';
import type { HintProbe } from '../../query/hints/question.ts';
import { hintQuestions, longBodiesQuestion } from '../../query/requests/hints.ts';
import { planRequests, type RequestsDialect, type RequestsPlan } from '../../query/requests/query.ts';
import { requestItems } from '../../query/requests/item.ts';
import type { BodiesRow, RequestRow } from '../../query/requests/columns.ts';
import { type CountRow, countStatement, pageStatements } from '../../query/requests/select.ts';
import { isOverResult } from '../../store/engine/failure.ts';
import { runUntilRows } from '../../store/read/run.ts';
import type { RequestContext } from '../endpoint.ts';
import { sendJson } from '../http/json-answer.ts';
import { readInput } from '../http/read-input.ts';
import { addWarning, appendSentence } from '../http/warnings.ts';
import { readBodies } from './bodies.ts';

type PageRow = RequestRow & SortCells;

/** A page of requests with its headers: body → plan → statements → rows → items. */
export async function handlePage(call: RequestContext, dialect: RequestsDialect): Promise<Response> {
  const { context, principal, ports, memory } = call;
  const { signal } = context.req.raw;
  const tenant = principal.organizationId;
  const body = await readInput(context, requestQuerySchema);
  const planned = unwrap(planRequests(tenant, body, dialect));
  if (planned.kind === 'nothing') {
    if (wantsCount(context)) context.header('svc-total-count', '0');
    setHint(context, planned.hint);
    return sendJson(context, { data: [], error: null });
  }
  const { plan } = planned;
  await memory.takeRows(plan.limit);
  const rows = plan.limit === 0 ? [] : await runUntilRows<PageRow>(ports.run, pageStatements(plan), signal);
  if (wantsCount(context)) context.header('svc-total-count', String(await countOf(call, plan)));
  const long = longBodiesQuestion(plan);
  if (long !== undefined) await explain(call, [long]);
  if (rows.length === 0) {
    if (plan.limit > 0 && plan.after === undefined) await explain(call, hintQuestions(plan, ports.knownNames));
    return sendJson(context, { data: [], error: null });
  }
  setNextCursor(context, plan, rows);
  return sendJson(context, { data: await writtenItems(call, rows, body.includeBodies !== false), error: null });
}

/** Rows as items. @throws GatelogError `query_too_large` when they exceed one response. */
export async function itemsOf(call: RequestContext, rows: readonly RequestRow[], withBodies: boolean): Promise<RequestItem[]> {
  const bodies = await bodiesOf(call, rows, withBodies);
  return shown(call, rows, bodies);
}

/** As {@link itemsOf}, serialised a few at a time: other calls run in between. */
export async function writtenItems(call: RequestContext, rows: readonly RequestRow[], withBodies: boolean): Promise<readonly RawJson[]> {
  const bodies = new Map((await bodiesOf(call, rows, withBodies)).map((row) => [row.id, row]));
  const written: RawJson[] = [];
  let sinceTurn = 0;
  for (const row of rows) {
    const body = bodies.get(row.id);
    const [item] = shown(call, [row], body === undefined ? [] : [body]);
    const text = jsonParts(item, randomUUID()).join('');
    written.push(new RawJson(text));
    sinceTurn += text.length;
    if (sinceTurn < charactersInTurn) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  return written;
}

/** A few milliseconds of work. */
const charactersInTurn = 128 * 1024;

function shown({ principal, ports }: RequestContext, rows: readonly RequestRow[], bodies: readonly BodiesRow[]): RequestItem[] {
  return requestItems(rows, bodies, (row) => ports.bodyAddressOf(principal.organizationId, row.id as RequestId));
}

async function bodiesOf(call: RequestContext, rows: readonly RequestRow[], withBodies: boolean): Promise<readonly BodiesRow[]> {
  const { answerMaxBytes } = call.ports;
  const textsBytes = rows.reduce((sum, row) => sum + textBytes(row), 0);
  const passedBytes = withBodies ? rows.reduce((sum, row) => sum + Number(row.size_bytes), 0) : 0;
  if (textsBytes + passedBytes > answerMaxBytes && rows.length > 1) {
    throw tooLarge(rows.length, withBodies, `have ${textsBytes + passedBytes} bytes; one answer holds ${answerMaxBytes}`);
  }
  if (!withBodies) return [];
  try {
    return await readBodies(call, rows, { owner: call.principal.organizationId, textsBytes, passedBytes });
  } catch (error) {
    if (!isOverResult(error)) throw error;
    throw tooLarge(rows.length, true, `have more than the ${answerMaxBytes} bytes that one answer holds`, error);
  }
}

function tooLarge(count: number, withBodies: boolean, why: string, cause?: unknown): GatelogError {
  const instead = withBodies ? ', or leave the bodies out by `"includeBodies": false`' : '';
  return new GatelogError(
    'query_too_large',
    `The ${withBodies ? 'bodies and ' : ''}properties of these ${count} requests ${why}. Ask for fewer at once: a smaller \`limit\` and the cursor, or fewer \`requestIds\`${instead}.`,
    { cause },
  );
}

/** Bytes of a row's unbounded texts in its item, which has the properties twice. */
function textBytes({ properties, inputs, usage_raw: usage }: RequestRow): number {
  return 2 * bytesOf(properties) + bytesOf(inputs ?? {}) + Buffer.byteLength(usage);
}

function bytesOf(texts: Readonly<Record<string, string>>): number {
  return Object.entries(texts).reduce((sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(text), 0);
}

/** The matching requests of all pages. */
export async function countOf({ context, ports }: RequestContext, plan: RequestsPlan): Promise<number> {
  const [row] = await ports.run<CountRow>(countStatement(plan), context.req.raw.signal);
  return Number(row?.total ?? 0);
}

export function setHint(context: Context, sentence: string): void {
  appendSentence(context, 'svc-hint', sentence);
}

/** Maximum wait of a response for its explanation. */
const hintMs = 1000;

/** A full page may have a next one. */
function setNextCursor(context: Context, plan: RequestsPlan, rows: readonly PageRow[]): void {
  const last = rows.at(-1);
  const cursor = last === undefined || rows.length < plan.limit ? undefined : cursorBehind(plan, last);
  if (cursor !== undefined) context.header('svc-next-cursor', cursor);
}

/** Adds an explanation if the store finds one in time. */
export async function explain({ context, ports }: RequestContext, questions: readonly HintProbe[]): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), hintMs);
  const signal = AbortSignal.any([context.req.raw.signal, late.signal]);
  try {
    for (const question of questions) {
      let told: ReturnType<HintProbe['messageFor']> = question;
      while (typeof told === 'object') {
        // Nobody would await a read that begins now, and its unhandled failure would end the process.
        if (signal.aborted) return;
        const asked = ports.hintLookUps.rowsOf(told, (statement) => ports.run(statement, signal, { timeoutMs: hintMs }));
        const rows = await untilAborted(asked, signal);
        if (rows === undefined) return;
        told = told.messageFor(rows);
      }
      if (told !== undefined) {
        setHint(context, told);
        return addWarning(context, told);
      }
    }
  } catch {
    // The response is complete without an explanation.
  } finally {
    clearTimeout(timer);
  }
}

/** @returns undefined when the signal aborts first. */
async function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const { promise, end } = abortOf(signal);
  try {
    return await Promise.race([value, promise]);
  } finally {
    end();
  }
}

function abortOf(signal: AbortSignal): { readonly promise: Promise<undefined>; readonly end: () => void } {
  const ending = new AbortController();
  const promise = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { signal: ending.signal });
  });
  return { promise, end: () => ending.abort() };
}

export function wantsCount(context: Context): boolean {
  return ['Svc-Include-Count', 'Helicone-Include-Count'].some((name) => context.req.header(name)?.trim().toLowerCase() === 'true');
}
