import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TargetGuard } from '../egress/target-guard.ts';
import { GatelogError, messageOf } from '../model/errors.ts';
import type { ExchangeOpen } from '../model/exchange.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { LimitPolicy } from '../model/limit-policy.ts';
import type { Observe } from '../model/observation.ts';
import { may } from '../model/principal.ts';
import type { Clock } from '../platform/clock.ts';
import type { SpoolWriter } from '../spool/writer.ts';
import type { ProviderTarget } from './base-address.ts';
import { admit, type Admission, credentialsFor, type Rejection, type VerifyKey, withoutOurKeys } from './credentials.ts';
import { askLimits, type CallLimits, needsBody, policiesOf, wholeJson } from './call-limits.ts';
import { answerEcho } from './echo.ts';
import { withoutCompression, withoutSecrets } from './headers.ts';
import { type ClaimRequestId, identify, type Identity } from './identify.ts';
import { type Grant, LimitReached } from './limits.ts';
import { findModelField, replaceModel } from './model-field.ts';
import { answerModels, type KnownModels } from './model-list.ts';
import type { ProviderTable } from './providers.ts';
import { refuseUnrecorded } from './refusal.ts';
import { Relay } from './relay.ts';
import { checkDeclaredBody, checkSize, mayBeJson, readBody, type RequestBody } from './request-body.ts';
import { readRequestHead, type RequestHead } from './request-head.ts';
import { makeRequestId } from './request-ids.ts';
import { customProviderName, originForm, type Route, routeByModel, routeByPath, routeToTarget } from './routes.ts';
import { askForUsage, takesUsageQuestion } from './stream-usage.ts';
import { ExchangeRecorder } from './tap.ts';
import { Upload } from './upload.ts';
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
  readonly claimRequestId: ClaimRequestId;
  readonly providers: ProviderTable;
  /** Which addresses callers may name themselves. */
  readonly targets: TargetGuard;
  readonly knownModels: KnownModels;
  readonly upstream: Upstream;
  readonly spool: SpoolWriter;
  /** False while the spool has no room: calls go on, unrecorded. */
  readonly hasSpoolRoom: () => boolean;
  readonly limits: ForwardLimits;
  readonly callLimits: CallLimits;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** One call on its way through. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly openedAt: number;
  readonly startedAt: number;
  /** Path and query, keys of ours cut out. */
  readonly path: string;
  readonly head: RequestHead;
}

/** A call of an accepted key: it has an identifier and will be on record. */
interface AdmittedCall {
  readonly call: Call;
  readonly admission: Admission;
  readonly identity: Identity;
  /** Monotonic time at which its body was waited for. */
  readonly admittedAt: number;
  /** Limits that hold for it, usually none. */
  readonly policies: readonly LimitPolicy[];
}

/** A call on record, with its way back. */
interface OpenCall {
  readonly call: Call;
  readonly recorder: ExchangeRecorder;
  readonly relay: Relay;
}

/**
 * Forwards one call. The stages in order: read our headers, admit the key, give the identifier, route, read the body, ask the limits, open the
 * record, send to the provider, relay the reply. A failure before the key is accepted, and a key that may
 * not send, are answered without a record; after that everything is on record.
 */
export function forward(ports: ForwardPorts, request: IncomingMessage, response: ServerResponse): void {
  const openedAt = ports.clock.now();
  const startedAt = ports.clock.monotonic();
  const refuse = (error: unknown): void => refuseStranger(ports, { response, openedAt }, error);
  try {
    const head = readRequestHead(request.rawHeaders);
    const call: Call = { request, response, openedAt, startedAt, path: withoutOurKeys(originForm(request.url ?? '/')), head };
    const admission = admit(head.credentials, head.directives.auth, ports.verifyKey);
    if (admission instanceof Promise) admission.then((found) => enter(ports, call, found)).catch(refuse);
    else enter(ports, call, admission);
  } catch (error) {
    refuse(error);
  }
}

/** The key is known; once it may send there is an identifier and a record. */
function enter(ports: ForwardPorts, call: Call, admission: Admission | Rejection): void {
  if ('rejectedKey' in admission) throw ports.explainRejection(admission.rejectedKey);
  if (!may(admission.principal, 'send')) {
    throw new GatelogError('permission_denied', 'This key may not send requests (permission "r"). Use a key with permission "w" or "rw".');
  }
  const { request, response, path } = call;
  const { directives } = call.head;
  const policies = policiesOf(ports.callLimits, admission.principal, directives);
  const identity = identify(ports, directives, admission.principal.organizationId, call.openedAt);
  const admitted: AdmittedCall = { call, admission, identity, admittedAt: ports.clock.monotonic(), policies };
  let provider = customProviderName;
  try {
    const route =
      directives.targetUrl === undefined
        ? routeByPath(request.method ?? 'GET', path, ports.providers)
        : routeToTarget(directives.targetUrl, path, ports.targets);
    ({ provider } = route);
    if (directives.refusal !== undefined) throw directives.refusal;
    checkDeclaredBody(request, ports.limits.requestMaxBytes);
    if (expectsContinue(request)) response.writeContinue();
    const readsJson = route.routedByModel || wantsUsage(call, route) || (policies.length > 0 && needsBody(policies, directives));
    const readsBody = typeof route.destination === 'string' || (readsJson && mayBeJson(request));
    const wholeMaxBytes = readsBody ? Math.min(ports.limits.routeMaxBytes, ports.limits.requestMaxBytes) : 0;
    readBody(request, wholeMaxBytes, (body) => send(ports, admitted, route, body));
  } catch (error) {
    refuseRecorded(ports, admitted, provider, error);
  }
}

/** What a call becomes once its route is decided. */
interface Errand {
  readonly route: Route;
  /** Undefined: it is answered in this process. */
  readonly target: ProviderTarget | undefined;
  readonly credentials: readonly string[];
  /** The body as it goes out. */
  readonly outgoing: RequestBody;
  /** The question for a stream's usage was added to it. */
  readonly usageAsked: boolean;
  /** What its limits said; undefined for a call without any. */
  readonly grant: Grant | undefined;
}

/** The body is here, or on its way: decide the provider for good, ask the limits, open the record, send. */
function send(ports: ForwardPorts, admitted: AdmittedCall, pathRoute: Route, body: RequestBody): void {
  const readyAt = ports.clock.monotonic();
  let open: OpenCall | undefined;
  let { provider } = pathRoute;
  try {
    if ('begun' in body) checkSize(body.begun, ports.limits.requestMaxBytes);
    const { route, outgoing } = applyModel(pathRoute, body, ports.providers);
    ({ provider } = route);
    const errand = prepare(ports, admitted, route, outgoing);
    open = openCall(ports, admitted, provider, errand);
    if ('whole' in body) open.recorder.requestPart(body.whole);
    open.relay.overheadMs = admitted.admittedAt - admitted.call.startedAt + ports.clock.monotonic() - readyAt;
    if (hasLeft(admitted.call)) open.relay.clientLeft();
    else if (errand.target === undefined) answerHere(ports, open, errand);
    else sendToProvider(ports, open, errand.target, errand);
  } catch (error) {
    if (open === undefined) refuseRecorded(ports, admitted, provider, error);
    else refuseOpen(ports, open, error);
  }
}

function prepare(ports: ForwardPorts, admitted: AdmittedCall, route: Route, body: RequestBody): Errand {
  const { call, admission, policies } = admitted;
  const { destination } = route;
  const target = typeof destination === 'string' ? undefined : destination.target(route.path);
  const credentials = credentialsFor(route, admission.providerCredentials);
  const asked = wantsUsage(call, route) && 'whole' in body ? askForUsage(body.whole) : undefined;
  const outgoing = asked === undefined ? body : { whole: asked };
  // A call that goes nowhere uses nothing up.
  const grant = policies.length === 0 || hasLeft(call) ? undefined : grantFor(ports, admitted, route, outgoing);
  return { route, target, credentials, outgoing, usageAsked: asked !== undefined, grant };
}

/** @throws LimitReached, among others. */
function grantFor(ports: ForwardPorts, { call, admission, identity, policies }: AdmittedCall, route: Route, outgoing: RequestBody): Grant {
  const { directives } = call.head;
  return askLimits(ports, {
    organizationId: admission.principal.organizationId,
    requestId: identity.requestId,
    directives,
    policies,
    outgoing: {
      method: call.request.method ?? 'GET',
      provider: route.provider,
      path: route.path,
      body: wholeJson(outgoing, mayBeJson(call.request)),
      modelOverride: directives.tags.modelOverride,
      at: call.openedAt,
    },
  });
}

function wantsUsage({ head }: Call, { path }: Route): boolean {
  return head.directives.streamUsage && takesUsageQuestion(path);
}

function sendToProvider(
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
function answerHere(ports: ForwardPorts, { call, relay }: OpenCall, { route, outgoing }: Errand): void {
  if (!('whole' in outgoing)) {
    throw new GatelogError('body_too_large', 'What the gateway answers itself takes bodies up to GATELOG_ROUTE_MAX_BYTES.');
  }
  const method = call.request.method ?? 'GET';
  if (route.destination === 'models') {
    answerModels(ports.providers, ports.knownModels, method, relay);
    return;
  }
  const createdAt = Math.floor(call.openedAt / 1000);
  answerEcho({ method, path: route.path, body: outgoing.whole, createdAt }, relay);
}

/** The body as it goes out: with `provider/model` only the bytes of the model's name change. */
function applyModel(route: Route, body: RequestBody, providers: ProviderTable): { route: Route; outgoing: RequestBody } {
  if (!route.routedByModel || !('whole' in body)) return { route, outgoing: body };
  const field = findModelField(body.whole);
  const byModel = field === undefined ? undefined : routeByModel(route, field.text, providers);
  if (field === undefined || byModel === undefined) return { route, outgoing: body };
  return { route: byModel.route, outgoing: { whole: replaceModel(body.whole, field, byModel.model) } };
}

function wholeOrNone(body: Buffer): Buffer | null {
  return body.length === 0 ? null : body;
}

/** A client that waits to be asked for its body is asked only once nothing on its head speaks against it. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect);
}

function hasLeft({ request, response }: Call): boolean {
  return response.destroyed || request.socket.destroyed;
}

/** Opens the record. Without an errand the call goes nowhere. */
function openCall(ports: ForwardPorts, admitted: AdmittedCall, provider: string, errand?: Errand): OpenCall {
  const { call, admission, identity } = admitted;
  const { request, response } = call;
  const { principal } = admission;
  const target = errand?.target;
  const open: ExchangeOpen = {
    version: 1,
    requestId: identity.requestId,
    organizationId: principal.organizationId,
    keyHash: principal.keyHash,
    openedAt: call.openedAt,
    method: request.method ?? 'GET',
    path: withoutSecrets(call.path),
    provider,
    targetUrl: target === undefined ? '' : withoutSecrets(target.origin + target.path),
    headers: call.head.recorded,
    tags: call.head.directives.tags,
    reserved: errand?.grant?.reserved === true ? true : undefined,
  };
  const recorded = ports.hasSpoolRoom();
  if (!recorded) ports.observe({ kind: 'exchange_not_recorded', reason: 'the spool is full' });
  const { monotonic } = ports.clock;
  const recorder = new ExchangeRecorder(
    { writer: ports.spool, bodyMaxBytes: ports.limits.recordMaxBytes, monotonic, startedAt: call.startedAt },
    open,
    recorded,
  );
  const isUnread = errand !== undefined && wantsUsage(call, errand.route) && !('whole' in errand.outgoing);
  const named = errand?.grant === undefined ? identity.replyHeaders : [...identity.replyHeaders, ...errand.grant.lines];
  const replyHeaders = isUnread ? [...named, 'svc-warning', usageNotAsked] : named;
  const hidesUsage = errand?.usageAsked === true;
  return { call, recorder, relay: new Relay({ response, recorder, method: open.method, replyHeaders, hidesUsage }) };
}

const usageNotAsked =
  'Svc-Stream-Usage was not applied: the body is compressed or over GATELOG_ROUTE_MAX_BYTES; ask in the body (stream_options.include_usage)';

/** Answers a call of an accepted key that reaches no provider; of our answers only a 401 is not on record. */
function refuseRecorded(ports: ForwardPorts, admitted: AdmittedCall, provider: string, error: unknown): void {
  const refusal = asRefusal(ports, error);
  if (refusal.status !== 401) {
    const limited = refusal instanceof LimitReached ? withLines(admitted, refusal.lines) : admitted;
    refuseOpen(ports, openCall(ports, limited, provider), refusal);
    return;
  }
  const { request, response } = admitted.call;
  request.resume();
  refuseUnrecorded(response, refusal, admitted.identity.replyHeaders);
}

function withLines(admitted: AdmittedCall, lines: readonly string[]): AdmittedCall {
  const { identity } = admitted;
  return { ...admitted, identity: { ...identity, replyHeaders: [...identity.replyHeaders, ...lines] } };
}

function refuseOpen(ports: ForwardPorts, { call, relay }: OpenCall, error: unknown): void {
  // What the client still sends is read away, so that it gets to read the answer and to use the connection again.
  call.request.resume();
  relay.refuse(asRefusal(ports, error));
}

/** Answers a caller without an accepted key; nothing of it is recorded, yet the reply carries an identifier. */
function refuseStranger(ports: ForwardPorts, { response, openedAt }: Pick<Call, 'response' | 'openedAt'>, error: unknown): void {
  refuseUnrecorded(response, asRefusal(ports, error), ['svc-id', makeRequestId('' as OrganizationId, openedAt)]);
}

function asRefusal(ports: ForwardPorts, error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  ports.observe({ kind: 'call_failed', reason: messageOf(error) });
  return new GatelogError('internal', 'The gateway failed on this call.', { cause: error });
}
