import type { OrganizationId, RequestId } from '../ids.ts';
import type { Attempt } from './request-record.ts';
import type { TextTags } from './text-tags.ts';
import type { JsonObject } from '../text.ts';

/**
 * One forwarded HTTP request with its response, raw. The spool holds it as a sequence of frames: `open` first, then the parts of the
 * request, the head and the parts of the response as they pass, and `end` last. An exchange whose worker died has no `end`. Each frame
 * costs the gateway about a microsecond, so small parts that are available together share one: `opened` is `open` with the whole request
 * body; `answered` is the response's head, its whole body and `end`. Their payload is JSON, a line feed (which JSON never holds unescaped)
 * and the bytes of the body.
 */
export const frameKinds = {
  open: 1,
  requestPart: 2,
  responseHead: 3,
  responsePart: 4,
  end: 5,
  opened: 6,
  answered: 7,
  requestTail: 8,
  responseTail: 9,
} as const;

/**
 * A property as the caller wrote it. `lowered`: the header's own prefix arrived in lower case, so the case of the name is not the caller's
 * choice.
 */
export interface TaggedProperty {
  readonly name: string;
  readonly value: string;
  readonly lowered?: true;
}

/** `counted` bodies are read for their tokens and dropped before the store; `never` bodies do not reach a disk. */
export type BodyKeeping = 'kept' | 'counted' | 'never';

/** The caller's tagging headers, parsed; absent = not sent. */
export interface Tags extends Partial<TextTags> {
  readonly properties: readonly TaggedProperty[];
  readonly userId?: string;
  readonly sessionId?: string;
  readonly sessionName?: string;
  readonly sessionPath?: string;
  readonly modelOverride?: string;
  /** Decimal text of US dollars, as sent. */
  readonly cost?: string;
  /** The session or the prompt was named by `Helicone-` headers. */
  readonly aliasedNames?: true;
  readonly promptId?: string;
  readonly promptInputs?: Readonly<Record<string, string>>;
  readonly requestBody?: BodyKeeping;
  readonly responseBody?: BodyKeeping;
  /** Check the user's text for prompt injection. */
  readonly securityCheck?: true;
}

/** The span that a call belongs to, by its `traceparent` (W3C Trace Context), in lower-case hexadecimal digits: 32 and 16. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** Payload of the `open` frame. Headers are an allow-list with lower-case names, without credentials. */
export interface ExchangeOpen {
  readonly version: 1;
  readonly requestId: RequestId;
  readonly organizationId: OrganizationId;
  /** SHA-256 of the caller's key. */
  readonly keyHash: string;
  /** Arrival of the request's head, Unix milliseconds. */
  readonly openedAt: number;
  readonly method: string;
  /** Path and query as sent, without secret parameters. */
  readonly path: string;
  /** Registry name of the provider: `openai`, `echo`, … or `custom`. */
  readonly provider: string;
  /** The called address without secret parameters; empty when none was called. */
  readonly targetUrl: string;
  /** The model asked of the provider, where the caller's body names another, several, or a provider with it. */
  readonly model?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: Tags;
  /** Absent: the caller named no span. */
  readonly trace?: TraceContext | undefined;
  /** The caller's country, two capital letters, from a trusted proxy. */
  readonly countryCode?: string | undefined;
  /** Set when a budget has reserved money for this exchange; its record settles the reservation. */
  readonly reserved?: true | undefined;
  /** Set when the caller enabled the response cache. */
  readonly cacheEnabled?: true | undefined;
  /** The exchange whose response was served from the cache; absent: the call was for a provider. */
  readonly cachedFrom?: CachedFrom | undefined;
  /** Members that replaced those of the caller's body in the first attempt. The frames hold the caller's body. */
  readonly bodyOverride?: JsonObject | undefined;
  /** Keyed hash of the caller's credential at the provider, where a call may be completed by another one or complete it. */
  readonly credentialHash?: string | undefined;
}

/** Payload of the `open` frame of an item of an import: the request body is the item, a line of JSON, and there was no call. */
export interface ImportedOpen extends ExchangeOpen {
  readonly imported: ImportMetadata;
}

export interface ImportMetadata {
  /** When it was imported, Unix milliseconds. */
  readonly at: number;
  /** For feedback without a number of its own. */
  readonly feedbackNumber: number;
}

/** Payload of the `open` frame of a call that did not pass through the gateway: its sender told of it. */
export interface LoggedOpen extends ExchangeOpen {
  readonly logged: LogMetadata;
}

/**
 * Whether another record may have the identifier. `fresh`: made for this call. `issued`: made by us, now or earlier, so that any record
 * that has it was created at the time in it. `chosen`: the sender's own.
 */
export type LoggedIdentifier = 'fresh' | 'issued' | 'chosen';

export interface LogMetadata {
  /** When it was logged, Unix milliseconds. */
  readonly at: number;
  readonly identifier: LoggedIdentifier;
  /** Bytes of the bodies in the frames. With fewer the call was never acknowledged, and its sender sends it again. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Its sender told no times. */
  readonly untimed?: true | undefined;
  /** Set for a call of a model that a span told of. */
  readonly span?: SpanIdentity | undefined;
  /**
   * Set for spans of transports, which came without their parents and are no calls: each as the digits of its trace, of its own and of its
   * parent's identifier, 64 together.
   */
  readonly carriers?: readonly string[] | undefined;
}

/** What a span of a model's call says by which others that tell of the same call are found. */
export interface SpanIdentity {
  readonly traceId: string;
  /** The spans that the record is made of, the call's own first. */
  readonly ids: readonly string[];
  readonly parentIds: readonly string[];
  /** Spans right inside that carry the call, such as HTTP's. */
  readonly carrierIds: readonly string[];
  /** Names of the instrumentations that made the spans. */
  readonly scopes: readonly string[];
  /** Registry name. */
  readonly provider: string;
  readonly models: readonly string[];
  /** The provider's identifier of its response; empty: not told. */
  readonly responseId: string;
  /** Unix milliseconds. */
  readonly endedAt: number;
  /** It tells what was said. */
  readonly hasTexts: boolean;
  /** 2: the provider's own usage, 1: counts, 0: none. */
  readonly usage: 0 | 1 | 2;
  /** Of its sender. */
  readonly keyId: string;
  /**
   * Log records told what the span's call said: it is no call by itself. Nanoseconds by which they came after the millisecond, for their
   * order.
   */
  readonly textsAlone?: number | undefined;
}

/** Origin of a cached response. */
export interface CachedFrom {
  readonly requestId: string;
  /** When the provider's response was complete, Unix milliseconds. */
  readonly createdAt: number;
}

/**
 * Payload of the `responseHead` frame. Its `EndOverrides` are those of the `end` frame, for an exchange whose worker dies before writing that.
 */
export interface ExchangeResponseHead extends EndOverrides {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since `openedAt`. */
  readonly elapsedMs: number;
}

/**
 * `complete` (both sides whole), `refused` (our own response, nothing was forwarded), `client_left`, `provider_broke` (in mid-response),
 * `no_response` (refused connection, reset or time-out before a head).
 */
export type ExchangeOutcome = 'complete' | 'refused' | 'client_left' | 'provider_broke' | 'no_response';

/** What is known only at the end; absent = as in the `open` frame. */
export interface EndOverrides {
  /** Registry name of the responding provider, when it is not the first one. */
  readonly provider?: string;
  /** The last called address without secret parameters, when it is not the first one. */
  readonly targetUrl?: string;
  /** The model of the last attempt, when it differs from the `open` frame or from the caller's body. */
  readonly model?: string;
  /** The attempts, when there was more than one; providers by registry name. */
  readonly attempts?: readonly Attempt[];
  /** As in the `open` frame, for the last attempt, when it differs from the first; empty: the caller's own body. */
  readonly bodyOverride?: JsonObject;
  /** As in the `open` frame, for the last called address; absent with such an address: none. */
  readonly credentialHash?: string;
}

export interface ExchangeEnd extends EndOverrides {
  readonly outcome: ExchangeOutcome;
  /** Milliseconds since `openedAt`. */
  readonly elapsedMs: number;
  /** Milliseconds from `openedAt` to the first byte of the response's body; absent when there was none. */
  readonly firstByteMs?: number | undefined;
  /** The same to the first piece of content of a stream; null: none came, or its bytes did not show it; absent: nobody looked. */
  readonly firstTokenMs?: number | null | undefined;
  /**
   * Milliseconds (with fractions) spent by the gateway before the request went out, from the arrival of its head, without the wait for its
   * body; also in the response's `Server-Timing`. Passing the response on is not included: separating our time from the provider's would
   * need a clock read for each piece.
   */
  readonly overheadMs: number;
  /** Bytes that passed, possibly more than were recorded. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** The response's status, when its head has a frame of its own, which may be lost while this one is not. */
  readonly status?: number | undefined;
  /** Set when the recorded body is shorter than the one that passed. */
  readonly requestCut?: true | undefined;
  readonly responseCut?: true | undefined;
  /** Set when the tail of the response begins where its recorded body ends. */
  readonly responseTailFollows?: true | undefined;
}

export interface ExchangeAnswer {
  readonly head: ExchangeResponseHead;
  readonly end: ExchangeEnd;
}

/** An exchange reassembled from its frames. Without `end`, the worker died while it was open. */
export interface Exchange {
  readonly open: ExchangeOpen;
  /** As sent in the last attempt. */
  readonly requestBody: Uint8Array;
  /** As received from the caller, when members of it were replaced. */
  readonly receivedBody?: Uint8Array | undefined;
  readonly responseHead: ExchangeResponseHead | undefined;
  readonly responseBody: Uint8Array;
  /** When the recorded parts of the response passed, milliseconds since `openedAt`; undefined without parts. */
  readonly responseParts: { readonly firstMs: number; readonly lastMs: number } | undefined;
  readonly end: ExchangeEnd | undefined;
  /** The last bytes of a truncated body, as far as they lie behind the cut. Long strings in those of a response are shortened. */
  readonly requestTail?: Uint8Array | undefined;
  readonly responseTail?: Uint8Array | undefined;
}
