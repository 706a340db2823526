import type { Money } from '../pricing/money.ts';
import type { RequestRecord } from './request-record.ts';

/** Provider, in metrics, of calls that went to none. */
export const noProvider = 'none';

/** What one call has used. The tokens are of disjoint kinds, so that their sum is all of them. */
export interface Spend {
  readonly provider: string;
  readonly model: string;
  /** Null: nobody knows. */
  readonly cost: Money | null;
  /** Input that no cache of the provider had to do with. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Of recordings that are billed by time; absent: none. */
  readonly audioSeconds?: number;
}

type Spent = Pick<RequestRecord, 'provider' | 'model' | 'cost' | 'usage'> & Partial<Pick<RequestRecord, 'failure'>>;

/**
 * TRICKY: a call that the gateway refused went to nobody. Its record has the provider of the path all the same, OPENAI at `/v1/…`, also
 * where its model names a provider that there is not.
 */
export function spendOf({ provider, model, cost, usage, failure }: Spent): Spend {
  const cacheReadTokens = usage.promptCacheReadTokens ?? 0;
  const cacheWriteTokens = usage.promptCacheWriteTokens ?? 0;
  return {
    provider: failure?.kind === 'refused' ? noProvider : provider,
    model,
    cost,
    inputTokens: Math.max(0, (usage.promptTokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: usage.completionTokens ?? 0,
    audioSeconds: usage.audioSeconds ?? 0,
  };
}

/** Spending that became known after the record was stored. */
export interface CompletedSpend {
  /** As the record had it, and it was counted: unknown or estimated. */
  readonly before: Spend;
  readonly now: Spend;
}
