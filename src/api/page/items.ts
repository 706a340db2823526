import { randomUUID } from 'node:crypto';
import type { RequestItem } from '../../contract/requests/item.ts';
import { GatelogError } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import { jsonParts, RawJson } from '../../model/json/raw.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import { requestItems } from '../../query/requests/item.ts';
import type { BodiesRow, RequestRow } from '../../query/requests/columns.ts';
import { isOverResult } from '../../store/engine/failure.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { bodiesBytes, earlyMaxBytes, readBodies, readBodiesEarly } from './bodies.ts';
import { onlyRow } from './only-row.ts';

/** Rows as items. @throws GatelogError `query_too_large` when they exceed one response. */
export async function itemsOf(call: RequestContext, rows: readonly RequestRow[], withBodies: boolean): Promise<RequestItem[]> {
  const bodies = await bodiesOf(call, rows, withBodies);
  return shown(call, rows, bodies);
}

/** The item of a request whose row and bodies are read at the same time. @throws GatelogError as `readRow`, or `query_too_large`. */
export async function itemOf(call: RequestContext, id: RequestId, readRow: () => Promise<RequestRow>): Promise<RequestItem> {
  // Memory is taken first: a permit that came after the call had failed would never be released.
  await call.memory.takeAnswer(earlyMaxBytes);
  const [row, early] = await Promise.all([readRow(), readBodiesEarly(call, id)]);
  const isWithin = early !== undefined && textBytes(row) + bodiesBytes(early) <= earlyMaxBytes;
  return onlyRow(isWithin ? shown(call, [row], [early]) : await itemsOf(call, [row], true));
}

/** As {@link itemsOf}, serialised a few at a time: other calls run in between. */
export async function writtenItems(
  call: RequestContext,
  rows: readonly RequestRow[],
  withBodies: boolean,
): Promise<readonly RawJson<RequestItem>[]> {
  const bodies = new Map((await bodiesOf(call, rows, withBodies)).map((row) => [row.id, row]));
  const written: RawJson<RequestItem>[] = [];
  const slices = new Slices(call.principal.organizationId);
  for (const row of rows) {
    const body = bodies.get(row.id);
    const [item] = shown(call, [row], body === undefined ? [] : [body]);
    written.push(new RawJson<RequestItem>(jsonParts(item, randomUUID()).join('')));
    await slices.turn();
  }
  return written;
}

function shown({ principal, ports }: RequestContext, rows: readonly RequestRow[], bodies: readonly BodiesRow[]): RequestItem[] {
  return requestItems(rows, bodies, (row) => ports.bodyAddressOf(principal, row.id as RequestId));
}

async function bodiesOf(call: RequestContext, rows: readonly RequestRow[], withBodies: boolean): Promise<readonly BodiesRow[]> {
  const { answerMaxBytes } = call.ports;
  const textsBytes = rows.reduce((sum, row) => sum + textBytes(row), 0);
  const passedBytes = withBodies ? rows.reduce((sum, row) => sum + Number(row.size_bytes), 0) : 0;
  if (textsBytes + passedBytes > answerMaxBytes && rows.length > 1) {
    throw tooLarge(rows.length, withBodies, `have ${textsBytes + passedBytes} bytes; one answer holds ${answerMaxBytes}`);
  }
  if (!withBodies || rows.length === 0) return [];
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
