import { GatelogError } from '../model/errors.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { ProviderTarget } from './base-address.ts';
import type { Errand, ForwardPorts, OpenCall } from './call.ts';
import { answerEcho } from './echo.ts';
import { withoutCompression } from './headers.ts';
import { answerModels } from './model-list.ts';
import { Upload } from './upload.ts';

/** Sends the call on its way; the reply comes through its relay. */
export function sendToProvider(
  ports: ForwardPorts,
  { call, relay, recorder }: OpenCall,
  target: ProviderTarget,
  { outgoing, credentials, usageAsked }: Errand,
): void {
  const { request, head } = call;
  const isWhole = 'whole' in outgoing;
  const body = isWhole
    ? wholeOrNone(outgoing.whole)
    : new Upload({ request, begun: outgoing.begun, recorder, mostBytes: ports.limits.requestMaxBytes });
  // A compressed stream could not be read for its usage on the way back.
  const passed = usageAsked ? withoutCompression(head.passed) : head.passed;
  // undici writes the length of a buffer itself; of a stream it needs the caller's.
  const headers = isWhole ? [...passed, ...credentials] : [...passed, ...head.length, ...credentials];
  const { origin, path, lookUp } = target;
  ports.upstream.send({ method: request.method ?? 'GET', origin, path, lookUp, headers, body }, relay);
}

/** Answers in this process. */
export function answerHere(
  ports: ForwardPorts,
  { call, relay }: OpenCall,
  { route, outgoing }: Errand,
  organizationId: OrganizationId,
): void {
  if (!('whole' in outgoing)) {
    throw new GatelogError('body_too_large', 'What the gateway answers itself takes bodies up to GATELOG_ROUTE_MAX_BYTES.');
  }
  const method = call.request.method ?? 'GET';
  if (route.destination === 'models') {
    answerModels({ ...ports, storedProviders: ports.providerKeys.providersOf(organizationId) }, method, relay);
    return;
  }
  const createdAt = Math.floor(call.openedAt / 1000);
  answerEcho({ method, path: route.path, body: outgoing.whole, createdAt }, relay);
}

function wholeOrNone(body: Buffer): Buffer | null {
  return body.length === 0 ? null : body;
}
