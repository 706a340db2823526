import type { LimitUsage } from '../../client/client.ts';
import { shownAmount } from '../base/progress.ts';

/** What a sum of costs leaves out, and where to look. */
export function unpricedText({ requests, models }: NonNullable<LimitUsage['unpriced']>): string {
  const named = models.map(({ model, requests: count }) => `${model ?? 'no model'} (${count})`).join(', ');
  return `${shownAmount(requests, 'request')} without a price counted as $0: ${named}. "gatelog report unpriced" says more.`;
}
