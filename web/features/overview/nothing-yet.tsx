import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Filter } from '../../../src/client/client.ts';
import { allOf, type FilterNode } from '../../../src/query/filter/ast.ts';
import { filterJson } from '../../../src/query/language/json.ts';
import { gatelog } from '../../lib/client.ts';
import { useMay } from '../../lib/signed-in.ts';
import { arrivedIn, type RangeSearch } from '../../lib/time-range.ts';
import { LinkButton } from '../../ui/link-button.tsx';
import { NoMatch } from '../../ui/no-match.tsx';

const route = getRouteApi('/shell/');

/** How often it looks for a first request. */
const pollMs = 3000;
/** Of clocks, and of calls that were on their way. */
const marginMs = 10 * 60_000;

interface NothingYetProps {
  /** Shows requests without a condition; undefined: there is none. */
  readonly onClear: (() => void) | undefined;
  readonly filter: FilterNode;
  readonly range: RangeSearch;
  /** When the figures were got, Unix milliseconds. */
  readonly since: number;
  readonly onFound: () => void;
}

/** Neither the time nor the one before it has a request. Whoever has just sent the first one waits here for it. */
export function NothingYet({ onClear, filter, range: { range, from, to }, since, onFound }: NothingYetProps): ReactNode {
  const mayMakeKeys = useMay('admin');
  const navigate = route.useNavigate();
  const allTime = (): void => void navigate({ search: (search) => ({ ...search, range: 'all', from: undefined, to: undefined }) });
  const { data: isFound = false } = useQuery({
    // Found once is enough: with `since` in it, each look at the figures would ask again before they are there.
    queryKey: ['first request', filter, range, from, to],
    refetchInterval: ({ state }) => (state.data === true || state.error !== null ? false : pollMs),
    retry: false,
    enabled: to === undefined,
    queryFn: async ({ signal }) => {
      const asked = filterJson(allOf([filter, arrivedIn({ from: since - marginMs, to: undefined })])) as Filter;
      const { data } = await gatelog.requests.query({ filter: asked, limit: 1, includeBodies: false }, { signal });
      return data.length > 0;
    },
  });
  useEffect(() => {
    if (!isFound) return undefined;
    onFound();
    // A clock that is behind the service's ends the range before what was found.
    const timer = setInterval(onFound, pollMs);
    return () => clearInterval(timer);
  }, [isFound, onFound]);
  return (
    <NoMatch
      title={onClear === undefined ? 'No request in this time' : 'No request matches'}
      onClear={onClear}
      onAllTime={range === 'all' ? undefined : allTime}
      way={mayMakeKeys && onClear === undefined && <LinkButton to="/start">Send the first call</LinkButton>}
    >
      {range !== 'all' && <p className="muted">None in the previous period either.</p>}
    </NoMatch>
  );
}
