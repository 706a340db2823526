import type { ServerResponse } from 'node:http';
import { GatelogError } from '../../model/errors.ts';
import { may, type Principal } from '../../model/principal.ts';
import type { AuthenticatedCall, Call } from '../call/call.ts';
import { authenticate, type Authentication, type AuthFailure, withoutOurKeys } from '../credentials/credentials.ts';
import { readRequestHead } from '../directives/request-head.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { checkDeclaredBody, expectsContinue } from '../http/request-body.ts';
import { policiesOf } from '../limits/call-limits.ts';
import { answerLog } from '../intake/logs.ts';
import type { ForwardPorts } from '../call/ports.ts';
import { identify } from '../record/identify.ts';
import { originForm, type Route, routeByPath, routeToTarget } from '../routing/routes.ts';
import { answerSpans } from '../intake/spans.ts';

/** A request whose headers have not been read. */
export interface Arrival {
  readonly request: IncomingRequest;
  readonly response: ServerResponse;
  readonly openedAt: number;
  readonly startedAt: number;
}

/** Reads our headers. @throws GatelogError `malformed_request`. */
export function readCall({ agentSessions }: ForwardPorts, { request, response, openedAt, startedAt }: Arrival): Call {
  const head = readRequestHead(request.rawHeaders, agentSessions);
  const path = withoutOurKeys(originForm(request.url ?? '/'));
  return { request, response, openedAt, startedAt, path, head, bodyReservation: undefined };
}

/** Synchronous when the verifier is. @throws GatelogError for credentials that cannot be read. */
export function verify(
  { credentials, verifyKey }: ForwardPorts,
  { request, head }: Call,
): Authentication | AuthFailure | Promise<Authentication | AuthFailure> {
  return authenticate(credentials.read(request.socket, head.credentials, head.directives.auth), verifyKey);
}

/** @throws GatelogError for a key that is not valid or may not send, and beyond the calls that its organisation may have at once. */
export function authorize(ports: ForwardPorts, { request }: Call, verdict: Authentication | AuthFailure): Authentication {
  if ('rejectedKey' in verdict) {
    // Counts the failed attempt against the client's address.
    throw ports.failedKeys.reject(ports.clientAddressOf(request), ports.explainRejection(verdict.rejectedKey));
  }
  if (!may(verdict.principal, 'send')) {
    throw new GatelogError('permission_denied', 'This key may not send requests (permission "r"). Use a key with permission "w" or "rw".');
  }
  // Not on record: a limit whose every rejection writes a record would limit nothing.
  ports.callsInFlight.assign(verdict.principal.organizationId, request);
  return verdict;
}

/** Takes what is no call, but tells of calls that went elsewhere. @returns false for a call. */
export function takesLogOrSpans(ports: ForwardPorts, call: Call, principal: Principal): boolean {
  // Most calls are chats.
  return !call.path.startsWith('/v1/chat/') && (answerLog(ports, call, principal) || answerSpans(ports, call, principal));
}

/** From here on the call is on record. */
export function identifyCall(ports: ForwardPorts, call: Call, admission: Authentication): AuthenticatedCall {
  const { directives } = call.head;
  const policies = policiesOrRefusal(ports, call, admission);
  const isRefused = policies instanceof GatelogError;
  return {
    call,
    admission,
    identity: identify(ports, directives, admission.principal.organizationId, call.openedAt),
    admittedAt: ports.clock.monotonic(),
    policies: isRefused ? [] : policies,
    refusal: directives.refusal ?? (isRefused ? policies : undefined),
  };
}

/** @returns why the limits are not known: the key is valid, so this rejection is on record too. */
function policiesOrRefusal(
  { callLimits }: ForwardPorts,
  { head }: Call,
  { principal }: Authentication,
): AuthenticatedCall['policies'] | GatelogError {
  try {
    return policiesOf(callLimits, principal, head.directives);
  } catch (error) {
    if (error instanceof GatelogError) return error;
    throw error;
  }
}

/** Routes by the headers and the path; the body's model may lead elsewhere. @throws GatelogError for an address that is none. */
export function routeByHead({ providers, targets }: ForwardPorts, { request, path, head }: Call): Route {
  const { targetUrl, attempts } = head.directives;
  const first = attempts?.targets?.[0];
  if (first !== undefined) return routeToTarget(first.targetUrl, path, targets, `${first.path}.target-url`);
  if (targetUrl !== undefined) return routeToTarget(targetUrl, path, targets);
  return routeByPath(request.method ?? 'GET', path, providers, head.client);
}

/** Asks for the body of a client that waits for leave to send it. @throws GatelogError for a head or a declared body that is refused. */
export function checkHead({ limits }: ForwardPorts, { call, refusal }: AuthenticatedCall): void {
  if (refusal !== undefined) throw refusal;
  checkDeclaredBody(call.request, limits.requestMaxBytes);
  if (expectsContinue(call.request)) call.response.writeContinue();
}
