import type { OrganizationId } from '../ids.ts';
import type { Bill, Usage } from './usage.ts';

/**
 * Usage from a later read of a response whose own call ended before any usage was known, such as a background response. Plain data: it is
 * sent to a thread and stored in the spool's checkpoint.
 */
export interface UsageCompletion {
  readonly organizationId: OrganizationId;
  /** The provider's id of the response, as in the call's record. */
  readonly responseId: string;
  /** Provider of both calls, as named in records. */
  readonly provider: string;
  /** Where the read went, as {@link originOf}; absent in a checkpoint of an earlier version. */
  readonly origin?: string;
  /** Of the read, as in its `open` frame; absent in a checkpoint of an earlier version. */
  readonly credentialHash?: string;
  /** Time of the read, Unix milliseconds; the call ended earlier. */
  readonly askedAt: number;
  /** When the provider began the response, by its own clock, Unix milliseconds; null where not reported. */
  readonly begunAt: number | null;
  readonly usage: Usage;
  readonly bills?: readonly Bill[] | undefined;
  /** The responding model; empty where not reported. */
  readonly model: string;
  readonly serviceTier: string;
  /** The provider's own figure, as written by `moneyText`. */
  readonly reportedCost: string | null;
  /** Beginning of the answer, empty where it is not kept; absent in a checkpoint of an earlier version. */
  readonly outputPreview?: string;
}

/** Identifies the calls that a read may complete: reads that another could complete never share a key. */
export function responseKeyOf({
  organizationId,
  provider,
  origin = '',
  credentialHash = '',
  responseId,
}: Pick<UsageCompletion, 'organizationId' | 'provider' | 'origin' | 'credentialHash' | 'responseId'>): string {
  return `${organizationId}/${provider}/${credentialHash}/${origin}/${responseId}`;
}

/** Scheme, host and port of an address, in lower case; empty for none. */
export function originOf(targetUrl: string): string {
  return (/^[a-z]+:\/\/[^/?#]*/i.exec(targetUrl)?.[0] ?? '').toLowerCase();
}
