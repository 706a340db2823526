import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatelogError } from '../model/errors.ts';
import { may } from '../model/principal.ts';
import { needsBody, policiesOf } from './call-limits.ts';
import { type AdmittedCall, type Call, type ForwardPorts, hasLeft, type OpenCall } from './call.ts';
import { admit, type Admission, type Rejection, withoutOurKeys } from './credentials.ts';
import { runAttempts } from './attempts.ts';
import { sendTo } from './dispatch.ts';
import { prepare } from './errand.ts';
import { identify } from './identify.ts';
import { openCall, refuseOpen, refuseRecorded, refuseStranger } from './open-call.ts';
import { applyModel, wantsUsage } from './outgoing-body.ts';
import { checkDeclaredBody, checkSize, mayBeJson, readBody, type RequestBody } from './request-body.ts';
import { readRequestHead } from './request-head.ts';
import { customProviderName, originForm, type Route, routeByPath, routeToTarget } from './routes.ts';

/**
 * Forwards one call. The stages in order: read our headers, admit the key, give the identifier, route, read the body, ask the limits, open the
 * record, send to the provider (in several attempts where that was asked for), relay the reply. A failure before the key is accepted, and a key that may
 * not send, are answered without a record; after that everything is on record.
 */
export function forward(ports: ForwardPorts, request: IncomingMessage, response: ServerResponse): void {
  const openedAt = ports.clock.now();
  const startedAt = ports.clock.monotonic();
  const refuse = (error: unknown): void => refuseStranger(ports, { response, openedAt, startedAt }, error);
  try {
    const head = readRequestHead(request.rawHeaders);
    const call: Call = { request, response, openedAt, startedAt, path: withoutOurKeys(originForm(request.url ?? '/')), head };
    const admission = admit(ports.credentials.read(request.socket, head.credentials, head.directives.auth), ports.verifyKey);
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
    // What may be sent again has to be held, be it JSON or not.
    const holdsBody = typeof route.destination === 'string' || directives.attempts !== undefined;
    const readsBody = holdsBody || (readsJson && mayBeJson(request));
    const wholeMaxBytes = readsBody ? Math.min(ports.limits.routeMaxBytes, ports.limits.requestMaxBytes) : 0;
    readBody(request, wholeMaxBytes, (body) => send(ports, admitted, route, body));
  } catch (error) {
    refuseRecorded(ports, admitted, provider, error);
  }
}

/** The body is here, or on its way: decide the provider for good, ask the limits, open the record, send. */
function send(ports: ForwardPorts, admitted: AdmittedCall, pathRoute: Route, body: RequestBody): void {
  const readyAt = ports.clock.monotonic();
  let open: OpenCall | undefined;
  let { provider } = pathRoute;
  try {
    if ('begun' in body) checkSize(body.begun, ports.limits.requestMaxBytes);
    const addressed = applyModel(pathRoute, body, ports.providers);
    ({ provider } = addressed.route);
    const errand = prepare(ports, admitted, { pathRoute, body }, addressed);
    open = openCall(ports, admitted, provider, errand);
    open.recorder.begin('whole' in body ? body.whole : undefined);
    open.relay.overheadMs = admitted.admittedAt - admitted.call.startedAt + ports.clock.monotonic() - readyAt;
    if (hasLeft(admitted.call)) open.relay.clientLeft();
    else if (errand.onward === undefined) sendTo(ports, open, errand, open.relay);
    else runAttempts(ports, open, errand, errand.onward);
  } catch (error) {
    if (open === undefined) refuseRecorded(ports, { ...admitted, waitedMs: readyAt - admitted.admittedAt }, provider, error);
    else refuseOpen(ports, open, error);
  }
}

/** A client that waits to be asked for its body is asked only once nothing on its head speaks against it. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect);
}
