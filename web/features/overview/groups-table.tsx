import { type ReactNode, useState } from 'react';
import { definitionOf, type MetricName } from '../../../src/model/vocabulary/metrics.ts';
import { conditionOf, type Dimension, type DimensionValue, dimensionTitle, searchWith, valueTitle } from '../../lib/metrics/dimensions.ts';
import { type Figures, groupId, groupTitle } from '../../lib/metrics/groups.ts';
import { formatAmount } from '../../lib/format.ts';
import { figureText, formatChange, formatOf, isUnpriced, metricTitle } from '../../lib/metrics/metric-format.ts';
import { countsAll, requestsOfFigure, requestsOfGroup } from '../../lib/metrics/requests-of.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { groupColor } from '../../lib/metrics/group-color.ts';
import { RequestsLink } from '../../ui/requests-link.tsx';
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
  /** What is counted now. */
  readonly range: RangeSearch;
  /** The period before; undefined: there is none. */
  readonly before: RangeSearch | undefined;
  /** Whether the charts have the colours of the groups. */
  readonly isSplit: boolean;
  /** Requests of groups that were not asked for one by one. */
  readonly other: Figures | undefined;
  readonly measure: MovedMetric;
  /** The measure of all requests, of the period that has more of it. */
  readonly whole: number;
  readonly onSearch: (q: string) => void;
  readonly onOnly: (q: string) => void;
}

/** The groups of a dimension with what they cost or used now and before: those that moved most stand first. */
export function GroupsTable({
  groups,
  by,
  q,
  range,
  before,
  isSplit,
  other,
  measure,
  whole,
  onSearch,
  onOnly,
}: GroupsTableProps): ReactNode {
  const [isLong, setIsLong] = useState(false);
  const colored = groups.filter(({ now }) => now !== undefined).slice(0, shownGroups);
  const rows = groups.toSorted((left, right) => moved(right, measure) - moved(left, measure)).slice(0, isLong ? maxRows : firstRows);
  const title = dimensionTitle(by);
  const linked = { by, q, range, before };
  const columns: readonly DataColumn<ComparedGroup>[] = [
    {
      id: 'value',
      title,
      textOf: ({ key }) => groupTitle([by], key),
      cell: (group) => (
        <>
          <Swatch color={isSplit && colored.includes(group) ? groupColor([by], group.key, colored.indexOf(group)) : undefined} />
          <RequestsLink search={requestsOfGroup({ q, range: timeOf(group, linked), by: [by], key: group.key })}>
            {groupTitle([by], group.key)}
          </RequestsLink>
        </>
      ),
    },
    ...(before === undefined ? [] : [changeColumn({ ...linked, measure, whole })]),
    ...(measure === 'count' ? [] : [figure(linked, measure)]),
    ...(before === undefined ? [] : [figure(linked, measure, 'before')]),
    ...(['count', 'errors', 'p95_latency'] as const).map((metric) => figure(linked, metric)),
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

type Linked = Pick<GroupsTableProps, 'by' | 'q' | 'range' | 'before'>;

/** The time in which a group has requests: that before, where it is gone. */
function timeOf({ now }: ComparedGroup, { range, before }: Linked): RangeSearch {
  return now === undefined ? (before ?? range) : range;
}

/** A metric in this time or in the one before, each figure with the requests that it counts. */
function figure(linked: Linked, metric: MetricName, time: 'now' | 'before' = 'now'): DataColumn<ComparedGroup> {
  const { by, q, range, before = range } = linked;
  const counted = time === 'now' ? range : before;
  const title = time === 'now' ? metricTitle(metric) : 'Before';
  return {
    id: `${metric} ${time}`,
    title,
    isNumber: true,
    cell: ({ [time]: figures }) => textOf(metric, figures, time),
    costOf: metric === 'cost' ? ({ [time]: figures }) => figures?.cost : undefined,
    linkOf: (group, text) => (
      <RequestsLink
        search={requestsOfFigure({ q, range: counted, by: [by], key: group.key }, metric, group[time]?.[metric])}
        isRepeat={countsAll(metric) && timeOf(group, linked) === counted}
        label={`${groupTitle([by], group.key)}, ${title}: ${text}`}
      >
        {text}
      </RequestsLink>
    ),
  };
}

/** A group that is gone has no request now. */
function textOf(metric: MetricName, figures: Figures | undefined, time: 'now' | 'before'): string {
  if (figures !== undefined) return figureText(metric, figures);
  return formatOf(metric)(time === 'now' && definitionOf(metric).unit === 'requests' ? 0 : null);
}

type Compared = Linked & Pick<GroupsTableProps, 'measure' | 'whole'>;

function changeColumn(compared: Compared): DataColumn<ComparedGroup> {
  return { id: 'change', title: 'Change', isNumber: true, cell: (group) => <Change {...compared} group={group} /> };
}

/** How much more or less, and as a share, with the requests of both periods. */
function Change({ group, measure, whole, by, q, range, before: period }: Compared & { readonly group: ComparedGroup }): ReactNode {
  const { key, now, before } = group;
  const difference = (now?.[measure] ?? 0) - (before?.[measure] ?? 0);
  if (difference === 0 || isUnpriced(measure, now) || isUnpriced(measure, before)) return <span className="muted">–</span>;
  const amount = `${difference > 0 ? '+' : '−'}${formatOf(measure)(Math.abs(difference))}`;
  const share = formatChange(now?.[measure] ?? 0, before?.[measure] ?? 0);
  return (
    <span className={styles['change']}>
      <RequestsLink
        search={requestsOfGroup({ q, range: { ...range, from: period?.from }, by: [by], key })}
        label={`${groupTitle([by], key)}, Change: ${amount} ${share}, requests of both periods`}
      >
        <span className={styles[moodOfGroup(group, measure, whole)]}>
          {amount} <span className="muted">{share}</span>
        </span>
      </RequestsLink>
    </span>
  );
}

function moodOfGroup({ now, before }: ComparedGroup, measure: MovedMetric, whole: number): ReturnType<typeof moodOfMove> {
  const compared = { now: now?.[measure] ?? 0, before: before?.[measure] ?? 0, requests: [now?.count ?? 0, before?.count ?? 0] } as const;
  return moodOfMove(compared, measure === 'cost' ? 'less' : undefined, whole);
}

function moved({ now, before }: ComparedGroup, measure: MovedMetric): number {
  const isKnown = !isUnpriced(measure, now) && !isUnpriced(measure, before);
  const change = isKnown ? Math.abs((now?.[measure] ?? 0) - (before?.[measure] ?? 0)) : 0;
  // Groups without a cost are told apart by their requests.
  return change * 1e9 + Math.abs((now?.count ?? 0) - (before?.count ?? 0));
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
