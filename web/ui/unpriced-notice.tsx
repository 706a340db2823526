import type { ReactNode } from 'react';
import { Notice } from './notice.tsx';
import { UnpricedText, type UnpricedTextProps } from './unpriced-text.tsx';

/** That a figure is too low, beside it; nothing where every request has a price. */
export function UnpricedNotice({ unpriced }: { readonly unpriced: UnpricedTextProps | null }): ReactNode {
  return unpriced === null || unpriced.requests === 0 ? null : (
    <Notice kind="warning">
      <UnpricedText {...unpriced} />
    </Notice>
  );
}
