import type { ServerResponse } from 'node:http';
import { GatelogError, messageOf } from '../model/errors.ts';
import type { ExchangeOpen } from '../model/record/exchange.ts';
import type { OrganizationId } from '../model/ids.ts';
import { exceedsBytes } from '../model/text.ts';
import { textLimits } from '../model/vocabulary/limits.ts';
import { lineNamed } from './http/lazy-headers.ts';
import { cacheLines } from './cache/status.ts';
import { type AdmittedCall, type Call, type Errand, type ForwardPorts, hasLeft, type OpenCall } from './call.ts';
import type { CallLog } from './call-log.ts';
import { countryOf } from './http/country.ts';
import { storableAddress, withoutSecrets } from './http/headers.ts';
import { forgetIdentity } from './record/identify.ts';
import { LimitReached } from './limits/reserve.ts';
import { refuseUnrecorded } from './http/error-response.ts';
import { Relay } from './relay/relay.ts';
import { idLines, makeRequestId } from './record/request-ids.ts';
import { serverTiming } from './http/server-timing.ts';
import { ExchangeRecorder } from './record/recorder.ts';

/** Makes the record, which has yet to begin, and the way back. Without an errand the call goes nowhere. */
export function openCall(ports: ForwardPorts, admitted: AdmittedCall, provider: string, errand?: Errand): OpenCall {
  const { call, admission, identity } = admitted;
  const { request, response } = call;
  const { principal } = admission;
  const target = errand?.target;
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
    model: hidesBody ? undefined : storableModel(errand?.model),
    headers: call.head.recorded,
    tags: call.head.directives.tags,
    countryCode: ports.countryHeader === undefined ? undefined : countryOf(lineNamed(request.rawHeaders, ports.countryHeader)),
    reserved: errand?.grant?.reserved === true ? true : undefined,
    cacheEnabled: call.head.directives.cache === undefined ? undefined : true,
    cachedFrom: cachedFrom(errand),
    bodyOverride: overrideOf(errand, hidesBody),
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
  if (errand?.cache !== undefined) ports.meter.askedCache(errand.cache.kind);
  const hidesUsage = asksUsage(errand);
  const { clientStallMs } = ports.limits;
  const replyHeaders = replyHeadersOf(admitted, errand, storedPath !== path);
  const relay = new Relay({
    response,
    recorder,
    meter: ports.meter,
    callLog: noteCall(ports, response, open, errand),
    method: open.method,
    replyHeaders,
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
  errand?: Errand,
): CallLog | undefined {
  callLog?.goesTo(response, provider, model, tags.requestBody === 'never' ? undefined : errand?.outgoing);
  return callLog;
}

/** A model's name for the record; undefined where it is too long for that. */
export function storableModel(model: string | undefined): string | undefined {
  return model === undefined || exceedsBytes(model, textLimits.identifierBytes) ? undefined : model;
}

/** Whether an attempt of the call asks for the usage of its stream. */
function asksUsage(errand: Errand | undefined): boolean {
  return errand !== undefined && (errand.usageAsked || errand.onward?.fallbacks.some(({ usageAsked }) => usageAsked) === true);
}

/** Our own lines on the reply: who it is, what its limits, the cache and its directives have to say, and that its path is not stored as it is. */
function replyHeadersOf({ call, identity }: AdmittedCall, errand: Errand | undefined, isPathCut: boolean): readonly string[] {
  const { grant, cache, warnings } = errand ?? nothingSaid;
  if (grant === undefined && cache === undefined && warnings.length === 0 && !isPathCut) return identity.replyHeaders;
  return [
    ...identity.replyHeaders,
    ...(grant?.lines ?? []),
    ...(cache === undefined ? [] : cacheLines(cache, call.head.directives.aliased)),
    ...(warnings.length === 0 ? [] : ['svc-warning', warnings.join('; ')]),
    ...(isPathCut ? ['svc-warning', pathCut] : []),
  ];
}

const nothingSaid: Pick<Errand, 'grant' | 'cache' | 'warnings'> = { grant: undefined, cache: undefined, warnings: [] };

/** Of a call that goes nowhere nothing but the caller's own body is known. */
function overrideOf(errand: Errand | undefined, hidesBody: boolean): ExchangeOpen['bodyOverride'] {
  return hidesBody || errand?.target === undefined ? undefined : errand.bodyOverride;
}

function cachedFrom(errand: Errand | undefined): ExchangeOpen['cachedFrom'] {
  if (errand?.cache?.kind !== 'hit') return undefined;
  const { requestId, createdAt } = errand.cache.found.hit;
  return { requestId, createdAt };
}

/** Answers a call of an accepted key that reaches no provider; of our answers only a 401 is not on record. */
export function refuseRecorded(ports: ForwardPorts, admitted: AdmittedCall, provider: string, error: unknown): void {
  const refusal = asRefusal(ports, error);
  const { request, response, startedAt } = admitted.call;
  const overheadMs = ports.clock.monotonic() - startedAt - (admitted.waitedMs ?? 0);
  if (refusal.status !== 401) {
    const limited = refusal instanceof LimitReached ? withLines(admitted, refusal.lines) : admitted;
    const { body, errand } = admitted.refused ?? {};
    // It goes nowhere, so there is no address that it went to.
    const open = openCall(ports, limited, provider, errand === undefined ? undefined : { ...errand, target: undefined });
    open.recorder.begin(body !== undefined && 'whole' in body ? body.whole : undefined);
    open.relay.overheadMs = overheadMs;
    // What speaks against a body that broke off says nothing of the whole one.
    if (hasLeft(admitted.call)) open.relay.clientLeft();
    else refuseOpen(ports, open, refusal);
    return;
  }
  request.resume();
  forgetIdentity(ports, admitted.admission.principal.organizationId, admitted.identity);
  ports.meter.refused(refusal.code);
  ports.callLog?.failed(response, refusal.code);
  refuseUnrecorded(
    response,
    refusal,
    [...admitted.identity.replyHeaders, 'server-timing', serverTiming(overheadMs)],
    ports.limits.clientStallMs,
  );
}

function withLines(admitted: AdmittedCall, lines: readonly string[]): AdmittedCall {
  const { identity } = admitted;
  return { ...admitted, identity: { ...identity, replyHeaders: [...identity.replyHeaders, ...lines] } };
}

/** Answers a call on record with our own error. */
export function refuseOpen(ports: ForwardPorts, { call, relay }: OpenCall, error: unknown): void {
  // What the client still sends is read away, so that it gets to read the answer and to use the connection again.
  call.request.resume();
  const refusal = asRefusal(ports, error);
  ports.meter.refused(refusal.code);
  relay.refuse(refusal);
}

/** A call of which nobody knows whose it is. `aliased`: one of its headers came with the alias prefix. */
export type Stranger = Pick<Call, 'response' | 'openedAt' | 'startedAt'> & { readonly aliased: boolean };

/** Answers a caller without an accepted key; nothing of it is recorded, yet the reply carries an identifier. */
export function refuseStranger(ports: ForwardPorts, call: Stranger, error: unknown): void {
  const timing = serverTiming(ports.clock.monotonic() - call.startedAt);
  const requestId = makeRequestId('' as OrganizationId, call.openedAt);
  const refusal = asRefusal(ports, error);
  ports.meter.refused(refusal.code);
  ports.callLog?.failed(call.response, refusal.code);
  refuseUnrecorded(call.response, refusal, [...idLines(requestId, call.aliased), 'server-timing', timing], ports.limits.clientStallMs);
}

/** Whatever was thrown, as what a caller is told of it. */
export function asRefusal(ports: ForwardPorts, error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  ports.observe({ kind: 'call_failed', reason: messageOf(error) });
  return new GatelogError('internal', 'The gateway failed on this call.', { cause: error });
}
