import type { CacheKey } from '../../state/cached-responses.ts';
import type { CachePolicy } from '../directives/cache.ts';
import { encodedResponse, hitCodingFor, plainResponse } from '../cache/hit-response.ts';
import { CacheFill } from '../cache/fill.ts';
import { cacheKeyOf, cacheKeySteps, hashedInlineMaxBytes, type KeyedCall } from '../cache/key.ts';
import { type AuthenticatedCall, type Call, type RequestPlan, isDisconnected, type RecordedCall } from '../call/call.ts';
import type { ForwardPorts } from '../call/ports.ts';
import type { WaitFor } from './waits.ts';
import { estimatedRequestOf, sentBodyOf } from './plan.ts';
import { bodyOwnerOf, inlineMaxBytes } from '../bodies/threads.ts';
import type { CacheResult, CacheHit, CacheQuery, SingleFlight } from '../cache/single-flight.ts';
import type { CacheStatus } from '../cache/status.ts';
import { isNeverRepeated } from '../routing/routes.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { withMembersThatMayBe } from '../bodies/shape.ts';

interface CacheCall {
  readonly admitted: AuthenticatedCall;
  readonly plan: RequestPlan;
  readonly policy: CachePolicy;
}

export interface LookedUp {
  /** With its cache status. */
  readonly plan: RequestPlan;
  /** For an equal call in flight, or for an encoder. */
  readonly hasWaited: boolean;
}

/** Looks a call up in the cache: at once unless the call has to wait or its body is large. A disconnect ends the wait. */
export function lookUpCache(ports: ForwardPorts, admitted: AuthenticatedCall, plan: RequestPlan, policy: CachePolicy): WaitFor<LookedUp> {
  return (ready, fail) => {
    const { outgoing } = plan;
    const skip = (why: string): void => ready({ plan: { ...plan, cache: { kind: 'unused', why } }, hasWaited: false });
    if (!('buffered' in outgoing)) return skip('the request body is over GATELOG_ROUTE_MAX_BYTES');
    const why = reasonAgainst(admitted.call, plan);
    if (why !== undefined) return skip(why);
    const keyed = keyedCallOf(admitted, plan, outgoing.buffered);
    const find = (key: CacheKey): void => findResponse(ports, { admitted, plan, policy }, key, ready);
    if (outgoing.buffered.length <= hashedInlineMaxBytes) find(cacheKeyOf(keyed, policy));
    else ports.scheduler.inSteps(keyed.organizationId, cacheKeySteps(keyed, policy), { done: find, failed: fail });
  };
}

function findResponse(ports: ForwardPorts, { admitted, plan, policy }: CacheCall, key: CacheKey, ready: (found: LookedUp) => void): void {
  const query = { key, maxAgeMs: policy.maxAgeMs };
  let hasWaited = false;
  const settle = (result: CacheResult | undefined): void =>
    reportStatus(ports, result, admitted, (cache) => ready({ plan: { ...plan, cache }, hasWaited }));
  if (!policy.reads) settle({ lease: ports.cache.refresh(query) });
  // max-age=0: nothing can be served from or kept in the cache, so do not wait.
  else if (policy.maxAgeMs === 0) settle('alone');
  else if (policy.saves) acquireOrWait(ports.cache, admitted.call, query, settle);
  else settle(ports.cache.find(query));
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
function acquireOrWait(cache: SingleFlight, { request }: Call, query: CacheQuery, settle: (result?: CacheResult) => void): void {
  const { socket } = request;
  let isSettled = false;
  const leave = (): void => {
    stop();
    settle();
  };
  const stop = cache.acquire(query, (result) => {
    isSettled = true;
    socket.off('close', leave);
    settle(result);
  });
  if (!isSettled) socket.once('close', leave);
}

function reportStatus(
  ports: ForwardPorts,
  result: CacheResult | undefined,
  admitted: AuthenticatedCall,
  report: (status: CacheStatus) => void,
): void {
  if (result === undefined || result === 'alone') report({ kind: 'miss', lease: undefined });
  else if ('lease' in result) report({ kind: 'miss', lease: result.lease });
  else prepareHit(ports, result, admitted, report);
}

function prepareHit(
  ports: ForwardPorts,
  found: CacheHit,
  { call, admission }: AuthenticatedCall,
  report: (status: CacheStatus) => void,
): void {
  const coding = hitCodingFor(found.hit, call.head.passed);
  const plain = (): void => report({ kind: 'hit', found, response: plainResponse(found.hit) });
  if (coding === undefined) plain();
  else {
    const pack = (bytes: Buffer): Promise<Buffer> => ports.codingTurns.pack(admission.principal.organizationId, bytes, coding);
    encodedResponse(found.hit, coding, pack).then((response) => report({ kind: 'hit', found, response }), plain);
  }
}

/** Why the cache is not used although the caller asked for it; undefined: it is used. */
function reasonAgainst(call: Call, { route }: RequestPlan): string | undefined {
  const { requestBody, responseBody } = call.head.directives.tags;
  const method = methodOf(call);
  if (requestBody === 'never' || responseBody === 'never') return 'with Svc-Omit-Request or -Response: strict nothing may reach a disk';
  if (method !== 'POST') return `only replies to POST are kept, not to ${method}`;
  if (isNeverRepeated(route.destination)) return 'the gateway answers this itself';
  return undefined;
}

/** Captures the response of a call that has a lease; if the caller has disconnected, the lease passes to the next call. */
export function captureForCache(
  ports: ForwardPorts,
  { call, identity }: AuthenticatedCall,
  recorded: RecordedCall,
  plan: RequestPlan,
): RecordedCall {
  const { cache, tags } = call.head.directives;
  if (plan.cache?.kind !== 'miss' || plan.cache.lease === undefined || cache === undefined) return recorded;
  if (isDisconnected(call)) {
    releaseLease(plan);
    return recorded;
  }
  const cacheFill = new CacheFill({
    next: recorded.sink,
    lease: plan.cache.lease,
    abandon: () => recorded.relay.onClientDisconnect(),
    requestId: identity.requestId,
    userId: () => tags.userId ?? userOf(ports, recorded, plan),
    maxAgeMs: cache.maxAgeMs,
    maxResponseBytes: ports.limits.cachedResponseMaxBytes,
    unpack: (bytes, packed) => ports.codingTurns.unpack(recorded.organizationId, bytes, packed),
    clock: ports.clock,
  });
  return { ...recorded, sink: cacheFill, cacheFill };
}

/** The user named in the body. A large body is parsed, in a thread, only where its members are not known or the user's are large too. */
function userOf(ports: ForwardPorts, { call, organizationId }: RecordedCall, plan: RequestPlan): string | Promise<string> {
  const outgoing = estimatedRequestOf(call, plan, plan.billedSummaries?.[0]);
  const { body, found } = outgoing;
  if (found !== undefined || body === undefined || body.length <= inlineMaxBytes) return ports.callLimits.readUser(outgoing);
  const own = withMembersThatMayBe(body, wireProfile.userMembers);
  if (own !== undefined && own.length <= inlineMaxBytes) return ports.callLimits.readUser({ ...outgoing, body: own });
  return ports.largeBodies
    .summaries(bodyOwnerOf(organizationId, call), body, [sentBodyOf(plan)])
    .then(([summaries]) => summaries?.user ?? '');
}

/** For a call that is not sent: the next call gets its lease. */
export function releaseLease({ cache }: RequestPlan): void {
  if (cache?.kind === 'miss') cache.lease?.release();
}

function methodOf({ request }: Call): string {
  return request.method ?? 'GET';
}
