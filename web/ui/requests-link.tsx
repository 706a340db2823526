import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RequestsOfSeries } from './chart/chart-data.ts';

export interface RequestsLinkProps {
  /** Undefined: no search says which requests they are, and the text is plain. */
  readonly search: RequestsOfSeries | undefined;
  /** The name of the row leads there too, which is enough for who goes from link to link. */
  readonly isRepeat?: boolean;
  /** Says what the text alone does not. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A name or a figure that leads to its requests. */
export function RequestsLink({ search, isRepeat = false, label, children }: RequestsLinkProps): ReactNode {
  if (search === undefined) return children;
  return (
    <Link to="/requests" search={search} tabIndex={isRepeat ? -1 : undefined} aria-label={label}>
      {children}
    </Link>
  );
}
