import { type BodyBeginning, beginningLength, type RequestBeginning } from '../../contract/requests/beginning.ts';
import { type BeginningsRow, beginningsColumns, type RequestRow } from '../../query/requests/columns.ts';
import { bodiesStatements } from '../../query/requests/select.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';

/** Of both bodies, with what the engine counts beside them. */
const maxBytes = 1024 * 1024;

/** How the bodies of a request begin; null: none is kept. */
export async function readBeginnings(
  { context, ports, principal, memory }: RequestContext,
  row: RequestRow,
): Promise<Omit<RequestBeginning, 'request'>> {
  await memory.takeAnswer(maxBytes);
  const statements = bodiesStatements(principal.organizationId, [row], 'short', beginningsColumns(beginningLength));
  const [found] = await runUntilRows<BeginningsRow>(ports.run, statements, context.req.raw.signal);
  if (found === undefined) return { request_body: null, response_body: null };
  return {
    request_body: beginningOf(found.request_kind, found.request_text, found.request_content_type, found.request_is_whole),
    response_body: beginningOf(found.response_kind, found.response_text, found.response_content_type, found.response_is_whole),
  };
}

function beginningOf(kind: string, text: string, contentType: string, isWhole: boolean): BodyBeginning | null {
  if (kind !== 'json' && kind !== 'text' && kind !== 'binary') return null;
  return { kind, text, content_type: contentType, is_whole: isWhole };
}
