import type { ChangeEntry, Feedback } from '../change.ts';
import type { OrganizationId, RequestId } from '../ids.ts';
import type { Money } from '../pricing/money.ts';
import type { TextTags } from './text-tags.ts';
import type { Usage } from './usage.ts';

/**
 * Where a cost comes from: our price book, the provider's own figure, the caller's `Svc-Cost`, or nowhere (cost is null, or 0 for a reply of
 * the response cache, which nobody bills).
 */
export const costSources = ['price-book', 'provider', 'header', 'none'] as const;
export type CostSource = (typeof costSources)[number];

/**
 * A recorded body as text. `json`: `JSON.stringify` of the decoded (for streams: put together) body. `text`: the body itself. `binary`: base64
 * with its content type. `absent`: there was none, or the caller asked us not to keep it.
 */
export type RecordedBody =
  | { readonly kind: 'absent' }
  | { readonly kind: 'json' | 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly base64: string; readonly contentType: string };

/** One attempt at a provider. */
export interface Attempt {
  readonly provider: string;
  /** What the provider answered, 0 without an answer. */
  readonly status: number;
  /** Until its failure was known, or its reply was whole. */
  readonly ms: number;
  /** Why there was no answer, or no whole one: the code of our error, `client_left` or `provider_broke`. */
  readonly error?: string;
}

/**
 * The interpreted, priced fact about one exchange: what the public API calls a request. Times are Unix milliseconds, durations milliseconds,
 * an empty text is an absent one, null is "not known".
 */
export interface RequestRecord extends TextTags {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  readonly createdAt: number;
  readonly responseCreatedAt: number | null;
  readonly keyHash: string;

  readonly method: string;
  readonly path: string;
  readonly referrer: string;
  readonly targetUrl: string;
  readonly provider: string;
  readonly countryCode: string;

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
  /** The session or the prompt was named by headers that begin with `Helicone-`. */
  readonly aliasedNames: boolean;
  readonly promptId: string;
  readonly inputs: ReadonlyMap<string, string>;

  /** The provider's identifier of its response. */
  readonly responseId: string;
  /** Upstream HTTP status; 499 the client left, 502 the provider broke off in mid-response, 0 no response at all. */
  readonly status: number;
  readonly latencyMs: number | null;
  readonly timeToFirstTokenMs: number | null;
  readonly gatewayOverheadMs: number | null;
  readonly attempts: readonly Attempt[];

  readonly usage: Usage;
  readonly serviceTier: string;
  readonly cost: Money | null;
  readonly costSource: CostSource;
  /** Where in its table the price was found, e.g. `openai/gpt-4o`; empty when there was none. */
  readonly priceReference: string;
  /** The price itself, as `pricing/applied-price.ts` writes it; empty when there was none. */
  readonly appliedPrice: string;

  readonly cacheEnabled: boolean;
  readonly cached: boolean;
  /** Identifier of the request whose reply was given again. */
  readonly cacheReferenceId: string;
  /** When that reply was whole; null for one that is not from the cache. */
  readonly cacheCreatedAt: number | null;
  readonly threat: boolean | null;
  readonly isPassthroughBilling: boolean | null;
  readonly assets: readonly string[];
  readonly scores: ReadonlyMap<string, number>;
  /** Null: nobody has rated it. */
  readonly feedback: Feedback | null;
  /** History of the changes that are in this record already. */
  readonly changes: readonly ChangeEntry[];
  /** Numbers of the changes of its session that are in this record already. */
  readonly sessionChanges: readonly number[];

  readonly requestBody: RecordedBody;
  readonly responseBody: RecordedBody;
  /** Set when the recorded body is shorter than what passed. */
  readonly requestBodyCut: boolean;
  readonly responseBodyCut: boolean;
  /** Text of the request's messages, of the last user message, and of the first choice of the response. */
  readonly promptText: string;
  readonly lastUserText: string;
  readonly completionText: string;
  /** Bytes of both bodies as they passed. */
  readonly sizeBytes: number;
}
