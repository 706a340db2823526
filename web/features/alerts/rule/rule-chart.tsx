import { type ReactNode, useMemo } from 'react';
import type { AlertPreviewAnswer, NewAlert } from '../../../../src/client/client.ts';
import { formatCount } from '../../../lib/format.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Chart } from '../../../ui/chart/chart.tsx';
import type { ChartSeries, RequestsOfBucket } from '../../../ui/chart/chart-data.ts';
import { groupOfRule, groupValuesText, type Names } from '../group-text.ts';
import { measureFormat, measureTitle } from '../measure-text.ts';
import { requestsOfRule } from './rule-requests.ts';

const shownGroups = 8;

type Points = AlertPreviewAnswer['series'];

export interface RuleChartProps {
  readonly rule: Pick<NewAlert, 'metric' | 'aggregation' | 'percentile' | 'threshold' | 'baseline' | 'filter' | 'time_window' | 'window'>;
  readonly series: Points;
  readonly incidents: readonly { readonly started_at: string; readonly ended_at: string | null }[];
  /** Unix milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly height: number;
  /** Of sessions, by their identifiers. */
  readonly names?: Names | undefined;
}

/** What a rule measures over time, with its threshold and its incidents; nothing where there is no value. */
export function RuleChart({ rule, series: points, incidents, from, to, height, names }: RuleChartProps): ReactNode {
  const { times, series, groups } = useMemo(() => drawn(points, { from, to, names, rule }), [points, from, to, names, rule]);
  const bands = useMemo(
    () =>
      incidents
        .map(({ started_at: start, ended_at: end }) => ({
          from: Math.max(from, Date.parse(start)),
          to: end === null ? undefined : Date.parse(end),
        }))
        .filter((band) => band.to === undefined || band.to > from),
    [incidents, from],
  );
  const lines = useMemo(() => [{ value: rule.threshold, label: 'threshold' }], [rule.threshold]);
  const format = measureFormat(rule.metric, rule.baseline !== null && rule.baseline !== undefined);
  if (series.length === 0) return null;
  return (
    <Chart
      title={measureTitle(rule)}
      about={groups > shownGroups ? `${shownGroups} of ${formatCount(groups)} groups` : undefined}
      kind="steps"
      {...{ times, series, lines, bands, format, height }}
      axisFormat={format}
      zone={timeZone()}
      requestsAt={(index) => requestsOfRule(rule, times[index] ?? to)}
    />
  );
}

/** A line for each group; of many those with the highest values. The answer has a point where a value changes: it holds until the next. */
function drawn(series: Points, { from, to, names, rule }: Pick<RuleChartProps, 'from' | 'to' | 'names' | 'rule'>): Drawn {
  // The ends of the range too, so that a value which does not change there is drawn.
  const times = [...new Set([from, ...series.map(({ time }) => Date.parse(time)), to])].toSorted((left, right) => left - right);
  const lines = new Map<string, Line>();
  for (const { time, group, value } of series) {
    const id = JSON.stringify(group);
    const line = lines.get(id) ?? {
      title: groupValuesText(group, names) || groupOfRule(group, rule),
      points: new Map<number, number | null>(),
      ofGroup: Object.keys(group).length > 0 ? requestsOfRule(rule, to, group) : undefined,
      isPart: Object.keys(group).length > 0,
    };
    lines.set(id, line);
    line.points.set(Date.parse(time), value);
  }
  const highest = [...lines].toSorted(([, left], [, right]) => peakOf(right.points) - peakOf(left.points)).slice(0, shownGroups);
  return {
    times,
    groups: lines.size,
    series: highest.map(([id, { title, points, ofGroup, isPart }], index) => ({
      id,
      title,
      color: index + 1,
      values: held(points, times),
      isPart,
      requests: ofGroup === undefined ? undefined : { q: ofGroup.q, from, to },
    })),
  };
}

interface Line {
  readonly title: string;
  readonly points: Map<number, number | null>;
  /** Undefined: no search says which requests the group has. */
  readonly ofGroup: RequestsOfBucket | undefined;
  /** It has some of the rule's requests only. */
  readonly isPart: boolean;
}

interface Drawn {
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly groups: number;
}

function peakOf(points: ReadonlyMap<number, number | null>): number {
  return [...points.values()].reduce<number>((peak, value) => Math.max(peak, value ?? -Infinity), -Infinity);
}

function held(points: ReadonlyMap<number, number | null>, times: readonly number[]): readonly (number | null)[] {
  let value: number | null = null;
  return times.map((time) => {
    value = points.has(time) ? (points.get(time) ?? null) : value;
    return value;
  });
}
