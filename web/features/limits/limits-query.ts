import { queryOptions } from '@tanstack/react-query';
import type { LimitUsage } from '../../../src/client/types/settings.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCost, formatCount } from '../../lib/format.ts';

export type LimitUse = LimitUsage;

const refetchInterval = 30_000;

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: async ({ signal }) => (await gatelog.limits.get({ signal })).data,
});

/** How full the limits are, by the record. */
export const limitUsageQuery = queryOptions({
  queryKey: ['limits', 'usage'],
  refetchInterval,
  queryFn: async ({ signal }): Promise<readonly LimitUse[]> => (await gatelog.limits.usage({ signal })).data,
});

/** An amount of a limit: dollars, or requests. */
export function amountText({ unit }: Pick<LimitUse, 'unit'>, amount: number): string {
  return unit === 'usd' ? formatCost(amount) : formatCount(amount);
}
