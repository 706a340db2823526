import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button as AriaButton, Disclosure, DisclosurePanel } from 'react-aria-components';
import type { FilterNode } from '../../../../src/query/filter/ast.ts';
import { propertyNamesQuery } from '../../../lib/property-names.ts';
import { formatCount } from '../../../lib/format.ts';
import { conditionOf, type Dimension, dimensionTitle, searchWith } from '../../../lib/metrics/dimensions.ts';
import { type Group, groupId, groupsQuery, groupTitle } from '../../../lib/metrics/groups.ts';
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
      {dimensions.map((dimension) => (
        <Facet key={dimension} {...{ dimension, filter, range, q, onSearch }} />
      ))}
      {!areAllShown && (
        <Button kind="quiet" onPress={() => setAreAllShown(true)}>
          Properties …
        </Button>
      )}
    </aside>
  );
}

function Facet({ dimension, ...values }: FacetsProps & { readonly dimension: Dimension }): ReactNode {
  const [isOpen, setIsOpen] = useState(openFacets.has(dimension));
  return (
    <Disclosure isExpanded={isOpen} onExpandedChange={setIsOpen} className={styles['facet'] ?? ''}>
      <AriaButton slot="trigger" className={styles['trigger'] ?? ''}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        <span className="clip" dir="auto">
          {dimensionTitle(dimension)}
        </span>
      </AriaButton>
      <DisclosurePanel>{isOpen && <Values dimension={dimension} {...values} />}</DisclosurePanel>
    </Disclosure>
  );
}

function Values({ dimension, filter, range, q, onSearch }: FacetsProps & { readonly dimension: Dimension }): ReactNode {
  const [now] = useState(() => Date.now());
  const { from, to } = timeRangeOf(range, now);
  const { data, error } = useQuery(
    groupsQuery({ filter, from, to, metrics: ['count'], by: [dimension], sort: { count: 'desc' }, limit: shownValues }),
  );
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <ul>
      {data.groups.map((group) => (
        <Value key={groupId(group.key)} {...{ dimension, group, q, onSearch }} />
      ))}
      {data.other !== undefined && <li className="muted">others: {formatCount(data.other.count)}</li>}
    </ul>
  );
}

interface ValueProps {
  readonly dimension: Dimension;
  readonly group: Group;
  readonly q: string;
  readonly onSearch: (q: string) => void;
}

function Value({ dimension, group: { key, figures }, q, onSearch }: ValueProps): ReactNode {
  const title = groupTitle([dimension], key);
  const node = conditionOf(dimension, key[0] ?? null);
  const [only, without] = [searchWith(q, node), searchWith(q, node, true)];
  return (
    <li className={styles['value']}>
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
      <span className="number muted">{formatCount(figures.count)}</span>
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
