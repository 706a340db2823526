import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatAmount, formatCount } from '../lib/format.ts';

export interface UnpricedTextProps {
  readonly requests: number;
  /** Those of most of the requests, the first of them first; empty: nobody asked. */
  readonly models: readonly { readonly model: string | null; readonly requests: number }[];
}

/** What a sum of costs leaves out, and the way to where it gets a price. */
export function UnpricedText({ requests, models }: UnpricedTextProps): ReactNode {
  const isCut = models.reduce((sum, { requests: ofModel }) => sum + ofModel, 0) < requests;
  return (
    <>
      {formatAmount(requests, 'request')} without a price {requests === 1 ? 'counts' : 'count'} as $0, so the cost is too low
      {models.length > 0 && ': '}
      {models.map(({ model, requests: ofModel }, index) => (
        <span key={model ?? ''}>
          {index > 0 && ', '}
          <bdi>{model ?? 'no model'}</bdi> ({formatCount(ofModel)})
        </span>
      ))}
      {models.length > 0 && isCut && ', and others'}. <Link to="/prices">Set prices</Link>
    </>
  );
}
