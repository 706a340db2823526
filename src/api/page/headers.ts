import type { Context } from 'hono';
import type { HintProbe } from '../../query/hints/probe.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { addWarning, appendSentence } from '../http/warnings.ts';

interface PageResult<Row> {
  readonly plan: { readonly limit: number; readonly after: unknown };
  readonly rows: readonly Row[];
  readonly count: () => Promise<number>;
  /** Long bodies were searched only in part. */
  readonly longBodies: HintProbe | undefined;
  /** Possible reasons of an empty page. */
  readonly whyEmpty: () => readonly HintProbe[];
  readonly cursorBehind: (last: Row) => string | undefined;
}

/** Sets the headers of a page: the total number if the caller wants it, hints, and the cursor of the next page. */
export async function setPageHeaders<Row>(call: RequestContext, page: PageResult<Row>): Promise<void> {
  const { plan, rows, count, longBodies, whyEmpty, cursorBehind } = page;
  const { context } = call;
  if (wantsCount(context)) context.header('svc-total-count', String(await count()));
  const isEmpty = rows.length === 0 && plan.limit > 0 && plan.after === undefined;
  await explain(call, longBodies, isEmpty ? whyEmpty() : []);
  // A full page may have a next one.
  const last = rows.length < plan.limit ? undefined : rows.at(-1);
  const cursor = last === undefined ? undefined : cursorBehind(last);
  if (cursor !== undefined) context.header('svc-next-cursor', cursor);
}

/** Whether the caller asks for the total number. */
export function wantsCount(context: Context): boolean {
  return ['Svc-Include-Count', 'Helicone-Include-Count'].some((name) => context.req.header(name)?.trim().toLowerCase() === 'true');
}

/** Adds a sentence about what may surprise in a response. */
export function setHint(context: Context, sentence: string): void {
  appendSentence(context, 'svc-hint', sentence);
}

/** Explains a result by hints: that bodies were searched only in part, and the first reason why nothing was found. */
export async function explain(call: RequestContext, longBodies: HintProbe | undefined, whyEmpty: readonly HintProbe[]): Promise<void> {
  if (longBodies !== undefined) await addHint(call, [longBodies]);
  if (whyEmpty.length > 0) await addHint(call, whyEmpty);
}

/** Maximum delay of a response by the look-ups of one hint, milliseconds. */
const hintMs = 1000;

/** Adds the first hint that applies, if the store finds one in time. */
async function addHint({ context, ports }: RequestContext, probes: readonly HintProbe[]): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), hintMs);
  const signal = AbortSignal.any([context.req.raw.signal, late.signal]);
  try {
    for (const probe of probes) {
      let result: ReturnType<HintProbe['messageFor']> = probe;
      while (typeof result === 'object') {
        // Nobody would await a read that begins now, and its unhandled failure would end the process.
        if (signal.aborted) return;
        const pending = ports.hintLookUps.rowsOf(result, (statement) => ports.run(statement, signal, { timeoutMs: hintMs }));
        const rows = await untilAborted(pending, signal);
        if (rows === undefined) return;
        result = result.messageFor(rows);
      }
      if (result !== undefined) {
        setHint(context, result);
        return addWarning(context, result);
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
  const ending = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { signal: ending.signal });
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    ending.abort();
  }
}
