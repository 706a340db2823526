import type { ServerResponse } from 'node:http';
import { GatelogError } from '../model/errors.ts';
import { may } from '../model/principal.ts';
import { isToBeSigned } from './credentials/amazon.ts';
import { rememberShape, scannedInlineMaxBytes } from './bodies/shape.ts';
import { needsBody, policiesOf } from './limits/call-limits.ts';
import { type AuthenticatedCall, type Call, type RequestPlan, type ForwardPorts, isDisconnected, type RecordedCall } from './call.ts';
import { authenticate, type Authentication, type AuthFailure, withoutOurKeys } from './credentials/credentials.ts';
import { runAttempts } from './retry/attempts.ts';
import { lookUpCache, releaseLease, captureForCache } from './cache/lookup.ts';
import { sendTo } from './dispatch.ts';
import { planRequest, waysToRead, withLimits } from './plan.ts';
import { countCopies, dropReceived, isCounted, openHold, readHeldBody } from './bodies/hold.ts';
import { askerOf } from './bodies/threads.ts';
import { identify } from './record/identify.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import { beginExchange, rejectOpen, rejectRecorded, rejectUnauthenticated } from './exchange.ts';
import { routeByModel, wantsStreamUsage } from './routing/outgoing-body.ts';
import { checkDeclaredBody, checkSize, mayBeJson, readBody, type RequestBody } from './http/request-body.ts';
import { respond } from './upstream/response-sink.ts';
import { readRequestHead } from './directives/request-head.ts';
import { findStoredPrompt, promptNotFilledIn, taggedWith } from './bodies/stored-prompt.ts';
import { customProviderName, originForm, type Route, routeByPath, routeToTarget } from './routing/routes.ts';

/**
 * Forwards one call. The stages in order: read our headers, admit the key, give the identifier, route, read the body, look into the cache, ask
 * the limits, open the record, send to the provider (in several attempts where that was asked for), relay the reply. A failure before the key is
 * accepted, and a key that may not send, are answered without a record; after that everything is on record.
 */
export function forward(ports: ForwardPorts, request: IncomingRequest, response: ServerResponse): void {
  const openedAt = ports.clock.now();
  const startedAt = ports.clock.monotonic();
  let aliased = false;
  const refuse = (error: unknown): void => rejectUnauthenticated(ports, { response, openedAt, startedAt, aliased }, error);
  try {
    const head = readRequestHead(request.rawHeaders);
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

/** The key is known; once it may send there is an identifier and a record. */
function enter(ports: ForwardPorts, call: Call, admission: Authentication | AuthFailure): void {
  if ('rejectedKey' in admission) throw rejectionOf(ports, call, admission.rejectedKey);
  if (!may(admission.principal, 'send')) {
    throw new GatelogError('permission_denied', 'This key may not send requests (permission "r"). Use a key with permission "w" or "rw".');
  }
  const { request, response } = call;
  // Not on record: what writes a record for each refusal is no bound.
  ports.callsInFlight.belongsTo(admission.principal.organizationId, request);
  const { directives } = call.head;
  let policies: AuthenticatedCall['policies'] = [];
  let unknownLimits: GatelogError | undefined;
  try {
    policies = policiesOf(ports.callLimits, admission.principal, directives);
  } catch (error) {
    if (!(error instanceof GatelogError)) throw error;
    // The key was accepted, so its refusal is on record too.
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
    const wholeMaxBytes = needsWhole(admitted, route) ? Math.min(ports.limits.routeMaxBytes, ports.limits.requestMaxBytes) : 0;
    if (isCounted(request, wholeMaxBytes)) holdThenSend(ports, admitted, route, wholeMaxBytes);
    else readBody(request, wholeMaxBytes, (body) => send(ports, admitted, route, body));
  } catch (error) {
    rejectRecorded(ports, admitted, provider, error);
  }
}

/** Where a call goes first, by its path or by the address that its caller names. @throws as the ways to routes do. */
function routeOf({ providers, targets }: ForwardPorts, { request, path, head }: Call): Route {
  const { targetUrl, attempts } = head.directives;
  const first = attempts?.targets?.[0];
  if (first !== undefined) return routeToTarget(first.targetUrl, path, targets, `${first.path}.target-url`);
  if (targetUrl !== undefined) return routeToTarget(targetUrl, path, targets);
  return routeByPath(request.method ?? 'GET', path, providers, head.speaksAnthropic);
}

/** Whether a call's body is to be here before it goes on, as long as it is not too large for that. */
function needsWhole(admitted: AuthenticatedCall, route: Route): boolean {
  const { call } = admitted;
  // What may be sent again has to be held, be it JSON or not.
  if (call.head.directives.attempts !== undefined || cannotPass(admitted, route)) return true;
  return wantsStreamUsage(call, route) && mayBeJson(call.request);
}

/** Whether a call would be another one without its body: what is held for any other reason may go on without that. */
function cannotPass({ call, policies }: AuthenticatedCall, route: Route): boolean {
  const { directives } = call.head;
  // What is compared with other calls has to be held, be it JSON or not.
  if (typeof route.destination === 'string' || directives.cache !== undefined || isToBeSigned(call.head, route)) return true;
  // Each of its caller's places may have a body of its own.
  if (directives.attempts?.targets !== undefined) return true;
  return (route.routedByModel || (policies.length > 0 && needsBody(policies, directives))) && mayBeJson(call.request);
}

/** A body that is not small is read when there is room for it. */
function holdThenSend(ports: ForwardPorts, admitted: AuthenticatedCall, route: Route, wholeMaxBytes: number): void {
  const { call, admission } = admitted;
  const isEdited = route.routedByModel || wantsStreamUsage(call, route);
  const copies = call.head.directives.attempts === undefined ? 1 + Number(isEdited) : 3;
  const hold = openHold(ports, call, admission.principal.organizationId);
  readHeldBody(call.request, { hold, wholeMaxBytes, copies, isNeeded: cannotPass(admitted, route) }, (body) => {
    if (!(body instanceof GatelogError)) scanThenSend(ports, admitted, route, body);
    else rejectRecorded(ports, { ...admitted, waitedMs: ports.clock.monotonic() - admitted.admittedAt }, route.provider, body);
  });
}

/** A large body is gone through beside the loop that all calls share; what is looked for in it later is known then. */
function scanThenSend(ports: ForwardPorts, admitted: AuthenticatedCall, route: Route, body: RequestBody): void {
  if (!('whole' in body) || body.whole.length <= scannedInlineMaxBytes) {
    send(ports, admitted, route, body);
    return;
  }
  ports.largeBodies.shape(askerOf(admitted.admission.principal.organizationId, admitted.call), body.whole).then(
    (shape) => {
      rememberShape(body.whole, shape);
      send(ports, admitted, route, body);
    },
    (error: unknown) => {
      const waitedMs = ports.clock.monotonic() - admitted.admittedAt;
      rejectRecorded(ports, { ...admitted, waitedMs, refused: { body } }, route.provider, error);
    },
  );
}

/** The body is here, or on its way: the call goes on, in a later turn of the event loop where this one had its time for calls. */
function send(ports: ForwardPorts, admitted: AuthenticatedCall, pathRoute: Route, body: RequestBody): void {
  const { clock, turns } = ports;
  const readyAt = clock.monotonic();
  const arrived: Arrived = { body, readyAt };
  if (turns.hasTime(readyAt)) sendNow(ports, admitted, pathRoute, arrived);
  else turns.later(admitted.admission.principal.organizationId, () => sendNow(ports, admitted, pathRoute, arrived));
}

/** Decides the provider for good, reads what limits have to know of the body, and goes on. Never throws. */
function sendNow(ports: ForwardPorts, admitted: AuthenticatedCall, pathRoute: Route, arrived: Arrived): void {
  const { body: received, readyAt } = arrived;
  const { organizationId } = admitted.admission.principal;
  let { provider } = pathRoute;
  const refuse = (error: unknown): void =>
    rejectRecorded(ports, { ...admitted, waitedMs: readyAt - admitted.admittedAt, refused: { body: received } }, provider, error);
  try {
    if ('begun' in received) checkSize(received.begun, ports.limits.requestMaxBytes);
    const prompt = pathRoute.routedByModel && 'whole' in received ? findStoredPrompt(received.whole) : undefined;
    const body = prompt === undefined ? received : { whole: prompt.body };
    const known = prompt === undefined ? admitted : taggedWith(admitted, prompt);
    const addressed = routeByModel({ route: pathRoute, organizationId }, body, ports);
    ({ provider } = addressed.route);
    const prepared = planRequest(ports, known, { pathRoute, body }, addressed);
    const plan = prompt === undefined ? prepared : { ...prepared, warnings: [...prepared.warnings, promptNotFilledIn] };
    const { hold } = admitted.call;
    if (hold !== undefined) countCopies(hold, received, plan);
    const ways = waysToRead(known, plan);
    if (ways === undefined || !('whole' in plan.outgoing)) {
      askThenCarryOut(ports, known, plan, arrived);
      return;
    }
    // What an override says stands in place of members of the caller's own body.
    const read = plan.bodyOverride !== undefined && 'whole' in body ? body.whole : plan.outgoing.whole;
    ports.largeBodies
      .facts(askerOf(organizationId, admitted.call), read, ways)
      .then((facts) => askThenCarryOut(ports, known, { ...plan, found: facts.map((each) => ({ facts: each })) }, arrived))
      .catch(refuse);
  } catch (error) {
    refuse(error);
  }
}

/** Looks into the cache, and carries the call out. */
function askThenCarryOut(ports: ForwardPorts, admitted: AuthenticatedCall, plan: RequestPlan, { body, readyAt }: Arrived): void {
  const ask = admitted.call.head.directives.cache;
  if (ask === undefined) {
    carryOut(ports, admitted, plan, { body, readyAt });
    return;
  }
  const ready = (asked: RequestPlan, hasWaited: boolean): void => {
    if (!hasWaited) carryOut(ports, admitted, asked, { body, readyAt });
    else goOnAfterWait(ports, admitted, asked, body);
  };
  const failed = (error: unknown): void => {
    const refused = { body, plan };
    rejectRecorded(ports, { ...admitted, waitedMs: readyAt - admitted.admittedAt, refused }, plan.route.provider, error);
  };
  lookUpCache(ports, { admitted, plan, ask }, { ready, failed });
}

/** What many calls waited for may come for all of them at once. */
function goOnAfterWait(ports: ForwardPorts, admitted: AuthenticatedCall, asked: RequestPlan, body: RequestBody): void {
  const { clock, turns } = ports;
  const readyAt = clock.monotonic();
  const goOn = (): void => carryOut(ports, admitted, asked, { body, readyAt });
  if (turns.hasTime(readyAt)) goOn();
  else turns.later(admitted.admission.principal.organizationId, goOn);
}

interface Arrived {
  /** As the caller sent it, which is what is recorded. */
  readonly body: RequestBody;
  /** Monotonic time since which nobody was waited for. */
  readonly readyAt: number;
}

/** All is known: ask the limits, open the record, answer from the cache or send. Never throws. */
function carryOut(ports: ForwardPorts, admitted: AuthenticatedCall, prepared: RequestPlan, { body, readyAt }: Arrived): void {
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
    else if (plan.onward === undefined) sendTo(ports, open, plan, open.sink);
    else runAttempts(ports, open, plan, plan.onward);
  } catch (error) {
    releaseLease(prepared);
    if (open !== undefined) rejectOpen(ports, open, error);
    else {
      const refused = { body, plan: prepared };
      rejectRecorded(ports, { ...admitted, waitedMs: readyAt - admitted.admittedAt, refused }, provider, error);
    }
  }
}

/** A key was not accepted: the address that it came from has one try less. */
function rejectionOf({ failedKeys, explainRejection }: ForwardPorts, { request }: Call, key: string): GatelogError {
  return failedKeys.answer(request.socket.remoteAddress, explainRejection(key));
}

/** A client that waits to be asked for its body is asked only once nothing on its head speaks against it. */
function expectsContinue({ headers, httpVersion }: IncomingRequest): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect);
}
