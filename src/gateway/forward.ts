import type { ServerResponse } from 'node:http';
import { GatelogError } from '../model/errors.ts';
import { may, type Principal } from '../model/principal.ts';
import { isToBeSigned } from './credentials/amazon.ts';
import { rememberShape, scannedInlineMaxBytes } from './bodies/shape.ts';
import { needsBody, policiesOf } from './limits/call-limits.ts';
import { type AuthenticatedCall, type Call, type RequestPlan, isDisconnected, type RecordedCall } from './call.ts';
import type { ForwardPorts } from './ports.ts';
import { authenticate, type Authentication, type AuthFailure, withoutOurKeys } from './credentials/credentials.ts';
import { runAttempts } from './retry/attempts.ts';
import { lookUpCache, releaseLease, captureForCache } from './cache/lookup.ts';
import { sendTo } from './dispatch.ts';
import { planRequest, bodiesToParse, withLimits } from './plan.ts';
import { countCopies, dropReceived, isCounted, openHold, readHeldBody } from './bodies/hold.ts';
import { bodyOwnerOf } from './bodies/threads.ts';
import { identify } from './record/identify.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import { beginExchange, rejectOpen, rejectRecorded, rejectUnauthenticated } from './exchange.ts';
import { routeByModel, wantsStreamUsage } from './routing/outgoing-body.ts';
import {
  checkDeclaredBody,
  checkSize,
  declaredLength,
  expectsContinue,
  mayBeJson,
  readBody,
  type RequestBody,
} from './http/request-body.ts';
import { respond } from './upstream/response-sink.ts';
import { readRequestHead } from './directives/request-head.ts';
import { answerLog } from './logs.ts';
import { answerSpans } from './spans.ts';
import { findStoredPrompt, promptNotFilledIn, taggedWith } from './bodies/stored-prompt.ts';
import { customProviderName, originForm, type Route, routeByPath, routeToTarget } from './routing/routes.ts';

/**
 * Forwards one call. The stages: read our headers, authenticate, identify, route, read the body, look up the cache, check the limits, begin
 * the record, send to the provider (in several attempts if requested), relay the response. A call is rejected without a record until its
 * key is verified and may send; after that everything is on record.
 */
export function forward(ports: ForwardPorts, request: IncomingRequest, response: ServerResponse): void {
  const openedAt = ports.clock.now();
  const startedAt = ports.clock.monotonic();
  let aliased = false;
  const refuse = (error: unknown): void => rejectUnauthenticated(ports, { response, openedAt, startedAt, aliased }, error);
  try {
    const head = readRequestHead(request.rawHeaders, ports.agentSessions);
    ({ aliased } = head.directives);
    const call: Call = {
      request,
      response,
      openedAt,
      startedAt,
      path: withoutOurKeys(originForm(request.url ?? '/')),
      head,
      hold: undefined,
    };
    const admission = authenticate(ports.credentials.read(request.socket, head.credentials, head.directives.auth), ports.verifyKey);
    if (admission instanceof Promise) admission.then((found) => enter(ports, call, found)).catch(refuse);
    else enter(ports, call, admission);
  } catch (error) {
    refuse(error);
  }
}

function enter(ports: ForwardPorts, call: Call, admission: Authentication | AuthFailure): void {
  if ('rejectedKey' in admission) {
    // Counts the failed attempt against the client's address.
    throw ports.failedKeys.reject(call.request.socket.remoteAddress, ports.explainRejection(admission.rejectedKey));
  }
  if (!may(admission.principal, 'send')) {
    throw new GatelogError('permission_denied', 'This key may not send requests (permission "r"). Use a key with permission "w" or "rw".');
  }
  const { request, response } = call;
  // Not on record: a limit whose every rejection writes a record would limit nothing.
  ports.callsInFlight.assign(admission.principal.organizationId, request);
  // Most calls are chats.
  if (!call.path.startsWith('/v1/chat/') && isTaken(ports, call, admission.principal)) return;
  const { directives } = call.head;
  let policies: AuthenticatedCall['policies'] = [];
  let unknownLimits: GatelogError | undefined;
  try {
    policies = policiesOf(ports.callLimits, admission.principal, directives);
  } catch (error) {
    if (!(error instanceof GatelogError)) throw error;
    // The key is valid, so this rejection is on record too.
    unknownLimits = error;
  }
  const identity = identify(ports, directives, admission.principal.organizationId, call.openedAt);
  const admitted: AuthenticatedCall = { call, admission, identity, admittedAt: ports.clock.monotonic(), policies };
  let provider = customProviderName;
  try {
    const route = routeOf(ports, call);
    ({ provider } = route);
    if (directives.refusal !== undefined) throw directives.refusal;
    if (unknownLimits !== undefined) throw unknownLimits;
    checkDeclaredBody(request, ports.limits.requestMaxBytes);
    if (expectsContinue(request)) response.writeContinue();
    const wholeMaxBytes = Math.min(wholeBytes(ports, admitted, route), ports.limits.requestMaxBytes);
    if (isCounted(request, wholeMaxBytes)) holdThenSend(ports, admitted, route, wholeMaxBytes);
    else readBody(request, wholeMaxBytes, (body) => send(ports, admitted, route, body));
  } catch (error) {
    rejectRecorded(ports, admitted, provider, error);
  }
}

/** Whether it is no call, but tells of calls that went elsewhere. */
function isTaken(ports: ForwardPorts, call: Call, principal: Principal): boolean {
  return answerLog(ports, call, principal) || answerSpans(ports, call, principal);
}

function routeOf({ providers, targets }: ForwardPorts, { request, path, head }: Call): Route {
  const { targetUrl, attempts } = head.directives;
  const first = attempts?.targets?.[0];
  if (first !== undefined) return routeToTarget(first.targetUrl, path, targets, `${first.path}.target-url`);
  if (targetUrl !== undefined) return routeToTarget(targetUrl, path, targets);
  return routeByPath(request.method ?? 'GET', path, providers, head.client);
}

/** A body that is declared to have up to this size is held where there is memory for it, in case its connection to the provider is stale. */
const repeatableMaxBytes = scannedInlineMaxBytes;

/** Up to which size the body is buffered. */
function wholeBytes({ limits }: ForwardPorts, admitted: AuthenticatedCall, route: Route): number {
  if (needsWhole(admitted, route)) return limits.routeMaxBytes;
  // TRICKY: where the model decides, it would be looked for in what is no JSON too.
  if (route.routedByModel) return 0;
  const length = declaredLength(admitted.call.request);
  return length === undefined || length > repeatableMaxBytes ? 0 : Math.min(repeatableMaxBytes, limits.routeMaxBytes);
}

/** Whether the body is buffered before the call goes on, unless it is too large. */
function needsWhole(admitted: AuthenticatedCall, route: Route): boolean {
  const { call } = admitted;
  // A body that may be sent again is buffered, be it JSON or not.
  if (call.head.directives.attempts !== undefined || cannotPass(admitted, route)) return true;
  return wantsStreamUsage(call, route) && mayBeJson(call.request);
}

/** Whether the call cannot be made without its buffered body; other calls fall back to streaming it. */
function cannotPass({ call, policies }: AuthenticatedCall, route: Route): boolean {
  const { directives } = call.head;
  if (typeof route.destination === 'string' || directives.cache !== undefined || isToBeSigned(call.head, route)) return true;
  // Each listed target may have a body of its own.
  if (directives.attempts?.targets !== undefined) return true;
  return (route.routedByModel || (policies.length > 0 && needsBody(policies, directives))) && mayBeJson(call.request);
}

/** Reads a body that is not small once there is memory for it. */
function holdThenSend(ports: ForwardPorts, admitted: AuthenticatedCall, route: Route, wholeMaxBytes: number): void {
  const { call, admission } = admitted;
  const isEdited = route.routedByModel || wantsStreamUsage(call, route);
  const copies = call.head.directives.attempts === undefined ? 1 + Number(isEdited) : 3;
  const hold = openHold(ports.heldBodies, call, admission.principal.organizationId);
  readHeldBody(call.request, { hold, wholeMaxBytes, copies, isNeeded: cannotPass(admitted, route) }, (body) => {
    if (!(body instanceof GatelogError)) scanThenSend(ports, admitted, route, body);
    else rejectRecorded(ports, afterWait(admitted, ports.clock.monotonic()), route.provider, body);
  });
}

/** Scans a large body in a thread. Later searches in it use the result. */
function scanThenSend(ports: ForwardPorts, admitted: AuthenticatedCall, route: Route, body: RequestBody): void {
  if (!('whole' in body) || body.whole.length <= scannedInlineMaxBytes) {
    send(ports, admitted, route, body);
    return;
  }
  ports.largeBodies.shape(bodyOwnerOf(admitted.admission.principal.organizationId, admitted.call), body.whole).then(
    (shape) => {
      rememberShape(body.whole, shape);
      send(ports, admitted, route, body);
    },
    (error: unknown) => rejectRecorded(ports, afterWait(admitted, ports.clock.monotonic(), { body }), route.provider, error),
  );
}

/** Goes on now, or in a later tick where this one has spent its time for calls. */
function send(ports: ForwardPorts, admitted: AuthenticatedCall, pathRoute: Route, body: RequestBody): void {
  const { clock, scheduler } = ports;
  const readyAt = clock.monotonic();
  const arrived: ReadyBody = { body, readyAt };
  if (scheduler.hasTime(readyAt)) sendNow(ports, admitted, pathRoute, arrived);
  else scheduler.later(admitted.admission.principal.organizationId, () => sendNow(ports, admitted, pathRoute, arrived));
}

/** Decides the provider, and reads what the limits need of the body. Never throws. */
function sendNow(ports: ForwardPorts, admitted: AuthenticatedCall, pathRoute: Route, arrived: ReadyBody): void {
  const { body: received, readyAt } = arrived;
  const { organizationId } = admitted.admission.principal;
  let { provider } = pathRoute;
  const refuse = (error: unknown): void => rejectRecorded(ports, afterWait(admitted, readyAt, { body: received }), provider, error);
  try {
    if ('begun' in received) checkSize(received.begun, ports.limits.requestMaxBytes);
    const prompt = pathRoute.routedByModel && 'whole' in received ? findStoredPrompt(received.whole) : undefined;
    const body = prompt === undefined ? received : { whole: prompt.body };
    const known = prompt === undefined ? admitted : taggedWith(admitted, prompt);
    const { providerCredentials: credentials } = admitted.admission;
    const addressed = routeByModel({ route: pathRoute, organizationId, credentials }, body, ports);
    ({ provider } = addressed.route);
    const prepared = planRequest(ports, known, { pathRoute, body }, addressed);
    const plan = prompt === undefined ? prepared : { ...prepared, warnings: [...prepared.warnings, promptNotFilledIn] };
    const { hold } = admitted.call;
    if (hold !== undefined) countCopies(hold, received, plan);
    const bodies = bodiesToParse(known, plan);
    if (bodies === undefined || !('whole' in plan.outgoing)) {
      lookUpThenCarryOut(ports, known, plan, arrived);
      return;
    }
    // An override replaces members of the caller's own body, which is the one to read.
    const read = plan.bodyOverride !== undefined && 'whole' in body ? body.whole : plan.outgoing.whole;
    ports.largeBodies
      .facts(bodyOwnerOf(organizationId, admitted.call), read, bodies)
      .then((facts) => lookUpThenCarryOut(ports, known, { ...plan, billedFacts: facts.map((each) => ({ facts: each })) }, arrived))
      .catch(refuse);
  } catch (error) {
    refuse(error);
  }
}

function lookUpThenCarryOut(ports: ForwardPorts, admitted: AuthenticatedCall, plan: RequestPlan, { body, readyAt }: ReadyBody): void {
  const policy = admitted.call.head.directives.cache;
  if (policy === undefined) {
    carryOut(ports, admitted, plan, { body, readyAt });
    return;
  }
  const ready = (planned: RequestPlan, hasWaited: boolean): void => {
    if (!hasWaited) carryOut(ports, admitted, planned, { body, readyAt });
    else resumeAfterWait(ports, admitted, planned, body);
  };
  const failed = (error: unknown): void => {
    rejectRecorded(ports, afterWait(admitted, readyAt, { body, plan }), plan.route.provider, error);
  };
  lookUpCache(ports, { admitted, plan, policy }, { ready, failed });
}

/** One response may release many waiting calls in the same tick. */
function resumeAfterWait(ports: ForwardPorts, admitted: AuthenticatedCall, planned: RequestPlan, body: RequestBody): void {
  const { clock, scheduler } = ports;
  const readyAt = clock.monotonic();
  const resume = (): void => carryOut(ports, admitted, planned, { body, readyAt });
  if (scheduler.hasTime(readyAt)) resume();
  else scheduler.later(admitted.admission.principal.organizationId, resume);
}

interface ReadyBody {
  /** As the caller sent it, and as it is recorded. */
  readonly body: RequestBody;
  /** Monotonic time at which the last wait (for the body, or the cache) ended. */
  readonly readyAt: number;
}

/** Checks the limits, begins the record, then responds from the cache or sends. Never throws. */
function carryOut(ports: ForwardPorts, admitted: AuthenticatedCall, prepared: RequestPlan, { body, readyAt }: ReadyBody): void {
  const { provider } = prepared.route;
  let open: RecordedCall | undefined;
  try {
    const plan = withLimits(ports, admitted, prepared);
    open = beginExchange(ports, admitted, provider, plan);
    open.recorder.begin('whole' in body ? body.whole : undefined);
    const { hold } = admitted.call;
    if (hold !== undefined) dropReceived(hold, plan);
    open.relay.overheadMs = admitted.admittedAt - admitted.call.startedAt + ports.clock.monotonic() - readyAt;
    if (plan.cache !== undefined) open = captureForCache(ports, admitted, open, plan);
    if (isDisconnected(admitted.call)) open.relay.onClientDisconnect();
    else if (plan.cache?.kind === 'hit') respond(open.sink, plan.cache.response);
    else if (plan.retryPlan === undefined) sendTo(ports, open, plan, open.sink);
    else runAttempts(ports, open, plan, plan.retryPlan);
  } catch (error) {
    releaseLease(prepared);
    if (open !== undefined) rejectOpen(ports, open, error);
    else rejectRecorded(ports, afterWait(admitted, readyAt, { body, plan: prepared }), provider, error);
  }
}

/** A call that is rejected after it waited for its body until `readyAt`. */
function afterWait(admitted: AuthenticatedCall, readyAt: number, refused?: AuthenticatedCall['refused']): AuthenticatedCall {
  const waited = { ...admitted, waitedMs: readyAt - admitted.admittedAt };
  return refused === undefined ? waited : { ...waited, refused };
}
