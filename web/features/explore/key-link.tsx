import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Dimension, searchOfKey } from '../../lib/metrics/dimensions.ts';
import { type GroupKey, groupTitle } from '../../lib/metrics/groups.ts';
import type { RangeSearch } from '../../lib/time-range.ts';

export interface KeyLinkProps {
  readonly q: string;
  readonly by: readonly Dimension[];
  readonly groupKey: GroupKey;
  readonly range: RangeSearch;
  /** Names of sessions, by their identifiers. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  /** Absent: the title of the group. */
  readonly children?: ReactNode;
}

/** A group that leads to its requests, and a session that leads to its page; plain where no search says which requests it has. */
export function KeyLink({ q, by, groupKey, range, names, children = groupTitle(by, groupKey, names) }: KeyLinkProps): ReactNode {
  const [session] = groupKey;
  if (by.length === 1 && by[0] === 'session' && typeof session === 'string') {
    return (
      <Link to="/sessions/$sessionId" params={{ sessionId: session }}>
        {children}
      </Link>
    );
  }
  const search = searchOfKey(q, by, groupKey);
  if (search === undefined) return children;
  return (
    <Link to="/requests" search={{ q: search === '' ? undefined : search, ...range }}>
      {children}
    </Link>
  );
}
