import { markdownTable, shown } from './markdown.ts';
import type { PartName } from './options.ts';
import { type BenchResult, type Measure, average, spreadOver } from './result.ts';
import { streamIntervalMs } from './streams.ts';

/** One aim of this gateway. Without a bound its number is only reported. */
interface Aim {
  readonly part: PartName;
  readonly what: string;
  readonly least?: number;
  readonly most?: number;
  readonly digits: number;
  readonly unit: string;
  /** Null when it was not measured, for example without a candidate. */
  readonly measure: (result: BenchResult) => number | null;
}

const throughput: Measure = ({ phases }) => phases['json-many'].requestsPerSecond;
const workerCpu: Measure = ({ phases }) => phases['json-many'].cpuPerRequestMicros;
const p50: Measure = ({ phases }) => phases['json-one'].whole.p50Micros / 1000;
const p99: Measure = ({ phases }) => phases['json-one'].whole.p99Micros / 1000;
const firstByte: Measure = ({ phases }) => phases['stream-one'].firstByte.p50Micros / 1000;

function ratioTo(candidate: 'bare' | 'portkey', measure: Measure): Aim['measure'] {
  return ({ calls }) => (calls === null ? null : average(calls, ['gatelog', candidate], measure));
}

/** Gatelog's excess over the direct calls of the same round, median over the rounds. */
function added(measure: Measure): Aim['measure'] {
  return ({ calls }) =>
    calls === null ? null : (spreadOver(calls, 'gatelog', (own, direct) => measure(own, direct) - measure(direct, direct))?.median ?? null);
}

const aims: readonly Aim[] = [
  { part: 'calls', what: 'JSON throughput, Gatelog ÷ Portkey', least: 12, digits: 2, unit: '', measure: ratioTo('portkey', throughput) },
  { part: 'calls', what: 'JSON throughput, Gatelog ÷ bare', least: 0.8, digits: 2, unit: '', measure: ratioTo('bare', throughput) },
  {
    part: 'calls',
    what: 'CPU of the worker per JSON request, Gatelog ÷ bare',
    most: 1.4,
    digits: 2,
    unit: '',
    measure: ratioTo('bare', workerCpu),
  },
  { part: 'calls', what: 'added at one connection, p50', most: 0.3, digits: 3, unit: ' ms', measure: added(p50) },
  { part: 'calls', what: 'added at one connection, p99', most: 2, digits: 3, unit: ' ms', measure: added(p99) },
  { part: 'calls', what: 'added to the first byte of a stream, p50', most: 1, digits: 3, unit: ' ms', measure: added(firstByte) },
  {
    part: 'streams',
    what: 'longest gap in a stream beyond the longest that its provider made (from one interval on it is a stall)',
    most: streamIntervalMs,
    digits: 1,
    unit: ' ms',
    measure: ({ streams }) => streams?.candidates.find(({ candidate }) => candidate === 'gatelog')?.gaps.excessMaximumMs ?? null,
  },
  {
    part: 'sustained',
    what: 'throughput with which the ingest keeps up ÷ bare',
    least: 0.4,
    digits: 2,
    unit: '',
    measure: ({ sustained }) =>
      sustained === null ? null : (sustained.sustained?.repliesPerSecond ?? 0) / meanOf(sustained.barePerSecond),
  },
  {
    part: 'sustained',
    what: 'a call can be queried after, at that rate, p50',
    digits: 2,
    unit: ' s',
    measure: ({ sustained }) => seconds(sustained?.sustained?.visible.delay.p50Micros),
  },
  {
    part: 'sustained',
    what: 'the same, p99',
    digits: 2,
    unit: ' s',
    measure: ({ sustained }) => seconds(sustained?.sustained?.visible.delay.p99Micros),
  },
  {
    part: 'workers',
    what: 'throughput, two workers ÷ one',
    least: 0.9,
    digits: 2,
    unit: '',
    measure: ({ workers }) => {
      const [one, two] = workers?.rows.map(({ requestsPerSecond }) => requestsPerSecond?.median) ?? [];
      return one === undefined || two === undefined ? null : two / one;
    },
  },
  {
    part: 'memory',
    what: 'peak memory of the gateway worker, 200 calls at once with 150 KB there and back',
    digits: 0,
    unit: ' MiB',
    measure: ({ memory }) => mebibytes(memory?.rows.find(({ process }) => process.includes('worker'))?.afterwards?.peak),
  },
  {
    part: 'memory',
    what: 'peak memory of the core, the same',
    digits: 0,
    unit: ' MiB',
    measure: ({ memory }) => mebibytes(memory?.rows.find(({ process }) => process.includes('core'))?.afterwards?.peak),
  },
];

/** One line per aim of the measured parts, with a verdict. */
export function renderAims(result: BenchResult): string[] {
  const rows = aims
    .filter(({ part }) => result.options.parts.includes(part))
    .map((aim) => {
      const value = aim.measure(result);
      return [aim.what, boundOf(aim), value === null ? 'not measured' : `${shown(value, aim.digits)}${aim.unit}`, verdictOn(aim, value)];
    });
  return ['### Aims', '', ...markdownTable(['', 'aim', 'measured', 'verdict'], rows)];
}

function boundOf({ least, most, unit }: Aim): string {
  if (least !== undefined) return `≥ ${least}${unit}`;
  return most === undefined ? 'none' : `≤ ${most}${unit}`;
}

/** Judges the number as measured, not as rounded for display. */
function verdictOn({ least, most }: Aim, value: number | null): string {
  if (value === null || (least === undefined && most === undefined)) return '–';
  return value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY) ? 'reached' : '**missed**';
}

function meanOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

function seconds(micros: number | undefined): number | null {
  return micros === undefined ? null : micros / 1e6;
}

function mebibytes(bytes: number | undefined): number | null {
  return bytes === undefined ? null : bytes / 2 ** 20;
}
