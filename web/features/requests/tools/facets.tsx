import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, type ReactNode, useState } from 'react';
import { Button as AriaButton, Disclosure, DisclosurePanel } from 'react-aria-components';
import { allOf, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { parseSearch } from '../../../../src/query/language/parse.ts';
import { canceledTitle } from '../../../lib/failure.ts';
import { propertyNamesQuery } from '../../../lib/property-names.ts';
import { formatCount } from '../../../lib/format.ts';
import { conditionOf, type Dimension, dimensionTitle, searchWith } from '../../../lib/metrics/dimensions.ts';
import { type Figures, groupId, groupsQuery, groupTitle } from '../../../lib/metrics/groups.ts';
import { type RangeSearch, timeRangeOf } from '../../../lib/time-range.ts';
import { Button } from '../../../ui/button.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import styles from './tools.module.css';

const ownFacets: readonly Dimension[] = ['model', 'status', 'failure_type', 'provider', 'client', 'user', 'country'];
/** Others are asked for when they are opened. */
const openFacets = new Set<Dimension>(['model', 'status']);
const shownValues = 8;

export interface FacetsProps {
  readonly filter: FilterNode;
  readonly range: RangeSearch;
  readonly q: string;
  readonly onSearch: (q: string) => void;
}

/** The values among the requests of the search with how many have them. A click keeps only these, or leaves them out. */
export function Facets({ filter, range, q, onSearch }: FacetsProps): ReactNode {
  const [areAllShown, setAreAllShown] = useState(false);
  const { data: names } = useQuery({ ...propertyNamesQuery, enabled: areAllShown });
  const dimensions = [...ownFacets, ...(areAllShown ? (names ?? []).map((name) => `properties.${name}`) : [])];
  return (
    <aside className={styles['facets']} aria-label="Facets">
      <Facet title="Result" isOpenFirst>
        <Results {...{ filter, range, q, onSearch }} />
      </Facet>
      {dimensions.map((dimension) => (
        <Facet key={dimension} title={dimensionTitle(dimension)} isOpenFirst={openFacets.has(dimension)}>
          <Values {...{ dimension, filter, range, q, onSearch }} />
        </Facet>
      ))}
      {!areAllShown && (
        <Button kind="quiet" onPress={() => setAreAllShown(true)}>
          Properties …
        </Button>
      )}
    </aside>
  );
}

interface FacetProps {
  readonly title: string;
  readonly isOpenFirst: boolean;
  readonly children: ReactNode;
}

function Facet({ title, isOpenFirst, children }: FacetProps): ReactNode {
  const [isOpen, setIsOpen] = useState(isOpenFirst);
  return (
    <Disclosure isExpanded={isOpen} onExpandedChange={setIsOpen} className={styles['facet'] ?? ''}>
      <AriaButton slot="trigger" className={styles['trigger'] ?? ''}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        <span className="clip" dir="auto">
          {title}
        </span>
      </AriaButton>
      <DisclosurePanel>{isOpen && children}</DisclosurePanel>
    </Disclosure>
  );
}

const okSearch = 'failed:false -status:499';

/** How the requests ended. One that was canceled may have failed before, so those that are OK are counted by themselves. */
const results = [
  { title: 'OK', search: okSearch, countOf: (_all: Figures, ok: Figures) => ok.count ?? 0 },
  { title: 'Failed', search: 'failed:true', countOf: ({ errors }: Figures) => errors ?? 0 },
  { title: canceledTitle, search: 'status:499', countOf: ({ left }: Figures) => left ?? 0 },
  { title: 'Cached', search: 'cached:true', countOf: ({ cached_count: cached }: Figures) => cached ?? 0 },
] as const;

function Results({ filter, range, q, onSearch }: FacetsProps): ReactNode {
  const [now] = useState(() => Date.now());
  const common = { ...boundsOf(range, now), by: [], sort: {}, limit: 1 };
  const { data, error } = useQuery(groupsQuery({ filter, ...common, metrics: ['count', 'errors', 'left', 'cached_count'] }));
  const good = useQuery(groupsQuery({ filter: allOf([filter, parseSearch(okSearch).filter]), ...common, metrics: ['count'] }));
  if (error !== null || good.error !== null) return <ErrorNotice error={error ?? good.error} />;
  if (data?.total === undefined || good.data?.total === undefined) return <Loading />;
  const { total } = data;
  const ok = good.data.total;
  return (
    <ul>
      {results.map(({ title, search, countOf }) => {
        const count = countOf(total, ok);
        const share = count / Math.max(1, total.count ?? 0);
        return count === 0 ? null : <Value key={title} node={parseSearch(search).filter} {...{ title, count, share, q, onSearch }} />;
      })}
    </ul>
  );
}

function boundsOf(range: RangeSearch, now: number): { readonly from: number | undefined; readonly to: number | undefined } {
  const { from, to } = timeRangeOf(range, now);
  return { from, to };
}

function Values({ dimension, filter, range, q, onSearch }: FacetsProps & { readonly dimension: Dimension }): ReactNode {
  const [now] = useState(() => Date.now());
  const { data, error } = useQuery(
    groupsQuery({ filter, ...boundsOf(range, now), metrics: ['count'], by: [dimension], sort: { count: 'desc' }, limit: shownValues }),
  );
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <ul>
      {data.groups.map(({ key, figures: { count = null } }) => (
        <Value
          key={groupId(key)}
          title={groupTitle([dimension], key)}
          node={conditionOf(dimension, key[0] ?? null)}
          share={(count ?? 0) / Math.max(1, data.total?.count ?? 0)}
          {...{ count, q, onSearch }}
        />
      ))}
      {data.other !== undefined && <li className="muted">others: {formatCount(data.other.count)}</li>}
    </ul>
  );
}

interface ValueProps {
  readonly title: string;
  /** Undefined: no search says it. */
  readonly node: FilterNode | undefined;
  readonly count: number | null;
  /** Of all requests of the search. */
  readonly share: number;
  readonly q: string;
  readonly onSearch: (q: string) => void;
}

function Value({ title, node, count, share, q, onSearch }: ValueProps): ReactNode {
  const [only, without] = [searchWith(q, node), searchWith(q, node, true)];
  return (
    <li className={styles['value']} style={{ '--share': `${share * 100}%` } as CSSProperties}>
      <Button
        kind="quiet"
        onPress={() => only !== undefined && onSearch(only)}
        isDisabled={only === undefined}
        aria-label={`Only ${title}`}
      >
        <span className="clip" dir="auto" title={title}>
          {title}
        </span>
      </Button>
      <span className="number muted">{formatCount(count)}</span>
      <Button
        kind="quiet"
        onPress={() => without !== undefined && onSearch(without)}
        isDisabled={without === undefined}
        aria-label={`Without ${title}`}
      >
        −
      </Button>
    </li>
  );
}
