import type { ReactNode } from 'react';
import { conditionOf, type Dimension, type DimensionValue, dimensionTitle, searchWith, valueTitle } from '../../lib/metrics/dimensions.ts';
import { type Figures, groupId, groupTitle } from '../../lib/metrics/groups.ts';
import { formatChange, formatOf } from '../../lib/metrics/metric-format.ts';
import { Button } from '../../ui/button.tsx';
import { Swatch } from '../../ui/swatch.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { type ComparedGroup, shownGroups } from './use-overview.ts';
import styles from './overview-page.module.css';

const shownRows = 12;

export interface GroupsTableProps {
  readonly groups: readonly ComparedGroup[];
  readonly by: Dimension;
  readonly q: string;
  readonly total: Figures | undefined;
  /** Whether the charts have the colours of the groups. */
  readonly isSplit: boolean;
  /** Requests of groups that were not asked for one by one. */
  readonly other: Figures | undefined;
  readonly onSearch: (q: string) => void;
}

/** The groups of a dimension with what they cost now and before: those whose cost moved most stand first. */
export function GroupsTable({ groups, by, q, total, isSplit, other, onSearch }: GroupsTableProps): ReactNode {
  const colored = groups.filter(({ now }) => now !== undefined).slice(0, shownGroups);
  const rows = groups.toSorted((left, right) => moved(right) - moved(left)).slice(0, shownRows);
  const title = dimensionTitle(by);
  const columns: readonly DataColumn<ComparedGroup>[] = [
    {
      id: 'value',
      title,
      textOf: ({ key }) => groupTitle([by], key),
      cell: (group) => (
        <>
          <Swatch color={isSplit && colored.includes(group) ? colored.indexOf(group) + 1 : undefined} />
          {groupTitle([by], group.key)}
        </>
      ),
    },
    figure('Cost', ({ now }) => formatOf('cost')(now?.cost ?? 0)),
    figure('Before', ({ before }) => formatOf('cost')(before?.cost ?? 0)),
    figure('Change', (group) => formatChange(group.now?.cost ?? 0, group.before?.cost ?? 0)),
    figure('Share', ({ now }) => formatOf('error_rate')(share(now?.cost, total?.cost))),
    figure('Requests', ({ now }) => formatOf('count')(now?.count ?? 0)),
    figure('Errors', ({ now }) => formatOf('error_rate')(now?.error_rate ?? null)),
    figure('Latency, p95', ({ now }) => formatOf('p95_latency')(now?.p95_latency ?? null)),
    { id: 'filter', title: 'Filter', cell: ({ key: [value = null] }) => <Filters {...{ by, value, q, onSearch }} /> },
  ];
  return (
    <>
      <DataTable label={`Cost by ${title}`} columns={columns} rows={rows} keyOf={({ key }) => groupId(key)} />
      {groups.length > shownRows && (
        <p className="muted">
          {shownRows} of {formatOf('count')(groups.length)}
          {other === undefined ? '' : ` dearest, and further ones with ${formatOf('count')(other.count ?? null)} requests together`}
        </p>
      )}
    </>
  );
}

function figure(title: string, cell: (group: ComparedGroup) => string): DataColumn<ComparedGroup> {
  return { id: title, title, isNumber: true, cell };
}

function moved({ now, before }: ComparedGroup): number {
  const change = Math.abs((now?.cost ?? 0) - (before?.cost ?? 0));
  // Groups without a cost are told apart by their requests.
  return change * 1e9 + Math.abs((now?.count ?? 0) - (before?.count ?? 0));
}

function share(part: number | null | undefined, whole: number | null | undefined): number | null {
  return part === null || part === undefined || whole === null || whole === undefined || whole === 0 ? null : part / whole;
}

interface FiltersProps {
  readonly by: Dimension;
  readonly value: DimensionValue;
  readonly q: string;
  readonly onSearch: (q: string) => void;
}

function Filters({ by, value, q, onSearch }: FiltersProps): ReactNode {
  const condition = conditionOf(by, value);
  const [only, without] = [searchWith(q, condition), searchWith(q, condition, true)];
  const name = `${dimensionTitle(by)} ${valueTitle(by, value)}`;
  return (
    <span className={styles['filters']}>
      {only !== undefined && (
        <Button kind="quiet" onPress={() => onSearch(only)} aria-label={`Only ${name}`}>
          Only
        </Button>
      )}
      {without !== undefined && (
        <Button kind="quiet" onPress={() => onSearch(without)} aria-label={`Without ${name}`}>
          Without
        </Button>
      )}
    </span>
  );
}
