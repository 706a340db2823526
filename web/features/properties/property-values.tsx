import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { everything } from '../../../src/query/filter/ast.ts';
import { gatelog } from '../../lib/client.ts';
import { formatAmount, formatCount, formatTime } from '../../lib/format.ts';
import { valueTitle } from '../../lib/metrics/dimensions.ts';
import { type Group, groupId, groupsQuery } from '../../lib/metrics/groups.ts';
import { figureText, formatOf } from '../../lib/metrics/metric-format.ts';
import { searchFor } from '../../lib/search-text.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { useBuckets, wideChart } from '../../lib/use-buckets.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import styles from './properties-page.module.css';

const shownValues = 100;
const room = { oldestMs: 0, chartWidth: wideChart };
const metrics = ['cost', 'count', 'errors', 'users', 'unpriced_count'] as const;

export interface PropertyValuesProps {
  readonly name: string;
  readonly range: RangeSearch;
  readonly mayHide: boolean;
  readonly onHidden: () => void;
}

/** The values of a property, the most expensive first. */
export function PropertyValues({ name, range, mayHide, onHidden }: PropertyValuesProps): ReactNode {
  const { start, to, isOpen } = useBuckets(range, room);
  const dimension = `properties.${name}`;
  const bounds = { from: isOpen ? undefined : start, to };
  const query = {
    filter: everything,
    ...bounds,
    metrics,
    by: [dimension],
    sort: { cost: 'desc', count: 'desc' },
    limit: shownValues,
  } as const;
  const { data, error } = useQuery(groupsQuery(query));
  const hide = useHide(name, onHidden);
  const since = bounds.from === undefined ? 'of all time' : `since ${formatTime(new Date(bounds.from).toISOString(), timeZone())}`;
  return (
    <Section
      title={name}
      about={since}
      actions={
        <>
          <Link to="/explore" search={{ by: [dimension], ...range }}>
            Open in Explore
          </Link>
          {mayHide && (
            <Button onPress={() => hide.mutate()} isDisabled={hide.isPending}>
              Hide from lists
            </Button>
          )}
        </>
      }
    >
      <ErrorNotice error={hide.error} />
      {error !== null ? (
        <PageError error={error} />
      ) : data === undefined ? (
        <Loading what="Loading the figures" />
      ) : (
        <>
          <DataTable
            label={`Values of ${name}`}
            columns={columnsOf(dimension, range, data.total?.cost ?? 0)}
            rows={data.groups}
            keyOf={({ key }) => groupId(key)}
          />
          {data.other !== undefined && (
            <p className="muted">
              The {formatCount(data.groups.length)} most expensive values. Others together: {figureText('cost', data.other)},{' '}
              {formatAmount(data.other.count, 'request')}.
            </p>
          )}
        </>
      )}
    </Section>
  );
}

function useHide(name: string, onHidden: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => gatelog.properties.hide(name),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['properties'] });
      onHidden();
    },
  });
}

function columnsOf(dimension: string, range: RangeSearch, total: number): readonly DataColumn<Group>[] {
  const titleOf = ({ key: [value = null] }: Group): string => (value === null ? 'without this property' : valueTitle(dimension, value));
  const linked = ({ key: [value = null] }: Group, title: string, more = ''): ReactNode => (
    <RequestsOf {...{ dimension, range, value, title, more }} />
  );
  return [
    {
      id: 'value',
      title: 'Value',
      textOf: titleOf,
      cell: (group) => linked(group, titleOf(group)),
    },
    {
      id: 'cost',
      title: 'Cost',
      isNumber: true,
      costOf: ({ figures }) => figures.cost,
      cell: ({ figures }) => figureText('cost', figures),
    },
    { id: 'share', title: 'Share of cost', cell: ({ figures }) => <Share part={figures.cost ?? 0} whole={total} /> },
    { id: 'count', title: 'Requests', isNumber: true, cell: (group) => linked(group, formatCount(group.figures.count)) },
    {
      id: 'errors',
      title: 'Errors',
      isNumber: true,
      cell: (group) =>
        (group.figures.errors ?? 0) > 0
          ? linked(group, formatCount(group.figures.errors), ' failed:true')
          : formatCount(group.figures.errors),
    },
    { id: 'users', title: 'Users', isNumber: true, cell: ({ figures }) => formatCount(figures.users) },
    { id: 'unpriced', title: 'No price', isNumber: true, cell: ({ figures }) => formatCount(figures.unpriced_count) },
  ];
}

interface RequestsOfProps {
  readonly dimension: string;
  readonly value: Group['key'][number];
  readonly title: string;
  readonly range: RangeSearch;
  /** Further terms of the search. */
  readonly more: string;
}

function RequestsOf({ dimension, value, title, range, more }: RequestsOfProps): ReactNode {
  const q = searchFor(dimension, value);
  if (q === undefined) return <span className="muted">{title}</span>;
  return (
    <Link to="/requests" search={{ q: q + more, ...range }}>
      {title}
    </Link>
  );
}

function Share({ part, whole }: { readonly part: number; readonly whole: number }): ReactNode {
  const share = whole > 0 ? part / whole : 0;
  return (
    <span className={styles['share']}>
      <span className={styles['track']}>
        <i className={styles['bar']} style={{ width: `${share * 100}%` }} />
      </span>
      <span>{formatOf('error_rate')(whole > 0 ? share : null)}</span>
    </span>
  );
}
