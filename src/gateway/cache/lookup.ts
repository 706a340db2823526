import type { CacheKey } from '../../state/cached-replies.ts';
import type { CacheAsk } from '../directives/cache.ts';
import { encodedReply, hitCodingFor, plainReply } from './hit-response.ts';
import { CacheKeeper } from './fill.ts';
import { cacheKeyOf, cacheKeySteps, hashedInlineMaxBytes, type KeyedCall } from './key.ts';
import { type AdmittedCall, type Call, type Errand, type ForwardPorts, hasLeft, type OpenCall } from '../call.ts';
import { outgoingCallOf, sentBodyOf } from '../plan.ts';
import { askerOf, inlineMaxBytes } from '../bodies/threads.ts';
import type { CacheAnswer, CacheHit, CacheQuestion, ReplyCache } from './single-flight.ts';
import type { CacheStanding } from './status.ts';
import { isToldOnce } from '../routing/routes.ts';

interface CacheCall {
  readonly admitted: AdmittedCall;
  readonly errand: Errand;
  readonly ask: CacheAsk;
}

/** Takes a call that was looked for in the cache. `hasWaited`: for an equal call that is on its way, or for an encoder. */
interface CacheAsked {
  readonly ready: (errand: Errand, hasWaited: boolean) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Looks into the cache for a call. `ready` is called once, with the errand and how the cache stands to it; at once where nothing has to be
 * waited for, and the body is not large. A caller that leaves meanwhile ends the wait. What is thrown later than this returns goes to `failed`.
 */
export function askCache(ports: ForwardPorts, asking: CacheCall, { ready, failed }: CacheAsked): void {
  const { admitted, errand, ask } = asking;
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

function lookFor(ports: ForwardPorts, { admitted, errand, ask }: CacheCall, key: CacheKey, ready: CacheAsked['ready']): void {
  const question = { key, maxAgeMs: ask.maxAgeMs };
  let hasWaited = false;
  const settle = (answer: CacheAnswer | undefined): void =>
    standOn(answer, admitted.call, (cache) => ready({ ...errand, cache }, hasWaited));
  if (!ask.reads) settle({ turn: ports.cache.refresh(question) });
  // Nothing is as young as that, and what is kept so is over at once: there is nothing to wait for.
  else if (ask.maxAgeMs === 0) settle('alone');
  else if (ask.keeps) askOrWait(ports.cache, admitted.call, question, settle);
  else settle(ports.cache.look(question));
  hasWaited = true;
}

function keyedCallOf({ call, admission }: AdmittedCall, { route, target, passed }: Errand, body: Buffer): KeyedCall {
  return {
    organizationId: admission.principal.organizationId,
    method: methodOf(call),
    origin: target?.origin ?? route.provider,
    path: target?.path ?? route.path,
    headers: passed,
    body,
  };
}

/** Waits no longer than the caller does. */
function askOrWait(cache: ReplyCache, { request }: Call, question: CacheQuestion, settle: (answer?: CacheAnswer) => void): void {
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

function standOn(answer: CacheAnswer | undefined, call: Call, stand: (standing: CacheStanding) => void): void {
  if (answer === undefined || answer === 'alone') stand({ kind: 'miss', turn: undefined });
  else if ('turn' in answer) stand({ kind: 'miss', turn: answer.turn });
  else giveHit(answer, call.head.passed, stand);
}

function giveHit(found: CacheHit, passed: readonly string[], stand: (standing: CacheStanding) => void): void {
  const coding = hitCodingFor(found.hit, passed);
  const asItIs = (): void => stand({ kind: 'hit', found, reply: plainReply(found.hit) });
  if (coding === undefined) asItIs();
  else encodedReply(found.hit, coding).then((reply) => stand({ kind: 'hit', found, reply }), asItIs);
}

/** Why the cache has no part in a call although it was asked for; undefined: it has. */
function reasonAgainst(call: Call, { route }: Errand): string | undefined {
  const { requestBody, responseBody } = call.head.directives.tags;
  const method = methodOf(call);
  if (requestBody === 'never' || responseBody === 'never') return 'with Svc-Omit-Request or -Response: strict nothing may reach a disk';
  if (method !== 'POST') return `only replies to POST are kept, not to ${method}`;
  if (isToldOnce(route.destination)) return 'the gateway answers this itself';
  return undefined;
}

/** A call that has the turn keeps the reply on its way back; one whose caller has left by now leaves the turn to the next. */
export function throughCache(ports: ForwardPorts, { call, identity }: AdmittedCall, open: OpenCall, errand: Errand): OpenCall {
  const { cache, tags } = call.head.directives;
  if (errand.cache?.kind !== 'miss' || errand.cache.turn === undefined || cache === undefined) return open;
  if (hasLeft(call)) {
    leaveCache(errand);
    return open;
  }
  const keeper = new CacheKeeper({
    next: open.sink,
    turn: errand.cache.turn,
    abandon: () => open.relay.clientLeft(),
    requestId: identity.requestId,
    userId: () => tags.userId ?? userOf(ports, open, errand),
    maxAgeMs: cache.maxAgeMs,
    mostReplyBytes: ports.limits.cachedReplyMaxBytes,
    clock: ports.clock,
  });
  return { ...open, sink: keeper, keeper };
}

/** The user whom the body of a call names. */
function userOf(ports: ForwardPorts, { call, organizationId }: OpenCall, errand: Errand): string | Promise<string> {
  const outgoing = outgoingCallOf(call, errand, errand.found?.[0]);
  const { body, found } = outgoing;
  if (found !== undefined || body === undefined || body.length <= inlineMaxBytes) return ports.callLimits.readUser(outgoing);
  return ports.largeBodies.facts(askerOf(organizationId, call), body, [sentBodyOf(errand)]).then(([facts]) => facts?.user ?? '');
}

/** Leaves the turn of a call that goes nowhere to the next. */
export function leaveCache({ cache }: Errand): void {
  if (cache?.kind === 'miss') cache.turn?.pass();
}

function methodOf({ request }: Call): string {
  return request.method ?? 'GET';
}
