import type { ServerResponse } from 'node:http';
import { GatelogError, messageOf } from '../model/errors.ts';
import type { ExchangeOpen } from '../model/record/exchange.ts';
import type { OrganizationId } from '../model/ids.ts';
import { exceedsBytes } from '../model/text.ts';
import { textLimits } from '../model/vocabulary/limits.ts';
import { headerValue } from '../platform/http/header-list.ts';
import { cacheHeaders } from './cache/status.ts';
import { type AuthenticatedCall, type Call, type RequestPlan, type ForwardPorts, isDisconnected, type RecordedCall } from './call.ts';
import type { CallLog } from './call-log.ts';
import { countryOf } from './http/country.ts';
import { storableAddress, withoutSecrets } from './http/headers.ts';
import { releaseRequestId } from './record/identify.ts';
import { RateLimitExceeded } from './limits/reserve.ts';
import { refuseUnrecorded } from './http/error-response.ts';
import { Relay } from './relay/relay.ts';
import { idHeaders, makeRequestId } from './record/request-ids.ts';
import { serverTiming } from './http/server-timing.ts';
import { ExchangeRecorder } from './record/recorder.ts';

/** Makes the record, which has yet to begin, and the way back. Without an errand the call goes nowhere. */
export function beginExchange(ports: ForwardPorts, admitted: AuthenticatedCall, provider: string, plan?: RequestPlan): RecordedCall {
  const { call, admission, identity } = admitted;
  const { request, response } = call;
  const { principal } = admission;
  const target = plan?.target;
  const path = withoutSecrets(call.path);
  const storedPath = storableAddress(path, '', textLimits.addressBytes);
  const hidesBody = call.head.directives.tags.requestBody === 'never';
  const open: ExchangeOpen = {
    version: 1,
    requestId: identity.requestId,
    organizationId: principal.organizationId,
    keyHash: principal.keyHash,
    openedAt: call.openedAt,
    method: request.method ?? 'GET',
    path: storedPath,
    provider,
    targetUrl: target?.shown ?? '',
    model: hidesBody ? undefined : storableModel(plan?.model),
    headers: call.head.recorded,
    tags: call.head.directives.tags,
    countryCode: ports.countryHeader === undefined ? undefined : countryOf(headerValue(request.rawHeaders, ports.countryHeader)),
    reserved: plan?.grant?.reserved === true ? true : undefined,
    cacheEnabled: call.head.directives.cache === undefined ? undefined : true,
    cachedFrom: cachedFrom(plan),
    bodyOverride: overrideOf(plan, hidesBody),
  };
  const recorded = ports.hasSpoolRoom();
  if (!recorded) ports.observe({ kind: 'exchange_not_recorded', reason: 'the spool is full' });
  const { monotonic } = ports.clock;
  const recorder = new ExchangeRecorder(
    {
      writer: ports.spool,
      bodyMaxBytes: ports.limits.recordMaxBytes,
      takesParts: ports.takesSpoolParts,
      monotonic,
      startedAt: call.startedAt,
    },
    open,
    recorded,
  );
  if (plan?.cache !== undefined) ports.meter.askedCache(plan.cache.kind);
  const hidesUsage = asksUsage(plan);
  const { clientStallMs } = ports.limits;
  const responseHeaders = responseHeadersOf(admitted, plan, storedPath !== path);
  const relay = new Relay({
    response,
    recorder,
    meter: ports.meter,
    callLog: noteCall(ports, response, open, plan),
    method: open.method,
    responseHeaders,
    hidesUsage,
    clientStallMs,
  });
  return { call, organizationId: principal.organizationId, keyHash: principal.keyHash, recorder, relay, sink: relay };
}

const pathCut = `the path is over ${textLimits.addressBytes} bytes and was stored without its query, or not at all`;

/** Tells the log of calls, where there is one, where a call goes. Of a body that is not to be kept it says nothing. */
function noteCall(
  { callLog }: ForwardPorts,
  response: ServerResponse,
  { provider, model, tags }: ExchangeOpen,
  plan?: RequestPlan,
): CallLog | undefined {
  callLog?.goesTo(response, provider, model, tags.requestBody === 'never' ? undefined : plan?.outgoing);
  return callLog;
}

/** A model's name for the record; undefined where it is too long for that. */
export function storableModel(model: string | undefined): string | undefined {
  return model === undefined || exceedsBytes(model, textLimits.identifierBytes) ? undefined : model;
}

/** Whether an attempt of the call asks for the usage of its stream. */
function asksUsage(plan: RequestPlan | undefined): boolean {
  return plan !== undefined && (plan.usageAsked || plan.onward?.fallbacks.some(({ usageAsked }) => usageAsked) === true);
}

/** Our own lines on the reply: who it is, what its limits, the cache and its directives have to say, and that its path is not stored as it is. */
function responseHeadersOf({ call, identity }: AuthenticatedCall, plan: RequestPlan | undefined, isPathCut: boolean): readonly string[] {
  const { grant, cache, warnings } = plan ?? nothingSaid;
  if (grant === undefined && cache === undefined && warnings.length === 0 && !isPathCut) return identity.responseHeaders;
  return [
    ...identity.responseHeaders,
    ...(grant?.lines ?? []),
    ...(cache === undefined ? [] : cacheHeaders(cache, call.head.directives.aliased)),
    ...(warnings.length === 0 ? [] : ['svc-warning', warnings.join('; ')]),
    ...(isPathCut ? ['svc-warning', pathCut] : []),
  ];
}

const nothingSaid: Pick<RequestPlan, 'grant' | 'cache' | 'warnings'> = { grant: undefined, cache: undefined, warnings: [] };

/** Of a call that goes nowhere nothing but the caller's own body is known. */
function overrideOf(plan: RequestPlan | undefined, hidesBody: boolean): ExchangeOpen['bodyOverride'] {
  return hidesBody || plan?.target === undefined ? undefined : plan.bodyOverride;
}

function cachedFrom(plan: RequestPlan | undefined): ExchangeOpen['cachedFrom'] {
  if (plan?.cache?.kind !== 'hit') return undefined;
  const { requestId, createdAt } = plan.cache.found.hit;
  return { requestId, createdAt };
}

/** Answers a call of an accepted key that reaches no provider; of our answers only a 401 is not on record. */
export function rejectRecorded(ports: ForwardPorts, admitted: AuthenticatedCall, provider: string, error: unknown): void {
  const refusal = asRefusal(ports, error);
  const { request, response, startedAt } = admitted.call;
  const overheadMs = ports.clock.monotonic() - startedAt - (admitted.waitedMs ?? 0);
  if (refusal.status !== 401) {
    const limited = refusal instanceof RateLimitExceeded ? withLines(admitted, refusal.lines) : admitted;
    const { body, plan: errand } = admitted.refused ?? {};
    // It goes nowhere, so there is no address that it went to.
    const open = beginExchange(ports, limited, provider, errand === undefined ? undefined : { ...errand, target: undefined });
    open.recorder.begin(body !== undefined && 'whole' in body ? body.whole : undefined);
    open.relay.overheadMs = overheadMs;
    // What speaks against a body that broke off says nothing of the whole one.
    if (isDisconnected(admitted.call)) open.relay.onClientDisconnect();
    else rejectOpen(ports, open, refusal);
    return;
  }
  request.resume();
  releaseRequestId(ports, admitted.admission.principal.organizationId, admitted.identity);
  ports.meter.refused(refusal.code);
  ports.callLog?.failed(response, refusal.code);
  refuseUnrecorded(
    response,
    refusal,
    [...admitted.identity.responseHeaders, 'server-timing', serverTiming(overheadMs)],
    ports.limits.clientStallMs,
  );
}

function withLines(admitted: AuthenticatedCall, lines: readonly string[]): AuthenticatedCall {
  const { identity } = admitted;
  return { ...admitted, identity: { ...identity, responseHeaders: [...identity.responseHeaders, ...lines] } };
}

/** Answers a call on record with our own error. */
export function rejectOpen(ports: ForwardPorts, { call, relay }: RecordedCall, error: unknown): void {
  // What the client still sends is read away, so that it gets to read the answer and to use the connection again.
  call.request.resume();
  const refusal = asRefusal(ports, error);
  ports.meter.refused(refusal.code);
  relay.refuse(refusal);
}

/** A call of which nobody knows whose it is. `aliased`: one of its headers came with the alias prefix. */
export type UnauthenticatedCall = Pick<Call, 'response' | 'openedAt' | 'startedAt'> & { readonly aliased: boolean };

/** Answers a caller without an accepted key; nothing of it is recorded, yet the reply carries an identifier. */
export function rejectUnauthenticated(ports: ForwardPorts, call: UnauthenticatedCall, error: unknown): void {
  const timing = serverTiming(ports.clock.monotonic() - call.startedAt);
  const requestId = makeRequestId('' as OrganizationId, call.openedAt);
  const refusal = asRefusal(ports, error);
  ports.meter.refused(refusal.code);
  ports.callLog?.failed(call.response, refusal.code);
  refuseUnrecorded(call.response, refusal, [...idHeaders(requestId, call.aliased), 'server-timing', timing], ports.limits.clientStallMs);
}

/** Whatever was thrown, as what a caller is told of it. */
export function asRefusal(ports: ForwardPorts, error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  ports.observe({ kind: 'call_failed', reason: messageOf(error) });
  return new GatelogError('internal', 'The gateway failed on this call.', { cause: error });
}
