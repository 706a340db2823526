import type { ReactNode } from 'react';
import type { MetricName } from '../../../src/model/vocabulary/metrics.ts';
import { type Dimension, dimensionTitle } from '../../lib/metrics/dimensions.ts';
import { type Figures, type Group, groupId, type Groups, groupTitle } from '../../lib/metrics/groups.ts';
import { formatOf, metricTitle } from '../../lib/metrics/metric-format.ts';
import { Swatch } from '../../ui/swatch.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { SortButton } from '../../ui/table/sort-button.tsx';
import { pivotOf, shownMetrics } from './explore-query.ts';
import styles from './explore-page.module.css';

export interface ExploreTableProps {
  readonly answer: Groups;
  readonly metrics: readonly MetricName[];
  readonly by: readonly Dimension[];
  readonly sort: MetricName;
  readonly order: 'asc' | 'desc';
  /** How many of the first groups have a colour in the chart beside. */
  readonly colored?: number;
  /** Absent: the table cannot be sorted. */
  readonly onSort?: (metric: MetricName, order: 'asc' | 'desc') => void;
}

interface TableRow {
  readonly id: string;
  readonly title: string;
  readonly color?: number | 'other' | undefined;
  readonly figures: Figures;
}

/** Groups below one another with every metric, then all others together, and the total. */
export function ExploreTable({ answer, metrics, by, sort, order, colored = 0, onSort }: ExploreTableProps): ReactNode {
  const columns: readonly DataColumn<TableRow>[] = [
    {
      id: 'group',
      title: by.map(dimensionTitle).join(' · ') || 'Requests',
      cell: (row) => (
        <>
          <Swatch color={row.color} />
          {row.title}
        </>
      ),
      textOf: ({ title }) => title,
    },
    ...shownMetrics(metrics, answer).map((metric) => ({
      id: metric,
      title: metricTitle(metric),
      ...(onSort === undefined ? {} : { head: <SortHead {...{ metric, sort, order, onSort }} /> }),
      ...(metric === sort ? { sorted: order === 'desc' ? ('descending' as const) : ('ascending' as const) } : {}),
      isNumber: true,
      cell: ({ figures }: TableRow) => `${answer.approximate.includes(metric) ? '≈ ' : ''}${formatOf(metric)(figures[metric] ?? null)}`,
    })),
  ];
  return <DataTable label="Groups" columns={columns} rows={rowsOf(answer, by, colored)} keyOf={({ id }) => id} />;
}

function rowsOf({ groups, other, total }: Groups, by: readonly Dimension[], colored: number): readonly TableRow[] {
  return [
    ...(by.length === 0
      ? []
      : groups.map(({ key, figures }: Group, index) => ({
          id: groupId(key),
          title: groupTitle(by, key),
          color: index < colored ? index + 1 : undefined,
          figures,
        }))),
    ...(other === undefined ? [] : [{ id: 'other', title: 'other', color: colored > 0 ? ('other' as const) : undefined, figures: other }]),
    ...(total === undefined ? [] : [{ id: 'total', title: 'total', figures: total }]),
  ];
}

interface SortHeadProps extends Pick<ExploreTableProps, 'sort' | 'order'> {
  readonly metric: MetricName;
  readonly onSort: NonNullable<ExploreTableProps['onSort']>;
}

function SortHead({ metric, sort, order, onSort }: SortHeadProps): ReactNode {
  const direction = metric === sort ? order : undefined;
  return <SortButton title={metricTitle(metric)} direction={direction} onSort={(chosen) => onSort(metric, chosen)} />;
}

export interface PivotProps {
  readonly answer: Groups;
  readonly metric: MetricName;
  readonly by: readonly Dimension[];
}

/** The first metric, with the values of the last dimension side by side. */
export function Pivot({ answer, metric, by }: PivotProps): ReactNode {
  const { columns, rows } = pivotOf(answer);
  const format = formatOf(metric);
  const last = by.slice(-1);
  const first = by.slice(0, -1);
  type PivotRow = (typeof rows)[number];
  const shown: readonly DataColumn<PivotRow>[] = [
    {
      id: 'group',
      title: first.map(dimensionTitle).join(' · '),
      cell: ({ key }) => groupTitle(first, key),
      textOf: ({ key }) => groupTitle(first, key),
    },
    ...columns.map((column, index) => ({
      id: groupId(column),
      title: groupTitle(last, column),
      isNumber: true,
      cell: ({ cells }: PivotRow) => {
        const figures = cells[index];
        return figures === undefined ? '' : format(figures[metric] ?? null);
      },
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
        {answer.other !== undefined && <>Other groups: {format(answer.other[metric] ?? null)}. </>}
        {answer.total !== undefined && <>Total: {format(answer.total[metric] ?? null)}.</>}
      </p>
    </>
  );
}
