import { type OrganizationId, type RequestId, timeOfUuid } from '../../model/ids.ts';
import type { BodiesRow } from '../../query/requests/columns.ts';
import { bodiesStatements, type RequestKey } from '../../query/requests/select.ts';
import { isOverResult } from '../../store/engine/failure.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';

const mebi = 1024 * 1024;
/** The first read allows twice the bytes on the wire plus this: compressed bodies are recorded decompressed. */
const slackBytes = mebi;
/** Maximum bytes of bodies that are read before their row is known. */
export const earlyMaxBytes = mebi;
/** Larger reads run in the long lane. */
const maxShortBytes = 2 * mebi;
/** A single request's bodies are always shown: two of the maximum decompressed size, in base64. */
const maxSingleBytes = 192 * mebi;
/** Factor between the limits of two tries. */
const nextTry = 8;
/** Bytes that the engine counts per row beside its texts. */
const rowOverheadBytes = 1024;

export interface BodiesSize {
  readonly owner: OrganizationId;
  /** Of the rest of the response. */
  readonly textsBytes: number;
  /** Bytes of the bodies on the wire. */
  readonly passedBytes: number;
}

/**
 * Reads the bodies of a request whose row is not known yet, from its most likely place.
 * @returns undefined when {@link readBodies} must read them: none were found there, or they are large.
 */
export async function readBodiesEarly(
  { context, ports, principal }: Pick<RequestContext, 'context' | 'ports' | 'principal'>,
  id: RequestId,
): Promise<BodiesRow | undefined> {
  const time = timeOfUuid(id);
  if (time === undefined) return undefined;
  const [statement] = bodiesStatements(principal.organizationId, [{ id, created_ms: time }]);
  if (statement === undefined) return undefined;
  try {
    const [row] = await ports.run<BodiesRow>(statement, context.req.raw.signal, { maxResultBytes: earlyMaxBytes });
    return row;
  } catch (error) {
    if (isOverResult(error)) return undefined;
    throw error;
  }
}

/**
 * Reads the bodies of a page. The store does not know their decoded size, so each read has a limit, beginning with the likely size; a read
 * that exceeds it is repeated with a larger one, up to the maximum of a response. Memory is taken before each.
 * @throws GatelogError `query_too_large` when they exceed the maximum of a response, or `service_busy`.
 */
export async function readBodies(
  { context, ports, memory }: Pick<RequestContext, 'context' | 'ports' | 'memory'>,
  keys: readonly RequestKey[],
  { owner, textsBytes, passedBytes }: BodiesSize,
): Promise<readonly BodiesRow[]> {
  const { signal } = context.req.raw;
  const overhead = keys.length * rowOverheadBytes;
  const max = overhead + (keys.length <= 1 ? Math.max(maxSingleBytes, 2 * passedBytes) : Math.max(0, ports.answerMaxBytes - textsBytes));
  const read = async (maxResultBytes: number): Promise<readonly BodiesRow[]> => {
    await memory.takeAnswer(textsBytes + maxResultBytes);
    const statements = bodiesStatements(owner, keys, maxResultBytes > maxShortBytes ? 'long' : 'short');
    const rows = await runUntilRows<BodiesRow>((statement, stop) => ports.run(statement, stop, { maxResultBytes }), statements, signal);
    memory.keepAnswer(textsBytes + rows.reduce((sum, row) => sum + bodiesBytes(row), 0));
    return rows;
  };
  for (let bytes = Math.min(max, overhead + 2 * passedBytes + slackBytes); bytes < max; bytes *= nextTry) {
    try {
      return await read(bytes);
    } catch (error) {
      if (!isOverResult(error)) throw error;
    }
  }
  return read(max);
}

/** At least a byte per character. */
export function bodiesBytes({ request_text: request, response_text: response }: BodiesRow): number {
  return request.length + response.length;
}
