import { cellsOfSeries, type MetricFamily, seriesOf } from './meter.ts';

/** Metrics of one process. */
export interface ProcessNumbers {
  /** Value of the label `process`: `core`, `supervisor`, `gateway-0`, … */
  readonly process: string;
  readonly families: readonly MetricFamily[];
  readonly cells: Float64Array;
}

/** The media type of {@link exposition}. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Metrics of all processes in Prometheus' format. Counters appear from the start as 0, so that their first step counts as one; gauges
 * appear once they are set, histograms once they have a value.
 */
export function exposition(numbers: readonly ProcessNumbers[]): string {
  const families = [...new Set(numbers.flatMap((one) => one.families))];
  return families.map((family) => familyText(family, numbers)).join('');
}

function familyText(family: MetricFamily, numbers: readonly ProcessNumbers[]): string {
  const samples = numbers.flatMap((one) => samplesOf(family, one));
  if (samples.length === 0) return '';
  return `# HELP ${family.name} ${family.help}\n# TYPE ${family.name} ${family.kind}\n${samples.join('')}`;
}

function samplesOf(family: MetricFamily, numbers: ProcessNumbers): string[] {
  return seriesIn(family, numbers).flatMap(({ labels, cells }) => {
    const named = [...labels, ['process', numbers.process] as const];
    return family.kind === 'histogram' ? histogramSamples(family, named, cells) : sample(family.name, named, cells[0] ?? Number.NaN);
  });
}

type Labels = readonly (readonly [string, string])[];

interface Series {
  readonly labels: Labels;
  readonly cells: Float64Array;
}

/** The series of a family in one process; empty when it is not measured there. */
export function seriesIn(family: MetricFamily, { families, cells }: ProcessNumbers): readonly Series[] {
  const position = families.indexOf(family);
  if (position === -1) return [];
  const size = cellsOfSeries(family);
  const start = families.slice(0, position).reduce((sum, before) => sum + seriesOf(before).length * cellsOfSeries(before), 0);
  return seriesOf(family).map((labels, index) => ({ labels, cells: cells.subarray(start + index * size, start + (index + 1) * size) }));
}

function histogramSamples({ name, bounds = [] }: MetricFamily, labels: Labels, series: Float64Array): string[] {
  let count = 0;
  const buckets = [...bounds.map(String), '+Inf'].map((bound, index) => {
    count += series[index] ?? 0;
    return sample(`${name}_bucket`, [...labels, ['le', bound]], count);
  });
  if (count === 0) return [];
  return [...buckets, sample(`${name}_sum`, labels, series[bounds.length + 1] ?? 0), sample(`${name}_count`, labels, count)].flat();
}

function sample(name: string, labels: Labels, value: number): string[] {
  if (Number.isNaN(value)) return [];
  return [`${name}{${labels.map(([label, text]) => `${label}="${text}"`).join(',')}} ${value}\n`];
}
