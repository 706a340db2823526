import type { OrganizationId } from '../../model/ids.ts';
import type { BodiesRow } from '../../query/requests/columns.ts';
import { bodiesStatements, type RequestKey } from '../../query/requests/select.ts';
import { isOverResult } from '../../store/engine/failure.ts';
import { runUntilRows } from '../../store/read/run.ts';
import type { RequestContext } from '../endpoint.ts';

const mebi = 1024 * 1024;
/** What bodies may have beyond twice what passed before it is known that they have more: compressed ones are recorded as what they expand to. */
const slackBytes = mebi;
/** Bodies of more bytes are read where long reads are. */
const maxShortBytes = 2 * mebi;
/** Of one request, whose bodies are always shown: two of what a compressed one expands to at most, in base64. */
const maxSingleBytes = 192 * mebi;
/** How many times as much is tried next. */
const nextTry = 8;
/** What the engine counts for a row beside its texts. */
const rowOverheadBytes = 1024;

/** Whose bodies, and what is known of their size. */
export interface BodiesSize {
  readonly owner: OrganizationId;
  /** Of what else stands in the answer. */
  readonly textsBytes: number;
  /** That passed the wire. */
  readonly passedBytes: number;
}

/**
 * Reads the bodies of a page. How many bytes they have when they are decoded the store does not say, so it gives at most what is likely, and when there is
 * more it is asked again for more, up to what one answer may hold. Memory for that is taken before.
 * @throws GatelogError `query_too_large` when they have more than one answer may hold, or `service_busy`.
 */
export async function readBodies(
  { context, ports, memory }: Pick<RequestContext, 'context' | 'ports' | 'memory'>,
  keys: readonly RequestKey[],
  { owner, textsBytes, passedBytes }: BodiesSize,
): Promise<readonly BodiesRow[]> {
  const { signal } = context.req.raw;
  const overhead = keys.length * rowOverheadBytes;
  const most = overhead + (keys.length <= 1 ? Math.max(maxSingleBytes, 2 * passedBytes) : Math.max(0, ports.answerMaxBytes - textsBytes));
  const read = async (maxResultBytes: number): Promise<readonly BodiesRow[]> => {
    await memory.takeAnswer(textsBytes + maxResultBytes);
    const statements = bodiesStatements(owner, keys, maxResultBytes > maxShortBytes ? 'long' : 'short');
    const rows = await runUntilRows<BodiesRow>((statement, stop) => ports.run(statement, stop, { maxResultBytes }), statements, signal);
    memory.keepAnswer(textsBytes + rows.reduce((sum, row) => sum + row.request_text.length + row.response_text.length, 0));
    return rows;
  };
  for (let bytes = Math.min(most, overhead + 2 * passedBytes + slackBytes); bytes < most; bytes *= nextTry) {
    try {
      return await read(bytes);
    } catch (error) {
      if (!isOverResult(error)) throw error;
    }
  }
  return read(most);
}
