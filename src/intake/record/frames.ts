import { type ExchangeAnswer, type ExchangeEnd, frameKinds, type LogMetadata, type LoggedOpen } from '../../model/record/exchange.ts';
import type { RequestId } from '../../model/ids.ts';
import type { LoggedCall } from '../../model/record/logged-call.ts';
import type { Principal } from '../../model/principal.ts';
import { exceedsBytes } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { keepHeader, storableAddress, withoutSecrets } from '../../gateway/http/headers.ts';
import { RecordedBody } from '../../gateway/record/recorded-body.ts';
import { readResponseHead } from '../../gateway/relay/response-headers.ts';
import type { SpoolWriter } from '../../spool/writer.ts';

/** A request body up to this size shares a frame with the `open` frame's facts: longer openings are read in parts. */
const maxJoinedBytes = 1024 * 1024;
const noBytes = Buffer.alloc(0);

export interface FramedCall {
  readonly call: LoggedCall;
  readonly requestId: RequestId;
  readonly logged: Pick<LogMetadata, 'at' | 'identifier'>;
}

/**
 * Appends all frames of a call, within one tick of the event loop; the call lies in the spool as one that passed through the gateway.
 * @param maxBytes recorded bytes of each body.
 * @returns the stream of the frames.
 */
export function appendCall(
  spool: Pick<SpoolWriter, 'newStream' | 'append'>,
  owner: Principal,
  framed: FramedCall,
  maxBytes: number,
): number {
  const { call } = framed;
  const stream = spool.newStream();
  const request = new RecordedBody(frameKinds.requestPart, call.tags.requestBody);
  const response = new RecordedBody(frameKinds.responsePart, call.tags.responseBody);
  const requestBytes = recordedPart(request, call.requestBody, maxBytes);
  const responseBytes = recordedPart(response, call.response.body, maxBytes);
  const open = JSON.stringify(openOf(framed, owner, { requestBytes: requestBytes.length, responseBytes: responseBytes.length }));
  if (requestBytes.length <= maxJoinedBytes) spool.append(stream, frameKinds.opened, { text: `${open}\n`, bytes: requestBytes });
  else {
    spool.append(stream, frameKinds.open, open);
    spool.append(stream, frameKinds.requestPart, requestBytes);
  }
  const [requestTail, responseTail] = [request.tailBytes(), response.tailBytes()];
  if (requestTail !== undefined) spool.append(stream, frameKinds.requestTail, requestTail);
  if (responseTail !== undefined) spool.append(stream, frameKinds.responseTail, responseTail);
  const answer = JSON.stringify(answerOf(call, request, response));
  spool.append(stream, frameKinds.answered, { text: `${answer}\n`, bytes: responseBytes });
  return stream;
}

/** Ends a call of which frames were lost. The ingest leaves it out. */
export function appendLostEnd(spool: Pick<SpoolWriter, 'append'>, stream: number): void {
  const end: ExchangeEnd = { outcome: 'no_response', elapsedMs: 0, overheadMs: 0, requestBytes: 0, responseBytes: 0 };
  spool.append(stream, frameKinds.end, JSON.stringify(end));
}

function recordedPart(body: RecordedBody, bytes: Uint8Array, maxBytes: number): Uint8Array {
  const part = body.take(bytes, maxBytes);
  return body.isRecorded ? part : noBytes;
}

type RecordedBytes = Pick<LogMetadata, 'requestBytes' | 'responseBytes'>;

function openOf({ call, requestId, logged }: FramedCall, owner: Principal, recorded: RecordedBytes): LoggedOpen {
  const { tags, startedAt, model } = call;
  const isStorable = model !== undefined && tags.requestBody !== 'never' && !exceedsBytes(model, textLimits.identifierBytes);
  return {
    version: 1,
    requestId,
    organizationId: owner.organizationId,
    keyHash: owner.keyHash,
    openedAt: startedAt,
    method: call.method,
    path: storableAddress(withoutSecrets(call.path), '', textLimits.addressBytes),
    provider: call.provider,
    targetUrl: storedTarget(call.targetUrl),
    model: isStorable ? model : undefined,
    headers: requestHeadersOf(call.requestHeaders),
    tags,
    trace: call.trace,
    logged: {
      ...logged,
      ...recorded,
      untimed: call.elapsedMs === undefined ? true : undefined,
      span: call.span === undefined ? undefined : { ...call.span, keyId: owner.keyId },
      carriers: call.carriers,
    },
  };
}

function storedTarget(targetUrl: string): string {
  const origin = /^[a-z]+:\/\/[^/?#]*/i.exec(withoutSecrets(targetUrl))?.[0] ?? '';
  return storableAddress(withoutSecrets(targetUrl), origin, textLimits.addressBytes);
}

function answerOf({ response, elapsedMs = 0, firstTokenMs }: LoggedCall, sent: RecordedBody, received: RecordedBody): ExchangeAnswer {
  const raw = Object.entries(response.headers).flat();
  const end: ExchangeEnd = {
    outcome: 'complete',
    elapsedMs,
    firstByteMs: firstTokenMs,
    overheadMs: 0,
    requestBytes: sent.bytes,
    responseBytes: received.bytes,
    requestCut: sent.isCut ? true : undefined,
    responseCut: received.isCut ? true : undefined,
  };
  return { head: { status: response.status, headers: readResponseHead(raw).recorded, elapsedMs: firstTokenMs ?? elapsedMs }, end };
}

/** An allow-list, as for calls through the gateway. */
const recordedNames: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'user-agent', 'referer', 'accept']);

function requestHeadersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const recorded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (recordedNames.has(lower)) keepHeader(recorded, lower, lower === 'referer' ? withoutSecrets(value) : value);
  }
  return recorded;
}
