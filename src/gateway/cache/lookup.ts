import type { CacheKey } from '../../state/cached-responses.ts';
import type { CachePolicy } from '../directives/cache.ts';
import { encodedResponse, hitCodingFor, plainResponse } from './hit-response.ts';
import { CacheFill } from './fill.ts';
import { cacheKeyOf, cacheKeySteps, hashedInlineMaxBytes, type KeyedCall } from './key.ts';
import { type AuthenticatedCall, type Call, type RequestPlan, isDisconnected, type RecordedCall } from '../call.ts';
import type { ForwardPorts } from '../ports.ts';
import { outgoingCallOf, sentBodyOf } from '../plan.ts';
import { askerOf, inlineMaxBytes } from '../bodies/threads.ts';
import type { CacheResult, CacheHit, CacheQuery, SingleFlight } from './single-flight.ts';
import type { CacheStatus } from './status.ts';
import { isToldOnce } from '../routing/routes.ts';

interface CacheCall {
  readonly admitted: AuthenticatedCall;
  readonly plan: RequestPlan;
  readonly ask: CachePolicy;
}

/** `hasWaited`: for an equal call in flight, or for an encoder. */
interface CacheAsked {
  readonly ready: (plan: RequestPlan, hasWaited: boolean) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Looks a call up in the cache. `ready` is called once, with the plan and its cache status; synchronously unless the call has to wait or
 * its body is large. A disconnect ends the wait. Exceptions after this returns go to `failed`.
 */
export function lookUpCache(ports: ForwardPorts, asking: CacheCall, { ready, failed }: CacheAsked): void {
  const { admitted, plan: errand, ask } = asking;
  const { outgoing } = errand;
  const why = 'whole' in outgoing ? reasonAgainst(admitted.call, errand) : 'the request body is over GATELOG_ROUTE_MAX_BYTES';
  if (why !== undefined || !('whole' in outgoing)) {
    ready({ ...errand, cache: { kind: 'unused', why: why ?? '' } }, false);
    return;
  }
  const keyed = keyedCallOf(admitted, errand, outgoing.whole);
  const look = (key: CacheKey): void => lookFor(ports, asking, key, ready);
  if (outgoing.whole.length <= hashedInlineMaxBytes) look(cacheKeyOf(keyed, ask));
  else ports.turns.inSteps(keyed.organizationId, cacheKeySteps(keyed, ask), { done: look, failed });
}

function lookFor(ports: ForwardPorts, { admitted, plan: errand, ask }: CacheCall, key: CacheKey, ready: CacheAsked['ready']): void {
  const question = { key, maxAgeMs: ask.maxAgeMs };
  let hasWaited = false;
  const settle = (answer: CacheResult | undefined): void =>
    toCacheStatus(answer, admitted.call, (cache) => ready({ ...errand, cache }, hasWaited));
  if (!ask.reads) settle({ turn: ports.cache.refresh(question) });
  // max-age=0: nothing can be served from or kept in the cache, so do not wait.
  else if (ask.maxAgeMs === 0) settle('alone');
  else if (ask.keeps) askOrWait(ports.cache, admitted.call, question, settle);
  else settle(ports.cache.look(question));
  hasWaited = true;
}

function keyedCallOf({ call, admission }: AuthenticatedCall, { route, target, passed }: RequestPlan, body: Buffer): KeyedCall {
  return {
    organizationId: admission.principal.organizationId,
    method: methodOf(call),
    origin: target?.origin ?? route.provider,
    path: target?.path ?? route.path,
    headers: passed,
    body,
  };
}

/** Stops waiting when the caller disconnects. */
function askOrWait(cache: SingleFlight, { request }: Call, question: CacheQuery, settle: (answer?: CacheResult) => void): void {
  const { socket } = request;
  let isSettled = false;
  const leave = (): void => {
    stop();
    settle();
  };
  const stop = cache.ask(question, (answer) => {
    isSettled = true;
    socket.off('close', leave);
    settle(answer);
  });
  if (!isSettled) socket.once('close', leave);
}

function toCacheStatus(answer: CacheResult | undefined, call: Call, stand: (standing: CacheStatus) => void): void {
  if (answer === undefined || answer === 'alone') stand({ kind: 'miss', turn: undefined });
  else if ('turn' in answer) stand({ kind: 'miss', turn: answer.turn });
  else giveHit(answer, call.head.passed, stand);
}

function giveHit(found: CacheHit, passed: readonly string[], stand: (standing: CacheStatus) => void): void {
  const coding = hitCodingFor(found.hit, passed);
  const asItIs = (): void => stand({ kind: 'hit', found, response: plainResponse(found.hit) });
  if (coding === undefined) asItIs();
  else encodedResponse(found.hit, coding).then((response) => stand({ kind: 'hit', found, response }), asItIs);
}

/** Why the cache is not used although the caller asked for it; undefined: it is used. */
function reasonAgainst(call: Call, { route }: RequestPlan): string | undefined {
  const { requestBody, responseBody } = call.head.directives.tags;
  const method = methodOf(call);
  if (requestBody === 'never' || responseBody === 'never') return 'with Svc-Omit-Request or -Response: strict nothing may reach a disk';
  if (method !== 'POST') return `only replies to POST are kept, not to ${method}`;
  if (isToldOnce(route.destination)) return 'the gateway answers this itself';
  return undefined;
}

/** Captures the response of a call that has a lease; if the caller has disconnected, the lease passes to the next call. */
export function captureForCache(
  ports: ForwardPorts,
  { call, identity }: AuthenticatedCall,
  open: RecordedCall,
  plan: RequestPlan,
): RecordedCall {
  const { cache, tags } = call.head.directives;
  if (plan.cache?.kind !== 'miss' || plan.cache.turn === undefined || cache === undefined) return open;
  if (isDisconnected(call)) {
    releaseLease(plan);
    return open;
  }
  const cacheFill = new CacheFill({
    next: open.sink,
    turn: plan.cache.turn,
    abandon: () => open.relay.onClientDisconnect(),
    requestId: identity.requestId,
    userId: () => tags.userId ?? userOf(ports, open, plan),
    maxAgeMs: cache.maxAgeMs,
    maxResponseBytes: ports.limits.cachedResponseMaxBytes,
    clock: ports.clock,
  });
  return { ...open, sink: cacheFill, cacheFill };
}

/** The user named in the body. */
function userOf(ports: ForwardPorts, { call, organizationId }: RecordedCall, plan: RequestPlan): string | Promise<string> {
  const outgoing = outgoingCallOf(call, plan, plan.found?.[0]);
  const { body, found } = outgoing;
  if (found !== undefined || body === undefined || body.length <= inlineMaxBytes) return ports.callLimits.readUser(outgoing);
  return ports.largeBodies.facts(askerOf(organizationId, call), body, [sentBodyOf(plan)]).then(([facts]) => facts?.user ?? '');
}

/** For a call that is not sent: the next call gets its lease. */
export function releaseLease({ cache }: RequestPlan): void {
  if (cache?.kind === 'miss') cache.turn?.pass();
}

function methodOf({ request }: Call): string {
  return request.method ?? 'GET';
}
