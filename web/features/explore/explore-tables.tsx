import type { ReactNode } from 'react';
import type { AskedMetric } from '../../../src/model/vocabulary/metrics.ts';
import { bestOf } from '../../lib/metrics/best.ts';
import { type Dimension, dimensionTitle } from '../../lib/metrics/dimensions.ts';
import { type Figures, type Group, groupId, type GroupKey, type Groups, groupTitle } from '../../lib/metrics/groups.ts';
import { figureText, isMoney, metricTitle } from '../../lib/metrics/metric-format.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { groupColor } from '../../lib/metrics/group-color.ts';
import { Swatch } from '../../ui/swatch.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { SortButton } from '../../ui/table/sort-button.tsx';
import { UnpricedText } from '../../ui/unpriced-text.tsx';
import { pivotOf } from './explore-query.ts';
import { FigureLink, KeyLink } from './key-link.tsx';
import styles from './explore-page.module.css';

/** What the requests behind the figures match. */
interface Asked {
  readonly q: string;
  readonly range: RangeSearch;
  /** Names of sessions, by their identifiers. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

export interface ExploreTableProps extends Asked {
  /** Absent: "Groups". */
  readonly label?: string;
  readonly answer: Groups;
  readonly metrics: readonly AskedMetric[];
  readonly by: readonly Dimension[];
  readonly sort: AskedMetric;
  readonly order: 'asc' | 'desc';
  /** How many of the first groups have a colour in the chart beside. */
  readonly colored?: number;
  /** Absent: the table cannot be sorted. */
  readonly onSort?: (metric: AskedMetric, order: 'asc' | 'desc') => void;
}

interface TableRow {
  readonly id: string;
  readonly title: string;
  /** What tells its requests from others; the total has none. */
  readonly by: readonly Dimension[];
  /** Undefined: of several groups, which no search names together. */
  readonly key: GroupKey | undefined;
  readonly color?: number | 'other' | undefined;
  readonly figures: Figures;
}

/** Groups below one another with every metric, then all others together, and the total. */
export function ExploreTable({
  answer,
  metrics,
  by,
  sort,
  order,
  colored = 0,
  onSort,
  q,
  range,
  names,
  label = 'Groups',
}: ExploreTableProps): ReactNode {
  const best = bestOf(answer.groups, by, metrics);
  const columns: readonly DataColumn<TableRow>[] = [
    {
      id: 'group',
      title: by.map(dimensionTitle).join(' · ') || 'Group',
      cell: (row) => (
        <>
          <Swatch color={row.color} />
          {row.key === undefined ? (
            row.title
          ) : (
            <KeyLink {...{ q, range, names }} by={row.by} groupKey={row.key}>
              {row.by.length === 0 ? row.title : undefined}
            </KeyLink>
          )}
        </>
      ),
      textOf: ({ title }) => title,
    },
    ...metrics.map((metric) => ({
      id: metric,
      title: metricTitle(metric),
      ...(onSort === undefined ? {} : { head: <SortHead {...{ metric, sort, order, onSort }} /> }),
      ...(metric === sort ? { sorted: order === 'desc' ? ('descending' as const) : ('ascending' as const) } : {}),
      isNumber: true,
      isBest: ({ id }: TableRow) => best.get(metric)?.has(id) === true,
      costOf: isMoney(metric) ? ({ figures }: TableRow) => figures?.[metric] : undefined,
      cell: ({ figures }: TableRow) => `${answer.approximate.includes(metric) ? '≈ ' : ''}${figureText(metric, figures)}`,
      linkOf: ({ key, figures, ...row }: TableRow, figure: string) =>
        key === undefined ? (
          figure
        ) : (
          <FigureLink {...{ q, range, metric, figures }} by={row.by} groupKey={key} isInRow>
            {figure}
          </FigureLink>
        ),
    })),
  ];
  return (
    <>
      <DataTable label={label} columns={columns} rows={rowsOf(answer, by, colored)} keyOf={({ id }) => id} />
      {metrics.includes('cost') && <Unpriced answer={answer} />}
    </>
  );
}

/** Money is never shown without what it leaves out. */
function Unpriced({ answer: { total } }: { readonly answer: Groups }): ReactNode {
  const count = total?.unpriced_count ?? 0;
  if (count === 0) return null;
  return (
    <p className={styles['rest']}>
      <UnpricedText requests={count} models={[]} />
    </p>
  );
}

function rowsOf({ groups, other, total }: Groups, by: readonly Dimension[], colored: number): readonly TableRow[] {
  return [
    ...(by.length === 0
      ? []
      : groups.map(({ key, figures }: Group, index) => ({
          id: groupId(key),
          title: groupTitle(by, key),
          by,
          key,
          color: index < colored ? groupColor(by, key, index) : undefined,
          figures,
        }))),
    ...(other === undefined
      ? []
      : [{ id: 'other', title: 'Other', by, key: undefined, color: colored > 0 ? ('other' as const) : undefined, figures: other }]),
    ...(total === undefined ? [] : [{ id: 'total', title: by.length === 0 ? 'All requests' : 'Total', by: [], key: [], figures: total }]),
  ];
}

interface SortHeadProps extends Pick<ExploreTableProps, 'sort' | 'order'> {
  readonly metric: AskedMetric;
  readonly onSort: NonNullable<ExploreTableProps['onSort']>;
}

function SortHead({ metric, sort, order, onSort }: SortHeadProps): ReactNode {
  const direction = metric === sort ? order : undefined;
  return <SortButton title={metricTitle(metric)} direction={direction} onSort={(chosen) => onSort(metric, chosen)} />;
}

export interface PivotProps extends Asked {
  readonly answer: Groups;
  readonly metric: AskedMetric;
  readonly by: readonly Dimension[];
}

/** A metric, with the values of the last dimension side by side. */
export function Pivot({ answer, metric, by, q, range }: PivotProps): ReactNode {
  const { columns, rows } = pivotOf(answer);
  const last = by.slice(-1);
  const first = by.slice(0, -1);
  type PivotRow = (typeof rows)[number];
  const shown: readonly DataColumn<PivotRow>[] = [
    {
      id: 'group',
      title: first.map(dimensionTitle).join(' · '),
      cell: ({ key }) => <KeyLink {...{ q, range }} by={first} groupKey={key} />,
      textOf: ({ key }) => groupTitle(first, key),
    },
    ...columns.map((column, index) => ({
      id: groupId(column),
      title: groupTitle(last, column),
      isNumber: true,
      costOf: isMoney(metric) ? ({ cells }: PivotRow) => cells[index]?.[metric] : undefined,
      cell: ({ cells }: PivotRow) => (cells[index] === undefined ? '' : figureText(metric, cells[index])),
      linkOf: ({ key, cells }: PivotRow, figure: string) => (
        <FigureLink {...{ q, by, range, metric }} groupKey={[...key, ...column]} figures={cells[index]} isInRow={false}>
          {figure}
        </FigureLink>
      ),
    })),
  ];
  return (
    <>
      <DataTable
        label={`${metricTitle(metric)} by ${by.map(dimensionTitle).join(' and ')}`}
        columns={shown}
        rows={rows}
        keyOf={({ key }) => groupId(key)}
      />
      <p className={styles['rest']}>
        {answer.other !== undefined && <>Other groups: {figureText(metric, answer.other)}. </>}
        {answer.total !== undefined && (
          <>
            Total:{' '}
            <FigureLink {...{ q, range, metric }} by={[]} groupKey={[]} figures={answer.total} isInRow={false}>
              {figureText(metric, answer.total)}
            </FigureLink>
            .
          </>
        )}
      </p>
    </>
  );
}
