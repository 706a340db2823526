import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AskedMetric } from '../../../src/model/vocabulary/metrics.ts';
import type { Dimension } from '../../lib/metrics/dimensions.ts';
import { type Figures, type GroupKey, groupTitle } from '../../lib/metrics/groups.ts';
import { countsAll, requestsOfFigure, requestsOfGroup } from '../../lib/metrics/requests-of.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { RequestsLink } from '../../ui/requests-link.tsx';

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
  const sessionId = sessionOf(by, groupKey);
  if (sessionId === undefined) return <RequestsLink search={requestsOfGroup({ q, range, by, key: groupKey })}>{children}</RequestsLink>;
  return (
    <Link to="/sessions/$sessionId" params={{ sessionId }}>
      {children}
    </Link>
  );
}

function sessionOf(by: readonly Dimension[], [session]: GroupKey): string | undefined {
  return by.length === 1 && by[0] === 'session' && typeof session === 'string' ? session : undefined;
}

export interface FigureLinkProps extends Omit<KeyLinkProps, 'names' | 'children'> {
  readonly metric: AskedMetric;
  readonly figures: Figures | undefined;
  /** The row's name leads to all requests of the group. */
  readonly isInRow: boolean;
  /** The figure as it is written. */
  readonly children: string;
}

/** A figure of a group that leads to the requests that it counts. */
export function FigureLink({ q, by, groupKey, range, metric, figures, isInRow, children }: FigureLinkProps): ReactNode {
  const search = requestsOfFigure({ q, range, by, key: groupKey }, metric, figures?.[metric]);
  return (
    <RequestsLink search={search} isRepeat={isInRow && countsAll(metric) && sessionOf(by, groupKey) === undefined}>
      {children}
    </RequestsLink>
  );
}
