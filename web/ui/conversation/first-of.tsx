import { type ReactNode, useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../button.tsx';

export interface FirstOfProps<Item> {
  readonly items: readonly Item[];
  /** How many are shown at first, and more each time. */
  readonly step: number;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** The first of many, and more when somebody asks for them: a browser lays out thousands for seconds. */
export function FirstOf<Item>({ items, step, children }: FirstOfProps<Item>): ReactNode {
  const [shown, setShown] = useState(step);
  const hidden = items.length - shown;
  if (hidden <= 0) return children(items);
  return (
    <>
      {children(items.slice(0, shown))}
      <Button kind="quiet" onPress={() => setShown(shown + step)}>
        Show {formatCount(Math.min(hidden, step))} more of {formatCount(hidden)} after these
      </Button>
    </>
  );
}
