import type { OrganizationId } from '../ids.ts';
import type { Bill, Usage } from './usage.ts';

/**
 * What a later read of a response told of a call whose own answer came before there was any usage, as one in the background does. Plain data: it
 * crosses into a thread, and waits in the spool's checkpoint.
 */
export interface UsageCompletion {
  readonly organizationId: OrganizationId;
  /** The provider's name of the response, which the call's record has. */
  readonly responseId: string;
  /** Of both calls, as records name it. */
  readonly provider: string;
  /** When the read came, Unix milliseconds: the call was answered before. */
  readonly askedAt: number;
  /** When the provider began with the response by its own clock, Unix milliseconds; null where it does not say. */
  readonly begunAt: number | null;
  readonly usage: Usage;
  readonly bills?: readonly Bill[] | undefined;
  /** The model that answered; empty where that is not said. */
  readonly model: string;
  readonly serviceTier: string;
  /** The provider's own figure, as `moneyText` writes it. */
  readonly reportedCost: string | null;
}

/** One text for a response of an organisation at a provider. */
export function responseKeyOf({
  organizationId,
  provider,
  responseId,
}: Pick<UsageCompletion, 'organizationId' | 'provider' | 'responseId'>): string {
  return `${organizationId}/${provider}/${responseId}`;
}
