import type { ChangeEntry, Feedback } from '../change.ts';
import type { OrganizationId, RequestId } from '../ids.ts';
import type { Failure } from './failure.ts';
import type { Money } from '../pricing/money.ts';
import type { TextTags } from './text-tags.ts';
import type { Usage } from './usage.ts';

/**
 * Our price book, the provider's own figure, the caller's `Svc-Cost`, or none (cost is null, or 0 for a cached response, which is not
 * billed).
 */
export const costSources = ['price-book', 'provider', 'header', 'none'] as const;
export type CostSource = (typeof costSources)[number];

/** The source that a record names; `none` for an unknown name. */
export function costSourceOf(name: string): CostSource {
  return costSources.find((source) => source === name) ?? 'none';
}

/**
 * A recorded body as text. `json`: `JSON.stringify` of the decoded body (for streams, the assembled one). `text`: the body itself.
 * `binary`: base64 with its content type. `absent`: no body, or the caller asked us not to keep it.
 */
export type RecordedBody =
  | { readonly kind: 'absent' }
  | { readonly kind: 'json' | 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly base64: string; readonly contentType: string };

export interface Attempt {
  readonly provider: string;
  /** The provider's status; 0 without a response. */
  readonly status: number;
  /** Until the failure was known or the response was complete. */
  readonly ms: number;
  /** Why there was no response, no complete one or no answer: our error code, `client_left`, `provider_broke` or `reply_error`. */
  readonly error?: string;
}

/**
 * The interpreted, priced fact about one exchange; the public API calls it a request. Times are Unix milliseconds, durations milliseconds;
 * an empty text is an absent one, null is "not known".
 */
export interface RequestRecord extends TextTags {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  readonly createdAt: number;
  readonly responseCreatedAt: number | null;
  readonly keyHash: string;
  /** Keyed hash of the credential at the provider, where a later read may complete the call. */
  readonly credentialHash: string;

  readonly method: string;
  readonly path: string;
  readonly referrer: string;
  readonly targetUrl: string;
  readonly provider: string;
  readonly countryCode: string;
  /** The program that made the call, as `vocabulary/clients.ts` names it, and its version. */
  readonly client: string;
  readonly clientVersion: string;

  readonly requestModel: string;
  readonly responseModel: string;
  readonly modelOverride: string;
  /** Override, else response's, else request's, else `unknown`. */
  readonly model: string;

  readonly userId: string;
  readonly sessionId: string;
  readonly sessionName: string;
  readonly sessionPath: string;
  readonly properties: ReadonlyMap<string, string>;
  /** The session or the prompt was named by `Helicone-` headers. */
  readonly aliasedNames: boolean;
  /** Of the span that the call belongs to, or that the record was made of. */
  readonly traceId: string;
  readonly spanId: string;
  /** Spans that tell of the same call, and those around it, as `ingest/interpret/links.ts` writes them. */
  readonly spanLinks: readonly string[];
  readonly promptId: string;
  readonly inputs: ReadonlyMap<string, string>;

  /** The provider's id of the response. */
  readonly responseId: string;
  /** Upstream HTTP status; 499 the client left, 502 the provider broke off in mid-response, 0 no response at all. */
  readonly status: number;
  /** Null: the call has not failed. */
  readonly failure: Failure | null;
  readonly latencyMs: number | null;
  /** To the first byte of the response's body. */
  readonly timeToFirstByteMs: number | null;
  readonly timeToFirstTokenMs: number | null;
  /** The response was an event stream. */
  readonly streamed: boolean;
  readonly gatewayOverheadMs: number | null;
  readonly attempts: readonly Attempt[];

  readonly usage: Usage;
  readonly serviceTier: string;
  readonly cost: Money | null;
  readonly costSource: CostSource;
  /** The price's entry in its table, e.g. `openai/gpt-4o`; empty without a price. */
  readonly priceReference: string;
  /** The price itself, as written by `pricing/applied-price.ts`; empty without a price. */
  readonly appliedPrice: string;

  readonly cacheEnabled: boolean;
  readonly cached: boolean;
  /** Id of the request whose response was served from the cache. */
  readonly cacheReferenceId: string;
  /** When that response was complete; null for an uncached response. */
  readonly cacheCreatedAt: number | null;
  readonly threat: boolean | null;
  readonly isPassthroughBilling: boolean | null;
  readonly assets: readonly string[];
  readonly scores: ReadonlyMap<string, number>;
  /** Null: not rated. */
  readonly feedback: Feedback | null;
  /** History of the changes already applied to this record. */
  readonly changes: readonly ChangeEntry[];
  /** Numbers of the session changes already applied to this record. */
  readonly sessionChanges: readonly number[];

  /** Bodies of one group are stored side by side. 64 bits. */
  readonly bodyGroup: bigint;
  readonly requestBody: RecordedBody;
  readonly responseBody: RecordedBody;
  /** Set when the recorded body is shorter than the one that passed. */
  readonly requestBodyCut: boolean;
  readonly responseBodyCut: boolean;
  /** Text of the request's messages, of the last user message, and of the response's first choice. */
  readonly promptText: string;
  readonly lastUserText: string;
  readonly completionText: string;
  /** The last of what a request says, and the first of what its response says, in one line each. */
  readonly inputPreview: string;
  readonly outputPreview: string;
  /** Bytes of both bodies as they passed. */
  readonly sizeBytes: number;
}

/** Of a record that belongs to no span. */
export const noTrace = { traceId: '', spanId: '', spanLinks: [] } as const satisfies Partial<RequestRecord>;
