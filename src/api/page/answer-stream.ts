import type { z } from 'zod';
import type { streamParametersSchema } from '../../contract/requests/stream.ts';
import { unwrap } from '../../contract/fault.ts';
import { planStream } from '../../query/stream/plan.ts';
import { failureText } from '../../store/engine/failure.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { sessionOf } from '../endpoint/authenticate.ts';
import { bodyStream } from '../http/body-stream.ts';
import { endpointOf } from '../http/matched-endpoint.ts';

/** Server-sent events without an end: parameters → plan → viewer → chunks. Faults before the first byte are answered as anywhere. */
export async function answerStream(
  call: RequestContext,
  given: { readonly filter: unknown; readonly parameters: z.output<typeof streamParametersSchema> },
): Promise<Response> {
  const { context, principal, ports } = call;
  const { includeBodies, cursor } = given.parameters;
  const plan = unwrap(
    planStream(principal.organizationId, {
      filter: given.filter,
      includeBodies: includeBodies === 'true',
      cursor: context.req.header('last-event-id') ?? cursor,
    }),
  );
  context.header('Content-Type', 'text/event-stream; charset=utf-8');
  context.header('Cache-Control', 'no-store');
  // Proxies such as nginx would collect events before they pass them on.
  context.header('X-Accel-Buffering', 'no');
  if (context.req.method === 'HEAD') return context.body(null);
  const left = new AbortController();
  const signal = AbortSignal.any([context.req.raw.signal, left.signal]);
  const isByCookie = context.req.header('Authorization') === undefined;
  const isSignedIn = isByCookie ? () => sessionOf(context, ports) !== undefined : undefined;
  const session = isByCookie ? sessionOf(context, ports) : undefined;
  // A person's own session has no key that could be revoked, and permissions that change.
  const isOwn = session !== undefined && session.keyHash === undefined;
  const verifyKey: typeof ports.verifyKey = isOwn ? () => ports.people.sessions.currentCallerOf(session.token) : ports.verifyKey;
  const chunks = encoded(ports.streams.open({ plan, principal, ports: { ...ports, verifyKey }, signal, isSignedIn }));
  const onError = (error: unknown): void => {
    if (!signal.aborted) ports.observe({ kind: 'api_failed', endpoint: endpointOf(context) ?? 'none', reason: failureText(error) });
  };
  const onCancel = (): void => left.abort(new Error('The client has left the stream.'));
  return context.body(bodyStream(await chunks.next(), chunks, { onCancel, onError, readsAhead: false }));
}

async function* encoded(texts: AsyncGenerator<string, undefined>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
