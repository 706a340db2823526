import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { MetricName } from '../../../src/model/vocabulary/metrics.ts';
import {
  conditionOf,
  type Dimension,
  type DimensionValue,
  dimensionTitle,
  searchAnd,
  searchWith,
  valueTitle,
} from '../../lib/metrics/dimensions.ts';
import { type Figures, groupId, groupTitle } from '../../lib/metrics/groups.ts';
import { formatAmount } from '../../lib/format.ts';
import { figureText, formatChange, formatOf, isUnpriced, metricTitle } from '../../lib/metrics/metric-format.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { groupColor } from '../../lib/metrics/group-color.ts';
import { Swatch } from '../../ui/swatch.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { moodOfMove } from './mood.ts';
import { type ComparedGroup, shownGroups } from './use-overview.ts';
import styles from './overview-page.module.css';

/** At first, and of all. */
const [firstRows, maxRows] = [5, 25];

/** What may move most. */
export type MovedMetric = 'cost' | 'total_tokens' | 'count';

export interface GroupsTableProps {
  readonly groups: readonly ComparedGroup[];
  readonly by: Dimension;
  readonly q: string;
  readonly range: RangeSearch;
  /** Whether the charts have the colours of the groups. */
  readonly isSplit: boolean;
  /** Requests of groups that were not asked for one by one. */
  readonly other: Figures | undefined;
  readonly measure: MovedMetric;
  /** The measure of all requests, of the period that has more of it. */
  readonly whole: number;
  /** Whether there is a period before. */
  readonly hasBefore: boolean;
  readonly onSearch: (q: string) => void;
  readonly onOnly: (q: string) => void;
}

/** The groups of a dimension with what they cost or used now and before: those that moved most stand first. */
export function GroupsTable({
  groups,
  by,
  q,
  range,
  isSplit,
  other,
  measure,
  whole,
  hasBefore,
  onSearch,
  onOnly,
}: GroupsTableProps): ReactNode {
  const [isLong, setIsLong] = useState(false);
  const colored = groups.filter(({ now }) => now !== undefined).slice(0, shownGroups);
  const rows = groups.toSorted((left, right) => moved(right, measure) - moved(left, measure)).slice(0, isLong ? maxRows : firstRows);
  const title = dimensionTitle(by);
  const linked = { by, q, range };
  const columns: readonly DataColumn<ComparedGroup>[] = [
    {
      id: 'value',
      title,
      textOf: ({ key }) => groupTitle([by], key),
      cell: (group) => (
        <>
          <Swatch color={isSplit && colored.includes(group) ? groupColor([by], group.key, colored.indexOf(group)) : undefined} />
          <ToRequests {...linked} group={group}>
            {groupTitle([by], group.key)}
          </ToRequests>
        </>
      ),
    },
    ...(hasBefore ? [figure('Change', (group) => <Change {...{ group, measure, whole }} />)] : []),
    ...(measure === 'count' ? [] : [measured(metricTitle(measure), 'now', measure)]),
    ...(hasBefore ? [measured('Before', 'before', measure)] : []),
    figure('Requests', (group) => <ToRequests {...linked} group={group} metric="count" />),
    figure('Errors', (group) => <ToRequests {...linked} group={group} metric="errors" search="failed:true" />),
    figure('Latency, p95', ({ now }) => formatOf('p95_latency')(now?.p95_latency ?? null)),
    { id: 'filter', title: 'Filter', cell: ({ key: [value = null] }) => <Filters {...{ by, value, q, onSearch, onOnly }} /> },
  ];
  return (
    <>
      <DataTable label={`${metricTitle(measure)} by ${title}`} columns={columns} rows={rows} keyOf={({ key }) => groupId(key)} />
      {groups.length > firstRows && (
        <p className={styles['rest']}>
          <Button kind="quiet" onPress={() => setIsLong(!isLong)}>
            {isLong ? 'Show fewer' : `Show ${formatOf('count')(Math.min(groups.length, maxRows))}`}
          </Button>
          {groups.length > maxRows && (
            <span className="muted">
              of {formatOf('count')(groups.length)}
              {other === undefined ? '' : `, and others with ${formatAmount(other.count, 'request')}`}
            </span>
          )}
        </p>
      )}
    </>
  );
}

type CostOf = DataColumn<ComparedGroup>['costOf'];

function figure(title: string, cell: (group: ComparedGroup) => ReactNode, costOf?: CostOf): DataColumn<ComparedGroup> {
  return { id: title, title, isNumber: true, cell, costOf };
}

/** What is compared, in this time or in the one before. */
function measured(title: string, time: 'now' | 'before', measure: MovedMetric): DataColumn<ComparedGroup> {
  const textOf = (figures: ComparedGroup['now']): string => (figures === undefined ? '–' : figureText(measure, figures));
  return figure(title, (group) => textOf(group[time]), measure === 'cost' ? (group) => group[time]?.cost : undefined);
}

interface ChangeProps extends Pick<GroupsTableProps, 'measure' | 'whole'> {
  readonly group: ComparedGroup;
}

/** How much more or less, and as a share. */
function Change({ group: { now, before }, measure, whole }: ChangeProps): ReactNode {
  const [value, valueBefore] = [now?.[measure] ?? 0, before?.[measure] ?? 0];
  const compared = { now: value, before: valueBefore, requests: [now?.count ?? 0, before?.count ?? 0] } as const;
  const mood = moodOfMove(compared, measure === 'cost' ? 'less' : undefined, whole);
  const difference = value - valueBefore;
  if (difference === 0 || isUnpriced(measure, now) || isUnpriced(measure, before)) return <span className="muted">–</span>;
  return (
    <span className={styles[mood]}>
      {difference > 0 ? '+' : '−'}
      {formatOf(measure)(Math.abs(difference))} <span className="muted">{formatChange(value, valueBefore)}</span>
    </span>
  );
}

function moved({ now, before }: ComparedGroup, measure: MovedMetric): number {
  const isKnown = !isUnpriced(measure, now) && !isUnpriced(measure, before);
  const change = isKnown ? Math.abs((now?.[measure] ?? 0) - (before?.[measure] ?? 0)) : 0;
  // Groups without a cost are told apart by their requests.
  return change * 1e9 + Math.abs((now?.count ?? 0) - (before?.count ?? 0));
}

interface ToRequestsProps extends Pick<GroupsTableProps, 'by' | 'q' | 'range'> {
  readonly group: ComparedGroup;
  /** The figure that is the link; absent: the children are. */
  readonly metric?: MetricName;
  /** What the requests match beside the group. */
  readonly search?: string;
  readonly children?: ReactNode;
}

function ToRequests({ by, q, range, group: { key, now }, metric, search, children }: ToRequestsProps): ReactNode {
  const value = key[0] ?? null;
  const whole = searchWith(q, conditionOf(by, value));
  const text = children ?? (metric === undefined ? '' : formatOf(metric)(now?.[metric] ?? 0));
  if (whole === undefined || conditionOf(by, value) === undefined) return text;
  return (
    <Link
      to="/requests"
      search={{ q: searchAnd(whole, search), ...range }}
      {...(metric === undefined
        ? {}
        : { 'aria-label': `${valueTitle(by, value)}, ${metricTitle(metric)}: ${formatOf(metric)(now?.[metric] ?? 0)}` })}
    >
      {text}
    </Link>
  );
}

interface FiltersProps {
  readonly by: Dimension;
  readonly value: DimensionValue;
  readonly q: string;
  readonly onSearch: (q: string) => void;
  readonly onOnly: (q: string) => void;
}

function Filters({ by, value, q, onSearch, onOnly }: FiltersProps): ReactNode {
  const condition = conditionOf(by, value);
  const [only, without] = [searchWith(q, condition), searchWith(q, condition, true)];
  const name = `${dimensionTitle(by)} ${valueTitle(by, value)}`;
  return (
    <span className={styles['filters']}>
      {only !== undefined && (
        <Button kind="quiet" onPress={() => onOnly(only)} aria-label={`Only ${name}`}>
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
