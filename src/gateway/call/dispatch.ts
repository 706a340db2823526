import { GatelogError } from '../../model/errors.ts';
import type { ProviderTarget } from '../routing/base-url.ts';
import type { Target, RecordedCall } from './call.ts';
import type { DispatchPorts } from './ports.ts';
import { responseOfEcho } from '../builtin/echo.ts';
import { answerFeedback } from '../builtin/feedback.ts';
import { withoutCompression } from '../http/headers.ts';
import { addressMembersAt } from '../relay/reply-addresses.ts';
import { answerModels } from '../builtin/model-list.ts';
import { asRefusal } from './exchange.ts';
import { respond, type ResponseSink } from '../upstream/response-sink.ts';
import { bodyOwnerOf, inlineMaxBytes } from '../bodies/threads.ts';
import { RequestBodyStream } from '../http/request-stream.ts';
import type { ProviderRequest } from '../upstream/upstream.ts';

export function sendTo(ports: DispatchPorts, open: RecordedCall, target: Target, sink: ResponseSink): void {
  if (target.target === undefined) respondHere(ports, open, target, sink);
  else ports.upstream.send(requestTo(ports, open, target, target.target), sink);
}

function requestTo(
  ports: DispatchPorts,
  { call, organizationId, recorder }: RecordedCall,
  to: Target,
  target: ProviderTarget,
): ProviderRequest {
  const { request, head, bodyReservation } = call;
  const { outgoing, credentials, usageRequested } = to;
  const isBuffered = 'buffered' in outgoing;
  const body = isBuffered
    ? bodyOrNull(outgoing.buffered)
    : new RequestBodyStream({ request, begun: outgoing.streaming, recorder, maxBytes: ports.limits.requestMaxBytes });
  // Of a compressed body neither the usage nor the addresses could be read.
  const passed =
    usageRequested || addressMembersAt(to.route.provider, target.path) !== undefined ? withoutCompression(to.passed) : to.passed;
  const length = isBuffered ? undefined : head.length[1];
  const contentLength = length === undefined ? undefined : Number(length);
  const { origin, path, lookUp } = target;
  const sent = bodyReservation?.endsWhenSent === true ? bodyReservation.release : undefined;
  return { organizationId, method: request.method ?? 'GET', origin, path, lookUp, lines: passed, credentials, body, contentLength, sent };
}

function respondHere(
  ports: DispatchPorts,
  { call, organizationId, keyHash }: RecordedCall,
  { route, outgoing }: Target,
  sink: ResponseSink,
): void {
  if (!('buffered' in outgoing)) {
    throw new GatelogError('body_too_large', 'What the gateway answers itself takes bodies up to GATELOG_ROUTE_MAX_BYTES.');
  }
  const method = call.request.method ?? 'GET';
  if (route.destination === 'models') {
    const sources = { ...ports, organizationId, storedProviders: ports.providerKeys.providersOf(organizationId) };
    answerModels(sources, { method, client: call.head.client }, sink);
    return;
  }
  if (route.destination === 'feedback') {
    if (outgoing.buffered.length > inlineMaxBytes) {
      throw new GatelogError('body_too_large', `Feedback takes a body of ${inlineMaxBytes} bytes at most.`);
    }
    answerFeedback(ports.giveFeedback, { head: call.head, keyHash, body: outgoing.buffered }, sink);
    return;
  }
  const createdAt = Math.floor(call.openedAt / 1000);
  const echo = { method, path: route.path, body: outgoing.buffered, createdAt };
  if (echo.body.length <= inlineMaxBytes) {
    respond(sink, responseOfEcho(echo));
    return;
  }
  ports.largeBodies
    .echo(bodyOwnerOf(organizationId, call), echo)
    .then((response) => respond(sink, response))
    .catch((error: unknown) => sink.fail(asRefusal(ports, error)));
}

function bodyOrNull(body: Buffer): Buffer | null {
  return body.length === 0 ? null : body;
}
