import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatelogError, messageOf } from '../model/errors.ts';
import type { ExchangeOpen, Tags } from '../model/exchange.ts';
import { type OrganizationId, parseUuid, type RequestId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import { may, type Principal } from '../model/principal.ts';
import type { Clock } from '../platform/clock.ts';
import type { SpoolWriter } from '../spool/writer.ts';
import { admit, type Admission, credentialHeaders, type Rejection, type VerifyKey } from './credentials.ts';
import { type Directives, isDirective, readDirectives } from './directives.ts';
import { answerEcho } from './echo.ts';
import { passedHeaders, recordedRequest, withoutSecrets } from './headers.ts';
import { findModelField, replaceModel } from './model-field.ts';
import { echoProviderName, type ProviderTable } from './providers.ts';
import { refuseUnrecorded } from './refusal.ts';
import { Relay } from './relay.ts';
import { bodyTooLarge, declaredLength, readBody, type RequestBody, tapped } from './request-body.ts';
import { isIssuedRequestId, makeRequestId } from './request-ids.ts';
import { joinAddress, type Route, routeByModel, routeByPath } from './routes.ts';
import { ExchangeRecorder } from './tap.ts';
import type { Upstream } from './upstream.ts';

export interface ForwardLimits {
  /** JSON bodies up to this size are read for the model's name. */
  readonly routeMaxBytes: number;
  readonly requestMaxBytes: number;
  /** Recorded bytes of each body. */
  readonly recordMaxBytes: number;
}

/** What the gateway needs from the rest of the program. */
export interface ForwardPorts {
  readonly verifyKey: VerifyKey;
  /** Why a key that is not one of ours is not accepted. */
  readonly explainRejection: (key: string) => GatelogError;
  /** Takes a caller's own identifier. False: it was used before in this organisation. */
  readonly claimRequestId: (organizationId: OrganizationId, requestId: RequestId) => boolean;
  readonly providers: ProviderTable;
  readonly upstream: Upstream;
  readonly spool: SpoolWriter;
  /** False while the spool has no room: calls go on, unrecorded. */
  readonly hasSpoolRoom: () => boolean;
  readonly limits: ForwardLimits;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** One call on its way through. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly openedAt: number;
  readonly startedAt: number;
  readonly directives: Directives;
}

/** A call of an accepted key: it has an identifier and will be on record. */
interface AdmittedCall extends Call {
  readonly principal: Principal;
  readonly providerCredentials: readonly string[];
  readonly requestId: RequestId;
  readonly replyHeaders: readonly string[];
}

/**
 * Forwards one call. The stages in order: read our headers, admit the key, give the identifier, route, open the record, send to the provider,
 * relay the reply. A failure before the key is accepted is answered without a record; after that everything is on record.
 */
export function forward(ports: ForwardPorts, request: IncomingMessage, response: ServerResponse): void {
  const openedAt = ports.clock.now();
  const startedAt = ports.clock.monotonic();
  const refuse = (error: unknown): void => refuseStranger(response, error, openedAt);
  try {
    const directives = readDirectives(request.rawHeaders);
    const call: Call = { request, response, openedAt, startedAt, directives };
    const admission = admit(request.rawHeaders, directives.auth, ports.verifyKey);
    if (admission instanceof Promise) admission.then((found) => enter(ports, call, found)).catch(refuse);
    else enter(ports, call, admission);
  } catch (error) {
    refuse(error);
  }
}

/** The key is known: from here on there is an identifier and a record. */
function enter(ports: ForwardPorts, call: Call, admission: Admission | Rejection): void {
  if ('rejectedKey' in admission) throw ports.explainRejection(admission.rejectedKey);
  const { principal } = admission;
  if (!may(principal, 'send')) {
    throw new GatelogError('permission_denied', 'This key may not send requests (permission "r"). Use a key with permission "w" or "rw".');
  }
  const admitted = identify(ports, call, admission);
  const url = call.request.url ?? '/';
  try {
    const route = routeByPath(url, ports.providers);
    const length = declaredLength(call.request);
    if (length !== undefined && length > ports.limits.requestMaxBytes) throw bodyTooLarge(ports.limits.requestMaxBytes);
    const readsModel = route.routedByModel || route.provider === echoProviderName;
    const wholeMaxBytes = readsModel ? ports.limits.routeMaxBytes : 0;
    readBody({ request: call.request, wholeMaxBytes, mostBytes: ports.limits.requestMaxBytes }, (body) => send(ports, admitted, route, body));
  } catch (error) {
    refuseRecorded(ports, admitted, { provider: 'custom', path: url, routedByModel: false }, error);
  }
}

/** The caller's own identifier when it is a UUID and new, else a fresh one and a warning. */
function identify(ports: ForwardPorts, call: Call, admission: Admission): AdmittedCall {
  const { directives, openedAt } = call;
  const { organizationId } = admission.principal;
  const warnings = [...directives.warnings];
  const asked = directives.requestId === undefined ? undefined : parseUuid(directives.requestId);
  let requestId: RequestId | undefined;
  if (directives.requestId !== undefined) {
    if (asked === undefined) warnings.push('Svc-Request-Id is not a UUID; a fresh identifier was given');
    else if (isIssuedRequestId(organizationId, asked) || !ports.claimRequestId(organizationId, asked)) {
      warnings.push('Svc-Request-Id was used before; the earlier record stays and a fresh identifier was given');
    } else requestId = asked;
  }
  requestId ??= makeRequestId(organizationId, openedAt);
  return { ...call, ...admission, requestId, replyHeaders: replyHeaders(requestId, directives.aliased, warnings) };
}

function replyHeaders(requestId: string, aliased: boolean, warnings: readonly string[]): string[] {
  const lines = ['svc-id', requestId];
  if (aliased) lines.push('helicone-id', requestId);
  if (warnings.length > 0) lines.push('svc-warning', warnings.join('; ').slice(0, 2000));
  return lines;
}

/** The body is here, or on its way: decide the provider for good, open the record, send. */
function send(ports: ForwardPorts, call: AdmittedCall, pathRoute: Route, body: RequestBody): void {
  const readyAt = ports.clock.monotonic();
  const { route, outgoing } = applyModel(pathRoute, body, ports.providers);
  const address = route.provider === echoProviderName ? undefined : ports.providers.find(route.provider);
  const url = address === undefined ? undefined : joinAddress(address.baseUrl, route.path);
  const credentials = credentialsFor(ports, call, route);
  if (credentials === undefined) {
    refuseUnrecorded(call.response, noProviderKey(route.provider), call.replyHeaders);
    return;
  }
  const relay = openRelay(ports, call, route, url === undefined ? '' : withoutSecrets(url.href));
  const { recorder } = relay;
  try {
    if ('whole' in body) recorder.requestPart(body.whole);
    const passed = passedHeaders(call.request.rawHeaders, (lower) => !isDirective(lower) && !credentialHeaders.has(lower) && keepsLength(lower, body, outgoing));
    relay.relay.overheadMs = ports.clock.monotonic() - readyAt;
    if (url === undefined) answerWithEcho(call, route, outgoing, relay.relay);
    else {
      const sent = 'whole' in outgoing ? wholeOrNone(outgoing.whole) : tapped(outgoing.stream, recorder, ports.limits.requestMaxBytes);
      ports.upstream.send({ method: call.request.method ?? 'GET', url, headers: [...passed, ...credentials], body: sent }, relay.relay);
    }
  } catch (error) {
    relay.relay.refuse(asRefusal(ports, error));
  }
}

function answerWithEcho(call: AdmittedCall, route: Route, body: RequestBody, relay: Relay): void {
  if (!('whole' in body)) {
    throw new GatelogError('body_too_large', 'The echo provider takes bodies up to GATELOG_ROUTE_MAX_BYTES.');
  }
  answerEcho({ method: call.request.method ?? 'GET', path: route.path, body: body.whole, createdAt: Math.floor(call.openedAt / 1000) }, relay);
}

/** The body as it goes out: with `provider/model` only the bytes of the model's name change. */
function applyModel(route: Route, body: RequestBody, providers: ProviderTable): { route: Route; outgoing: RequestBody } {
  if (!route.routedByModel || !('whole' in body)) return { route, outgoing: body };
  const field = findModelField(body.whole);
  const byModel = field === undefined ? undefined : routeByModel(route, field.text, providers);
  if (field === undefined || byModel === undefined) return { route, outgoing: body };
  return { route: byModel.route, outgoing: { whole: replaceModel(body.whole, field, byModel.model) } };
}

/** undici writes the length of a buffer itself; of a stream it needs the caller's. */
function keepsLength(lower: string, body: RequestBody, outgoing: RequestBody): boolean {
  return lower !== 'content-length' || (!('whole' in outgoing) && outgoing === body);
}

function wholeOrNone(body: Buffer): Buffer | null {
  return body.length === 0 ? null : body;
}

/** Credential lines for the provider: the caller's, else the deployment's own; undefined when there is none. */
function credentialsFor(ports: ForwardPorts, call: AdmittedCall, route: Route): readonly string[] | undefined {
  if (call.providerCredentials.length > 0 || route.provider === echoProviderName) return call.providerCredentials;
  const key = ports.providers.deploymentKey(route.provider);
  const address = ports.providers.find(route.provider);
  return key === undefined || address === undefined ? undefined : [address.keyHeader, address.keyPrefix + key];
}

function noProviderKey(provider: string): GatelogError {
  const variable = `GATELOG_PROVIDER_${provider.toUpperCase()}_KEY`;
  return new GatelogError(
    'no_provider_key',
    `No key for the provider ${provider}. Send your Gatelog key as "Svc-Auth: Bearer <Gatelog key>" and the provider's key as usual, or set ${variable} for this deployment.`,
  );
}

function openRelay(ports: ForwardPorts, call: AdmittedCall, route: Route, targetUrl: string): { relay: Relay; recorder: ExchangeRecorder } {
  const { request, response, principal, requestId, openedAt, startedAt, replyHeaders } = call;
  const { monotonic } = ports.clock;
  const open: ExchangeOpen = {
    version: 1,
    requestId,
    organizationId: principal.organizationId,
    keyHash: principal.keyHash,
    openedAt,
    method: request.method ?? 'GET',
    path: withoutSecrets(request.url ?? '/'),
    provider: route.provider,
    targetUrl,
    headers: recordedRequest(request.rawHeaders),
    tags: call.directives.tags satisfies Tags,
  };
  const recorded = ports.hasSpoolRoom();
  if (!recorded) ports.observe({ kind: 'exchange_not_recorded', reason: 'the spool is full' });
  const recorder = new ExchangeRecorder({ writer: ports.spool, bodyMaxBytes: ports.limits.recordMaxBytes, monotonic, startedAt }, open, recorded);
  return { relay: new Relay({ response, recorder, method: open.method, replyHeaders, monotonic }), recorder };
}

function refuseRecorded(ports: ForwardPorts, call: AdmittedCall, route: Route, error: unknown): void {
  // What the client still sends is read away, so that it gets to read the answer.
  call.request.resume();
  openRelay(ports, call, route, '').relay.refuse(asRefusal(ports, error));
}

/** Answers a caller without an accepted key; nothing of it is recorded, yet the reply carries an identifier. */
function refuseStranger(response: ServerResponse, error: unknown, openedAt: number): void {
  if (response.headersSent || response.destroyed) return;
  const known = error instanceof GatelogError ? error : new GatelogError('internal', 'The gateway failed on this call.', { cause: error });
  refuseUnrecorded(response, known, ['svc-id', makeRequestId('' as OrganizationId, openedAt)]);
}

function asRefusal(ports: ForwardPorts, error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  ports.observe({ kind: 'api_failed', method: 'forward', route: 'gateway', reason: messageOf(error) });
  return new GatelogError('internal', 'The gateway failed on this call.', { cause: error });
}
