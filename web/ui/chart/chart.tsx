import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatTime } from '../../lib/format.ts';
import { DataTable } from '../table/data-table.tsx';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { RequestsLink } from '../requests-link.tsx';
import { type ChartColors, colorOf, useChartColors } from './chart-colors.ts';
import { type ChartSeries, type RequestsOfBucket, requestsOfPoint } from './chart-data.ts';
import { chartData, chartOptions, type DrawnChart, isByFinger } from './chart-options.ts';
import styles from './chart.module.css';

export interface ChartProps extends DrawnChart {
  readonly title: string;
  /** The title stands above the chart already. */
  readonly isTitleHidden?: boolean;
  /** Beside the title: "25 of 487". */
  readonly about?: ReactNode;
  /** Below the title: the figure of the whole range. */
  readonly lead?: ReactNode;
  /** Null is what is not known. */
  readonly format: (value: number | null) => string;
  /** Charts with the same key share a crosshair; absent: this one has its own. */
  readonly syncKey?: string;
  /** A span was chosen with the pointer. Unix milliseconds. */
  readonly onZoom?: (from: number, to: number) => void;
  readonly height?: number;
  /** The requests of a bucket, to which a press leads that is on no group of them; absent: to none. */
  readonly requestsAt?: ((index: number) => RequestsOfBucket | undefined) | undefined;
}

/** Series over time as a picture, with the table of its figures behind a button. */
export function Chart({ title, isTitleHidden = false, about, lead, height = 180, ...chart }: ChartProps): ReactNode {
  const [isTable, setIsTable] = useState(false);
  return (
    <figure className={styles['chart']} aria-label={title}>
      <figcaption className={styles['head']} data-over={isTitleHidden && !isTable}>
        <b className={isTitleHidden ? 'visually-hidden' : 'clip'} dir="auto" title={title}>
          {title}
        </b>
        <span className="muted">{about}</span>
        <Button kind="quiet" onPress={() => setIsTable(!isTable)} aria-label={isTable ? `Chart of ${title}` : `Table of ${title}`}>
          {isTable ? 'Chart' : 'Table'}
        </Button>
      </figcaption>
      {lead}
      {isTable ? <Figures title={title} height={height} {...chart} /> : <Picture title={title} height={height} {...chart} />}
    </figure>
  );
}

type PictureProps = Omit<ChartProps, 'about' | 'lead' | 'height' | 'isTitleHidden'> & { readonly height: number };

function Picture({ title, height, syncKey = `chart of ${title}`, onZoom, requestsAt, ...chart }: PictureProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const colors = useChartColors();
  const [hovered, setHovered] = useState<Hovered>();
  const navigate = useNavigate();
  const zoom = useEffectEvent((from: number, to: number) => onZoom?.(from, to));
  const pick = useEffectEvent((index: number, one: ChartSeries | undefined) => {
    const bucket = requestsAt?.(index);
    const search = (one === undefined ? undefined : requestsOfPoint(one, index, bucket)) ?? bucket;
    if (search !== undefined) void navigate({ to: '/requests', search });
  });
  const canZoom = onZoom !== undefined;
  const canPick = requestsAt !== undefined;
  const { kind, times, series, incompleteFrom, lines, bands, zone, axisFormat } = chart;

  // Of the members one by one: the object of them is new each time.
  useLayoutEffect(() => {
    const { current: target } = place;
    if (target === null || width === 0) return undefined;
    const drawn = { kind, times, series, incompleteFrom, lines, bands, zone, axisFormat };
    const events = {
      syncKey,
      onHover: (at: number | undefined, left: number, one: ChartSeries | undefined) =>
        setHovered(at === undefined ? undefined : { at, left, id: one?.id }),
      onPick: canPick ? (at: number, one: ChartSeries | undefined) => pick(at, one) : undefined,
      onZoom: canZoom ? (from: number, to: number) => zoom(from, to) : undefined,
    };
    const plot = new uPlot(chartOptions(drawn, colors, { width, height }, events), chartData(drawn), target);
    return () => plot.destroy();
  }, [width, height, colors, kind, times, series, incompleteFrom, lines, bands, zone, axisFormat, syncKey, canZoom, canPick]);

  const index = hovered !== undefined && hovered.at < times.length ? hovered.at : undefined;
  return (
    <>
      <div className={styles['pointed']}>
        <div ref={place} className={styles['picture']} style={{ minHeight: height }} role="img" aria-label={summaryOf(title, chart)} />
        {index !== undefined && <Tip {...{ chart, colors, index, width, canPick }} left={hovered?.left ?? 0} pointed={hovered?.id} />}
      </div>
      <Legend {...{ chart, colors, index }} />
    </>
  );
}

function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current: element } = place;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}

/** The bucket at the pointer. */
interface Hovered {
  readonly at: number;
  readonly left: number;
  /** Of the series at it. */
  readonly id: string | undefined;
}

interface TipProps extends LegendProps {
  readonly index: number;
  readonly left: number;
  readonly width: number;
  readonly canPick: boolean;
  readonly pointed: string | undefined;
}

/** Beside the pointer: the bucket with its values, the greatest first. The legend has them for who uses no pointer. */
function Tip({ chart: { series, times, format, zone }, colors, index, left, width, canPick, pointed }: TipProps): ReactNode {
  const time = times[index];
  if (time === undefined) return null;
  const place = left > width / 2 ? { right: width - left + tipDistance } : { left: left + tipDistance };
  const rows = series
    .map((one) => ({ ...one, value: one.values[index] ?? null }))
    .filter(({ value }) => value !== null && value !== 0)
    .toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0));
  const group = series.find(({ id, requests }) => id === pointed && requests !== undefined);
  return (
    <div className={styles['tip']} style={place} aria-hidden="true">
      <p>{formatTime(new Date(time).toISOString(), zone)}</p>
      {rows.slice(0, tipRows).map(({ id, title, color, isBefore, value }) => (
        <p key={id}>
          <i className={styles['swatch']} style={{ background: colorOf(colors, color), opacity: isBefore === true ? 0.4 : 1 }} />
          <span className="clip" dir="auto">
            {title}
          </span>
          <b>{format(value)}</b>
        </p>
      ))}
      {canPick && (
        <p className="muted">
          <span className="clip" dir="auto">
            {isByFinger() ? 'Tap again' : 'Click'} to see {group === undefined ? 'its requests' : `requests of ${group.title}`}
          </span>
        </p>
      )}
    </div>
  );
}

const tipDistance = 12;
const tipRows = 9;

interface LegendProps {
  readonly chart: Pick<ChartProps, 'series' | 'times' | 'format' | 'zone'>;
  readonly colors: ChartColors;
  readonly index: number | undefined;
}

/** The names of the colours, and under the crosshair the values. */
function Legend({ chart: { series, times, format, zone }, colors, index }: LegendProps): ReactNode {
  const time = index === undefined ? undefined : times[index];
  return (
    <ul className={styles['legend']}>
      {time !== undefined && <li className={styles['time']}>{formatTime(new Date(time).toISOString(), zone)}</li>}
      {series.map((one) => (
        <li key={one.id}>
          <i className={styles['swatch']} style={{ background: colorOf(colors, one.color), opacity: one.isBefore === true ? 0.4 : 1 }} />
          {one.requests === undefined ? (
            <span className="clip" dir="auto" title={one.title}>
              {one.title}
            </span>
          ) : (
            <Link to="/requests" search={one.requests} className="clip" dir="auto" title={`The requests of ${one.title}`}>
              {one.title}
            </Link>
          )}
          {index !== undefined && <b>{format(one.values[index] ?? null)}</b>}
        </li>
      ))}
    </ul>
  );
}

function summaryOf(title: string, { series, times, zone }: Pick<ChartProps, 'series' | 'times' | 'zone'>): string {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return `${title}: nothing`;
  const names = series.map((one) => one.title).join(', ');
  const [from, to] = [first, last].map((time) => formatTime(new Date(time).toISOString(), zone));
  return `${title}: ${names}, from ${from} to ${to}. The button "Table" shows the figures.`;
}

interface FigureRow {
  readonly index: number;
  readonly time: string;
  readonly requests: RequestsOfBucket | undefined;
  readonly values: readonly (number | null)[];
}

type FiguresProps = Pick<ChartProps, 'title' | 'series' | 'times' | 'format' | 'zone' | 'requestsAt'> & { readonly height: number };

function Figures({ title, series, times, format, zone, requestsAt, height }: FiguresProps): ReactNode {
  const rows: readonly FigureRow[] = times.map((time, index) => ({
    index,
    time: new Date(time).toISOString(),
    requests: requestsAt?.(index),
    values: series.map(({ values }) => values[index] ?? null),
  }));
  const columns = [
    {
      id: 'time',
      title: 'Time',
      cell: ({ time, requests }: FigureRow) => <RequestsLink search={requests}>{formatTime(time, zone)}</RequestsLink>,
    },
    ...series.map((one, index) => ({
      id: one.id,
      title: one.title,
      isNumber: true,
      cell: (row: FigureRow) => format(row.values[index] ?? null),
      linkOf: (row: FigureRow, figure: string) => (
        <RequestsLink search={requestsOfPoint(one, row.index, row.requests)} isRepeat={one.requests === undefined}>
          {figure}
        </RequestsLink>
      ),
    })),
  ];
  return (
    <div className={styles['figures']} style={{ height }}>
      <DataTable label={`Figures of ${title}`} columns={columns} rows={rows} keyOf={({ time }) => time} />
      <CopyButton text={csvOf(series, rows)} label={`Copy the figures of ${title} as CSV`}>
        Copy as CSV
      </CopyButton>
    </div>
  );
}

function csvOf(series: readonly ChartSeries[], rows: readonly FigureRow[]): string {
  const head = ['time', ...series.map(({ title }) => title)];
  return [head, ...rows.map(({ time, values }) => [time, ...values.map((value) => value?.toString() ?? '')])]
    .map((cells) => cells.map(quoted).join(','))
    .join('\n');
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
