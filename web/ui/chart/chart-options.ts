import uPlot from 'uplot';
import { type ChartColors, colorOf } from './chart-colors.ts';
import {
  type ChartBand,
  type ChartKind,
  type ChartLine,
  type ChartSeries,
  loneIndexes,
  partAt,
  seriesAt,
  splitAt,
  stackedValues,
} from './chart-data.ts';

export interface DrawnChart {
  readonly kind: ChartKind;
  /** Starts of the buckets, Unix milliseconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  /** Index of the first bucket that is not complete; absent: all are. */
  readonly incompleteFrom?: number | undefined;
  readonly lines?: readonly ChartLine[] | undefined;
  readonly bands?: readonly ChartBand[] | undefined;
  readonly zone: string;
  /** Of a mark on the axis of values. */
  readonly axisFormat: (value: number) => string;
}

export interface ChartEvents {
  /** Charts with the same key share a crosshair. */
  readonly syncKey: string;
  /** @param left of the pointer in the picture, pixels. @param series that is pointed at, if any. */
  readonly onHover: (index: number | undefined, left: number, series: ChartSeries | undefined) => void;
  /** A bucket was clicked, and one of its series or none. */
  readonly onPick: ((index: number, series: ChartSeries | undefined) => void) | undefined;
  readonly onZoom: ((from: number, to: number) => void) | undefined;
}

const day = 86_400_000;
const axisSize = { time: 28, values: 54 } as const;
/** Pixels of a character beside an axis. */
const characterWidth = 7;

/** @returns the columns of values that uPlot draws, each twice where its end is not complete; bars from the highest stack down. */
export function chartData({ kind, times, series, incompleteFrom = times.length }: DrawnChart): uPlot.AlignedData {
  const values = series.map((one) => one.values);
  const columns =
    kind === 'bars'
      ? stackedValues(values)
          .toReversed()
          .map((stacked) => splitAt(stacked, incompleteFrom))
      : values.map((line) => partAt(line, incompleteFrom));
  const drawn = columns.flatMap(({ certain, open }) => (incompleteFrom < times.length ? [certain, open] : [certain]));
  return [[...times], ...drawn.map((column) => [...column])] as uPlot.AlignedData;
}

export function chartOptions(
  chart: DrawnChart,
  colors: ChartColors,
  size: { width: number; height: number },
  events: ChartEvents,
): uPlot.Options {
  const { zone, axisFormat } = chart;
  const axis = { stroke: colors.text, font: colors.font, ticks: { show: false } };
  return {
    ...size,
    ms: 1,
    tzDate: (time) => uPlot.tzDate(new Date(time), zone),
    // The last label stands under the end of the axis.
    padding: [8, 24, 0, 0],
    legend: { show: false },
    scales: { x: { time: true }, y: { range: (_, __, max) => [0, topOf(max, chart.lines)] } },
    axes: [
      { ...axis, size: axisSize.time, grid: { show: false }, values: (_, splits) => timeTexts(splits, zone), space: 72 },
      {
        ...axis,
        size: (_, texts) => Math.max(axisSize.values, 14 + characterWidth * Math.max(0, ...(texts ?? []).map((text) => text.length))),
        space: 36,
        grid: { stroke: colors.line, width: 1 },
        values: (_, splits) => splits.map((value) => axisFormat(value)),
      },
    ],
    cursor: {
      sync: { key: events.syncKey },
      drag: { x: events.onZoom !== undefined, y: false, setScale: false, dist: dragPixels },
      points: { show: chart.kind !== 'bars', size: 6 },
      y: false,
    },
    series: [{}, ...(chart.kind === 'bars' ? barSeries(chart, colors) : lineSeries(chart, colors))],
    hooks: {
      drawClear: [(plot) => drawBands(plot, chart.bands ?? [], colors)],
      draw: [(plot) => drawLines(plot, chart.lines ?? [], colors)],
      ready: [(plot) => listenForClicks(plot, chart, events.onPick)],
      setCursor: [(plot) => hover(plot, chart, events.onHover)],
      setSelect: [(plot) => zoom(plot, events.onZoom)],
    },
  };
}

/** A chart of nothing has an axis too; a threshold stays in view. */
function topOf(max: number | null, lines: readonly ChartLine[] = []): number {
  const top = Math.max(max ?? 0, ...lines.map(({ value }) => value));
  return top > 0 ? top * 1.08 : 1;
}

/** Whether the last buckets are drawn apart. */
function isOpen({ times, incompleteFrom = times.length }: DrawnChart): boolean {
  return incompleteFrom < times.length;
}

function lineSeries(chart: DrawnChart, colors: ChartColors): uPlot.Series[] {
  const paths = chart.kind === 'steps' ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  // One line alone has a ground, which would hide others.
  const isAlone = chart.series.filter(({ isBefore }) => isBefore !== true).length === 1;
  return chart.series.flatMap(({ color, isBefore = false }) => {
    const stroke = colorOf(colors, color);
    const ground = isAlone && !isBefore ? { fill: paled(stroke, 0.12) } : {};
    // A single value between gaps has no line to be seen by.
    const line = {
      ...ground,
      stroke,
      width: 1.75,
      alpha: isBefore ? 0.35 : 1,
      points: { show: true, size: 5, filter: (chartShown: uPlot, index: number) => loneIndexes(chartShown.data[index] ?? []) },
      spanGaps: false,
      ...(paths === undefined ? {} : { paths }),
    };
    return isOpen(chart) ? [line, { ...line, dash: [4, 4] }] : [line];
  });
}

function barSeries(chart: DrawnChart, colors: ChartColors): uPlot.Series[] {
  const paths = uPlot.paths.bars?.({ size: [0.8, 48] });
  if (paths === undefined) return [];
  return chart.series.toReversed().flatMap(({ color }) => {
    const fill = colorOf(colors, color);
    const bars = { fill, width: 0, points: { show: false }, paths };
    return isOpen(chart) ? [bars, { ...bars, fill: paled(fill, 0.55) }] : [bars];
  });
}

function paled(color: string, alpha: number): string {
  return color.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
}

function drawBands(plot: uPlot, bands: readonly ChartBand[], colors: ChartColors): void {
  const { ctx, bbox, scales } = plot;
  ctx.save();
  ctx.fillStyle = colors.band;
  for (const { from, to = scales['x']?.max ?? from } of bands) {
    const left = Math.max(bbox.left, plot.valToPos(from, 'x', true));
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(to, 'x', true));
    if (right > left) ctx.fillRect(left, bbox.top, Math.max(2, right - left), bbox.height);
  }
  ctx.restore();
}

function drawLines(plot: uPlot, lines: readonly ChartLine[], colors: ChartColors): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colors.danger;
  ctx.fillStyle = colors.danger;
  ctx.font = colors.font.replace('12px', `${12 * devicePixelRatio}px`);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const { value, label } of lines) {
    const at = Math.round(plot.valToPos(value, 'y', true));
    ctx.beginPath();
    ctx.moveTo(bbox.left, at);
    ctx.lineTo(bbox.left + bbox.width, at);
    ctx.stroke();
    ctx.fillText(label, bbox.left + 6, at - 5);
  }
  ctx.restore();
}

function hover(plot: uPlot, chart: DrawnChart, onHover: ChartEvents['onHover']): void {
  const { cursor, bbox } = plot;
  onHover(cursor.idx ?? undefined, (cursor.left ?? 0) + bbox.left / devicePixelRatio, pointedSeries(plot, chart));
}

/** How far from a line it is still pointed at. */
const reachPixels = 16;

function pointedSeries(plot: uPlot, { kind, series }: DrawnChart): ChartSeries | undefined {
  const { idx: index, top = -1 } = plot.cursor;
  if (typeof index !== 'number' || top < 0) return undefined;
  const value = plot.posToVal(top, 'y');
  return seriesAt(kind, series, { index, value, reach: Math.abs(plot.posToVal(top + reachPixels, 'y') - value) });
}

/** A press that moves further is a drag. */
const dragPixels = 4;

function listenForClicks(plot: uPlot, chart: DrawnChart, onPick: ChartEvents['onPick']): void {
  if (onPick === undefined) return;
  let pressedAt = 0;
  /** The bucket whose values a finger has shown, and what was pointed at. */
  let tapped: string | undefined;
  plot.over.style.cursor = 'pointer';
  plot.over.addEventListener('mousedown', ({ clientX }) => {
    pressedAt = clientX;
  });
  plot.over.addEventListener('click', ({ clientX }) => {
    const { idx } = plot.cursor;
    if (typeof idx !== 'number' || Math.abs(clientX - pressedAt) >= dragPixels) return;
    const series = pointedSeries(plot, chart);
    const place = `${idx} ${series?.id ?? ''}`;
    // A finger cannot point without a tap: the first shows the values.
    if (isByFinger() && tapped !== place) tapped = place;
    else onPick(idx, series);
  });
}

/** Whether who points does it without hovering. */
export function isByFinger(): boolean {
  return matchMedia('(hover: none)').matches;
}

function zoom(plot: uPlot, onZoom: ChartEvents['onZoom']): void {
  const { left, width } = plot.select;
  if (onZoom === undefined || width < dragPixels) return;
  onZoom(Math.floor(plot.posToVal(left, 'x')), Math.ceil(plot.posToVal(left + width, 'x')));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

/** Hours where the marks are closer than a day; the first and each midnight have the day. */
function timeTexts(splits: readonly number[], zone: string): string[] {
  const dayText = new Intl.DateTimeFormat(undefined, { timeZone: zone, month: 'short', day: 'numeric' });
  const hourText = new Intl.DateTimeFormat(undefined, { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const isWide = (splits[1] ?? 0) - (splits[0] ?? 0) >= day * 0.9;
  return splits.map((time) => {
    const hour = hourText.format(time);
    return isWide || hour === '00:00' ? dayText.format(time) : hour;
  });
}
