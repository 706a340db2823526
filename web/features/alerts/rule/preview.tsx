import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { AlertPreviewAnswer, NewAlert } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';
import { formatCount, formatDuration, formatTime } from '../../../lib/format.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Chart } from '../../../ui/chart/chart.tsx';
import type { ChartSeries } from '../../../ui/chart/chart-data.ts';
import { Loading } from '../../../ui/loading.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import { Select } from '../../../ui/select.tsx';
import { groupText, groupValuesText } from '../group-text.ts';
import { measureFormat, measureTitle } from '../measure-text.ts';
import styles from './rule.module.css';

const spans = { '1': 'the last day', '7': 'the last 7 days', '30': 'the last 30 days' } as const;
const spanOptions = Object.entries(spans).map(([value, label]) => ({ value: value as keyof typeof spans, label: `Over ${label}` }));
const day = 86_400_000;
const typingMs = 400;
const shownGroups = 8;

/** What a rule would have done, drawn anew while one types. */
export function Preview({ rule }: { readonly rule: NewAlert | undefined }): ReactNode {
  const [span, setSpan] = useState<keyof typeof spans>('7');
  const typed = useSettled(rule === undefined ? undefined : JSON.stringify({ ...rule, name: undefined, channels: undefined }));
  const { data, error, isFetching } = useQuery({
    queryKey: ['alert preview', typed, span],
    enabled: typed !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const timeFilter = { startTimeUnixMs: now - Number(span) * day, endTimeUnixMs: now };
      const { data: answer } = await gatelog.alerts.preview({ rule: JSON.parse(typed ?? '{}') as NewAlert, timeFilter }, { signal });
      return { answer, timeFilter };
    },
  });
  return (
    <section className={styles['preview']} aria-label="Preview">
      <header className={styles['head']}>
        <h2>What it would have done</h2>
        <Select label="Span of the preview" value={span} options={spanOptions} onChange={setSpan} />
      </header>
      {rule === undefined ? (
        <p className="muted">With a threshold, the rule runs here over what is on record.</p>
      ) : error !== null ? (
        <ErrorNotice error={error} />
      ) : data === undefined ? (
        <Loading what="Running the rule" />
      ) : (
        <div aria-busy={isFetching}>
          <Outcome rule={rule} {...data} span={spans[span]} />
        </div>
      )}
    </section>
  );
}

/** A text once nobody has typed for a moment. */
function useSettled(text: string | undefined): string | undefined {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

interface OutcomeProps {
  readonly rule: NewAlert;
  readonly answer: AlertPreviewAnswer;
  readonly timeFilter: { readonly startTimeUnixMs: number; readonly endTimeUnixMs: number };
  readonly span: string;
}

function Outcome({ rule, answer, timeFilter: { startTimeUnixMs: start, endTimeUnixMs: end }, span }: OutcomeProps): ReactNode {
  const { incidents, exact: isExact, step_ms: stepMs, groups_left_out: leftOut } = answer;
  const { times, series, groups } = useMemo(() => drawn(answer, start, end), [answer, start, end]);
  const bands = useMemo(
    () => incidents.map(({ started_at: from, ended_at: to }) => ({ from: Date.parse(from), to: to === null ? undefined : Date.parse(to) })),
    [incidents],
  );
  const lines = useMemo(() => [{ value: rule.threshold, label: 'threshold' }], [rule.threshold]);
  const format = measureFormat(rule.metric, rule.baseline !== null && rule.baseline !== undefined);
  return (
    <>
      <p className={styles['verdict']}>
        {incidents.length === 0 ? `It would not have fired in ${span}.` : `It would have fired ${timesText(incidents.length)} in ${span}.`}
      </p>
      {series.length > 0 && (
        <Chart
          title={measureTitle(rule)}
          about={groups > shownGroups ? `${shownGroups} of ${formatCount(groups)} groups` : undefined}
          kind="steps"
          {...{ times, series, lines, bands, format }}
          axisFormat={format}
          zone={timeZone()}
          height={220}
        />
      )}
      <ul className={styles['incidents']} aria-label="Incidents of the preview">
        {incidents.slice(0, 10).map(({ group, started_at: started, ended_at: ended, peak }) => (
          <li key={started + JSON.stringify(group)} className="clip" dir="auto">
            {formatTime(started, timeZone())} – {ended === null ? 'now' : formatTime(ended, timeZone())} ·{' '}
            {Object.keys(group).length > 0 && `${groupText(group)} · `}peak {format(peak)}
          </li>
        ))}
        {incidents.length > 10 && <li className="muted">and {formatCount(incidents.length - 10)} more</li>}
      </ul>
      {(!isExact || leftOut > 0) && (
        <p className="muted">
          The preview evaluates every {formatDuration(stepMs)}; the rule itself every 10 s.
          {leftOut > 0 && ` ${formatCount(leftOut)} groups with fewer requests were left out.`}
        </p>
      )}
    </>
  );
}

function timesText(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`;
}

/** A line for each group; of many those with the highest values. The answer has a point where a value changes: it holds until the next. */
function drawn({ series }: AlertPreviewAnswer, from: number, to: number): Drawn {
  // The ends of the range too, so that a value which does not change there is drawn.
  const times = [...new Set([from, ...series.map(({ time }) => Date.parse(time)), to])].toSorted((left, right) => left - right);
  const lines = new Map<string, { readonly title: string; readonly points: Map<number, number | null> }>();
  for (const { time, group, value } of series) {
    const id = JSON.stringify(group);
    const line = lines.get(id) ?? { title: groupValuesText(group) || groupText(group), points: new Map<number, number | null>() };
    lines.set(id, line);
    line.points.set(Date.parse(time), value);
  }
  const highest = [...lines].toSorted(([, left], [, right]) => peakOf(right.points) - peakOf(left.points)).slice(0, shownGroups);
  return {
    times,
    groups: lines.size,
    series: highest.map(([id, { title, points }], index) => ({ id, title, color: index + 1, values: held(points, times) })),
  };
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
