import { readJson } from '../../api/http/read-json.ts';
import { unwrap } from '../../contract/fault.ts';
import { snapshotSchema } from '../../contract/operator.ts';
import { readBody } from '../../contract/read-body.ts';
import type { OperatorCall, OperatorEndpoint } from './endpoint.ts';

/** `POST /snapshot`: the response is one line and stays open; the snapshot lasts as long as the connection. */
export const takeSnapshot: OperatorEndpoint = { method: 'POST', path: '/snapshot', handle: answerTake };

async function answerTake({ context, work }: OperatorCall): Promise<Response> {
  const { secrets } = unwrap(readBody(snapshotSchema, await readJson(context)));
  const { signal } = context.req.raw;
  const { remove, ...taken } = await work.takeSnapshot(secrets);
  signal.addEventListener('abort', remove, { once: true });
  if (signal.aborted) remove();
  const line = `${JSON.stringify({ data: taken, error: null })}\n`;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(line)),
    cancel: remove,
  });
  return context.body(body, 200, { 'Content-Type': 'application/json' });
}
