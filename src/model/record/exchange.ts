import type { OrganizationId, RequestId } from '../ids.ts';
import type { Attempt } from './request-record.ts';
import type { TextTags } from './text-tags.ts';
import type { JsonObject } from '../text.ts';

/**
 * One forwarded HTTP request with its response, raw. On its way it is a sequence of frames in the spool: `open` first, then the parts of the
 * request, the response's head and parts as they pass, and `end` last. An exchange whose worker died has no `end`.
 *
 * What is there at the same moment and small goes in one frame, because each costs the gateway about a microsecond: `opened` is `open` with the
 * whole body of the request, `answered` is the response's head, its whole body and `end`. Their payload is JSON, a line feed, which JSON never
 * holds unescaped, and the bytes of the body.
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

/** A property as the caller wrote it. `lowered`: the header's own prefix arrived in lower case, so the name's case is not the caller's choice. */
export interface TaggedProperty {
  readonly name: string;
  readonly value: string;
  readonly lowered?: true;
}

/** How much of a body is kept: `counted` is read for its tokens and dropped before the store, `never` does not reach a disk. */
export type BodyKeeping = 'kept' | 'counted' | 'never';

/** What the caller's tagging headers said, parsed; absent = not sent. */
export interface Tags extends Partial<TextTags> {
  readonly properties: readonly TaggedProperty[];
  readonly userId?: string;
  readonly sessionId?: string;
  readonly sessionName?: string;
  readonly sessionPath?: string;
  readonly modelOverride?: string;
  /** Decimal text of US dollars, as sent. */
  readonly cost?: string;
  /** The session or the prompt was named by headers that begin with `Helicone-`. */
  readonly aliasedNames?: true;
  readonly promptId?: string;
  readonly promptInputs?: Readonly<Record<string, string>>;
  readonly requestBody?: BodyKeeping;
  readonly responseBody?: BodyKeeping;
  /** The user's text is to be looked at for an attack on the model's instructions. */
  readonly securityCheck?: true;
}

/** Payload of the `open` frame. Headers are an allow-list with lower-case names; no credential is among them. */
export interface ExchangeOpen {
  readonly version: 1;
  readonly requestId: RequestId;
  readonly organizationId: OrganizationId;
  /** SHA-256 of the key that was used. */
  readonly keyHash: string;
  /** Unix milliseconds at which the request's head had arrived. */
  readonly openedAt: number;
  readonly method: string;
  /** Path and query as the caller sent them, secret parameters cut. */
  readonly path: string;
  /** Registry name of the provider: `openai`, `echo`, … or `custom`. */
  readonly provider: string;
  /** Address that was called, secret parameters cut; empty when none was. */
  readonly targetUrl: string;
  /** The model that the provider was asked for, where the caller's own body names another, or several, or its provider with it. */
  readonly model?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: Tags;
  /** Country of the caller, two capital letters, as a trusted proxy told it. */
  readonly countryCode?: string | undefined;
  /** Set when a budget has set money aside for this exchange, which its record settles. */
  readonly reserved?: true | undefined;
  /** Set when the caller enabled the response cache. */
  readonly cacheEnabled?: true | undefined;
  /** The exchange whose reply was given again; absent: this one was for a provider. */
  readonly cachedFrom?: CachedFrom | undefined;
  /** Members of the first attempt's body that stand in place of those of the body that the caller sent, which is the one in the frames. */
  readonly bodyOverride?: JsonObject | undefined;
}

/** Where a reply of the response cache is from. */
export interface CachedFrom {
  readonly requestId: string;
  /** When the provider's reply was whole, Unix milliseconds. */
  readonly createdAt: number;
}

/** Payload of the `responseHead` frame. What it says beside the head is as in the `end` frame, for an exchange whose worker dies before that. */
export interface ExchangeResponseHead extends EndFacts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since `openedAt`. */
  readonly elapsedMs: number;
}

/**
 * How an exchange ended: `complete` (both sides whole), `refused` (our own answer, nothing was forwarded), `client_left`, `provider_broke`
 * (in mid-response), `no_response` (refused connection, reset or time-out before a head).
 */
export type ExchangeOutcome = 'complete' | 'refused' | 'client_left' | 'provider_broke' | 'no_response';

/** What is known of an exchange only at its end; absent = as the `open` frame says. */
export interface EndFacts {
  /** Registry name of the provider that gave the reply, where it is another than the first. */
  readonly provider?: string;
  /** The address that was called last, secret parameters cut, where it is another than the first. */
  readonly targetUrl?: string;
  /** The model that the last attempt asked for, where it is another than the `open` frame or the caller's own body says. */
  readonly model?: string;
  /** The attempts, when there was more than one; providers by their registry names. */
  readonly attempts?: readonly Attempt[];
  /** As in the `open` frame, of the last attempt's body, where it is not the first one's; empty where that was the caller's own. */
  readonly bodyOverride?: JsonObject;
}

/** Payload of the `end` frame. */
export interface ExchangeEnd extends EndFacts {
  readonly outcome: ExchangeOutcome;
  /** Milliseconds since `openedAt`. */
  readonly elapsedMs: number;
  /** Milliseconds from `openedAt` to the first body byte of the response; absent when there was none. */
  readonly firstByteMs?: number | undefined;
  /**
   * Milliseconds with fractions that we spent on the call before it went out: from the arrival of its head, the wait for its body left out. Also
   * what its reply's `Server-Timing` says. Passing the reply on is not in it: of a body that comes bit by bit nothing tells our time from the
   * provider's without looking at the clock for each piece.
   */
  readonly overheadMs: number;
  /** Bytes that passed, which may be more than what was recorded. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Of the response, where its head has a frame of its own: that may be lost while this one is not. */
  readonly status?: number | undefined;
  /** Set when the recorded body is shorter than what passed. */
  readonly requestCut?: true | undefined;
  readonly responseCut?: true | undefined;
}

/** The JSON of an `answered` frame. */
export interface ExchangeAnswer {
  readonly head: ExchangeResponseHead;
  readonly end: ExchangeEnd;
}

/** An exchange put together again from its frames. Without `end` the worker died while it was open. */
export interface Exchange {
  readonly open: ExchangeOpen;
  /** As it was sent in the last attempt. */
  readonly requestBody: Uint8Array;
  /** As it came from the caller, where members of it were replaced. */
  readonly receivedBody?: Uint8Array | undefined;
  readonly responseHead: ExchangeResponseHead | undefined;
  readonly responseBody: Uint8Array;
  /** When the recorded parts of the response passed, milliseconds since `openedAt`; undefined without any. */
  readonly responseParts: { readonly firstMs: number; readonly lastMs: number } | undefined;
  readonly end: ExchangeEnd | undefined;
  /** The last bytes of a body that was cut, as far as they lie behind the cut. */
  readonly requestTail?: Uint8Array | undefined;
  readonly responseTail?: Uint8Array | undefined;
}
