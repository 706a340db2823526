import type { ServerResponse } from 'node:http';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { ExchangeOpen } from '../../model/record/exchange.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { exceedsBytes } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { headerValue } from '../../platform/http/header-list.ts';
import { cacheHeaders } from '../cache/status.ts';
import { type AuthenticatedCall, type Call, type RequestPlan, isDisconnected, type RecordedCall } from './call.ts';
import type { ExchangePorts } from './ports.ts';
import type { CallLog } from '../observation/call-log.ts';
import { countryOf } from '../http/country.ts';
import { storableAddress, withoutSecrets } from '../http/headers.ts';
import { releaseRequestId } from '../record/identify.ts';
import { RateLimitExceeded } from '../limits/reserve.ts';
import { refuseUnrecorded } from '../http/error-response.ts';
import { Relay } from '../relay/relay.ts';
import { idHeaders, makeRequestId } from '../record/request-ids.ts';
import type { RequestBody } from '../http/request-body.ts';
import { serverTiming } from '../http/server-timing.ts';
import { ExchangeRecorder } from '../record/recorder.ts';

/** Makes the relay and the recorder, which has yet to begin. Without a plan the call goes nowhere. */
export function beginExchange(ports: ExchangePorts, admitted: AuthenticatedCall, provider: string, plan?: RequestPlan): RecordedCall {
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
    trace: call.head.trace,
    countryCode: ports.countryHeader === undefined ? undefined : countryOf(headerValue(request.rawHeaders, ports.countryHeader)),
    reserved: plan?.rateLimit?.reserved === true ? true : undefined,
    cacheEnabled: call.head.directives.cache === undefined ? undefined : true,
    cachedFrom: cachedFrom(plan),
    bodyOverride: overrideOf(plan, hidesBody),
    credentialHash: ports.credentialHashes.of(request.socket, principal.organizationId, plan),
  };
  const recorded = ports.hasSpoolSpace(principal.organizationId);
  if (!recorded) ports.observe({ kind: 'exchange_not_recorded', reason: 'the spool is full' });
  const recorder = new ExchangeRecorder(
    {
      writer: ports.spool.of(principal.organizationId),
      bodyMaxBytes: ports.limits.recordMaxBytes,
      hasSpaceForParts: ports.takesSpoolParts,
      monotonic: ports.clock.monotonic,
      startedAt: call.startedAt,
    },
    open,
    recorded,
  );
  if (plan?.cache !== undefined) ports.meter.cacheLookUp(plan.cache.kind);
  const relay = new Relay({
    response,
    recorder,
    meter: ports.meter,
    callLog: openCallLog(ports, response, open, plan),
    method: open.method,
    responseHeaders: responseHeadersOf(admitted, plan, storedPath !== path),
    hidesUsage: requestsUsage(plan),
    clientStallMs: ports.limits.clientStallMs,
    provider,
    target,
    publicUrl: ports.publicUrl,
    addressNotes: ports.addressNotes,
    unpacking: ports.unpackingTime.of(principal.organizationId),
  });
  return { call, organizationId: principal.organizationId, keyHash: principal.keyHash, recorder, relay, sink: relay };
}

const pathCut = `the path is over ${textLimits.addressBytes} bytes and was stored without its query, or not at all`;

/** A body that is never kept stays out of the call log too. */
function openCallLog(
  { callLog }: ExchangePorts,
  response: ServerResponse,
  { provider, model, tags }: ExchangeOpen,
  plan?: RequestPlan,
): CallLog | undefined {
  callLog?.recordTarget(response, provider, model, tags.requestBody === 'never' ? undefined : plan?.outgoing);
  return callLog;
}

/** @returns undefined for a name too long to record. */
export function storableModel(model: string | undefined): string | undefined {
  return model === undefined || exceedsBytes(model, textLimits.identifierBytes) ? undefined : model;
}

function requestsUsage(plan: RequestPlan | undefined): boolean {
  return plan !== undefined && (plan.usageRequested || plan.retryPlan?.fallbacks.some(({ usageRequested }) => usageRequested) === true);
}

function responseHeadersOf({ call, identity }: AuthenticatedCall, plan: RequestPlan | undefined, isPathCut: boolean): readonly string[] {
  const { rateLimit, cache, warnings } = plan ?? emptyPlan;
  if (rateLimit === undefined && cache === undefined && warnings.length === 0 && !isPathCut) return identity.responseHeaders;
  return [
    ...identity.responseHeaders,
    ...(rateLimit?.lines ?? []),
    ...(cache === undefined ? [] : cacheHeaders(cache, call.head.directives.aliased)),
    ...(warnings.length === 0 ? [] : ['svc-warning', warnings.join('; ')]),
    ...(isPathCut ? ['svc-warning', pathCut] : []),
  ];
}

const emptyPlan: Pick<RequestPlan, 'rateLimit' | 'cache' | 'warnings'> = { rateLimit: undefined, cache: undefined, warnings: [] };

function overrideOf(plan: RequestPlan | undefined, hidesBody: boolean): ExchangeOpen['bodyOverride'] {
  return hidesBody || plan?.target === undefined ? undefined : plan.bodyOverride;
}

function cachedFrom(plan: RequestPlan | undefined): ExchangeOpen['cachedFrom'] {
  if (plan?.cache?.kind !== 'hit') return undefined;
  const { requestId, createdAt } = plan.cache.found.hit;
  return { requestId, createdAt };
}

/** What is known of a call that is rejected. */
export interface Rejected {
  readonly provider: string;
  /** Time spent waiting for its body, or for the cache. */
  readonly waitedMs: number;
  readonly body: RequestBody | undefined;
  readonly plan: RequestPlan | undefined;
}

/** Rejects a call with a valid key that reaches no provider. Every rejection but a 401 is on record. */
export function rejectRecorded(ports: ExchangePorts, admitted: AuthenticatedCall, known: Rejected, error: unknown): void {
  const refusal = asRefusal(ports, error);
  const { request, response, startedAt } = admitted.call;
  const { provider, waitedMs, body, plan } = known;
  const overheadMs = ports.clock.monotonic() - startedAt - waitedMs;
  if (refusal.status !== 401) {
    const limited = refusal instanceof RateLimitExceeded ? withHeaders(admitted, refusal.lines) : admitted;
    const open = beginExchange(ports, limited, provider, plan === undefined ? undefined : { ...plan, target: undefined });
    open.recorder.begin(body !== undefined && 'buffered' in body ? body.buffered : undefined);
    open.relay.overheadMs = overheadMs;
    // An error in a truncated body says nothing about the whole one.
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

function withHeaders(admitted: AuthenticatedCall, headers: readonly string[]): AuthenticatedCall {
  const { identity } = admitted;
  return { ...admitted, identity: { ...identity, responseHeaders: [...identity.responseHeaders, ...headers] } };
}

export function rejectOpen(ports: ExchangePorts, { call, relay }: RecordedCall, error: unknown): void {
  // Discard the rest of the request, so that the client reads the response and can reuse the connection.
  call.request.resume();
  const refusal = asRefusal(ports, error);
  ports.meter.refused(refusal.code);
  relay.refuse(refusal);
}

/** `aliased`: one of its headers came with the alias prefix. */
export type UnauthenticatedCall = Pick<Call, 'response' | 'openedAt' | 'startedAt'> & { readonly aliased: boolean };

/** Leaves no record, yet the response carries an identifier. */
export function rejectUnauthenticated(ports: ExchangePorts, call: UnauthenticatedCall, error: unknown): void {
  const timing = serverTiming(ports.clock.monotonic() - call.startedAt);
  const requestId = makeRequestId('' as OrganizationId, call.openedAt);
  const refusal = asRefusal(ports, error);
  ports.meter.refused(refusal.code);
  ports.callLog?.failed(call.response, refusal.code);
  refuseUnrecorded(call.response, refusal, [...idHeaders(requestId, call.aliased), 'server-timing', timing], ports.limits.clientStallMs);
}

export function asRefusal({ observe }: Pick<ExchangePorts, 'observe'>, error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  observe({ kind: 'call_failed', reason: messageOf(error) });
  return new GatelogError('internal', 'The gateway failed on this call.', { cause: error });
}
