import type { Machine } from '../measure/machine.ts';
import { spreadOf, type Spread } from '../measure/spread.ts';
import { candidateLabels, type CandidateName } from '../peers/candidate.ts';
import type { BenchOptions } from './options.ts';
import type { PhaseName, SettledPhaseResult } from './phases.ts';

/** What one candidate did in one round. */
export interface RoundResult {
  readonly round: number;
  readonly candidate: CandidateName;
  readonly phases: Readonly<Record<PhaseName, SettledPhaseResult>>;
}

export interface BenchResult {
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly rounds: readonly RoundResult[];
  /** One sentence on whether every reply of Gatelog was stored. */
  readonly storedCheck: string;
}

type Measure = (result: RoundResult, direct: RoundResult) => number;
type Column = readonly [title: string, measure: Measure, digits: number];

/** The whole report as Markdown. */
export function renderReport(result: BenchResult): string {
  return [
    ...machineLines(result),
    '',
    ...table(`JSON, ${result.options.connections} connections`, result, throughputColumns('json-many')),
    ...table('JSON, one connection', result, latencyColumns('json-one')),
    ...table('Stream, one connection, the first event at once and one more every 2 ms', result, firstByteColumns('stream-one')),
    ...table(`Stream, all events at once, ${result.options.connections} connections`, result, throughputColumns('stream-many')),
    ...ratioLines(result),
    '',
    result.storedCheck,
    errorLine(result),
  ].join('\n');
}

/** Replies that were not 200 or not whole, over all measured phases. */
export function countErrors(rounds: readonly RoundResult[]): number {
  return rounds.flatMap(({ phases }) => Object.values(phases)).reduce((total, { errors }) => total + errors, 0);
}

function throughputColumns(phase: 'json-many' | 'stream-many'): Column[] {
  return [
    ['requests/s', ({ phases }) => phases[phase].requestsPerSecond, 0],
    ['CPU of the worker, µs/request', ({ phases }) => phases[phase].cpuPerRequestMicros, 1],
    ['its share of one core, %', ({ phases }) => phases[phase].coreShare * 100, 0],
    ['CPU of all processes, µs/request', ({ phases }) => phases[phase].allProcessesPerRequestMicros, 1],
    ['p50 ms', ({ phases }) => phases[phase].whole.p50Micros / 1000, 2],
    ['p99 ms', ({ phases }) => phases[phase].whole.p99Micros / 1000, 2],
  ];
}

function latencyColumns(phase: 'json-one'): Column[] {
  return [
    ['p50 µs', ({ phases }) => phases[phase].whole.p50Micros, 0],
    ['p99 µs', ({ phases }) => phases[phase].whole.p99Micros, 0],
    ['added p50 µs', ({ phases }, direct) => phases[phase].whole.p50Micros - direct.phases[phase].whole.p50Micros, 0],
    ['added p99 µs', ({ phases }, direct) => phases[phase].whole.p99Micros - direct.phases[phase].whole.p99Micros, 0],
  ];
}

/** No p99: a paced stream takes some 40 ms, so a phase holds too few of them. */
function firstByteColumns(phase: 'stream-one'): Column[] {
  return [
    ['first byte p50 µs', ({ phases }) => phases[phase].firstByte.p50Micros, 0],
    [
      'added to the first byte, p50 µs',
      ({ phases }, direct) => phases[phase].firstByte.p50Micros - direct.phases[phase].firstByte.p50Micros,
      0,
    ],
    ['added to the whole stream, p50 µs', ({ phases }, direct) => phases[phase].whole.p50Micros - direct.phases[phase].whole.p50Micros, 0],
  ];
}

function machineLines({ machine, options }: BenchResult): string[] {
  return [
    `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
    `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
    `rounds: ${options.rounds}, ${options.seconds} s per phase, ${options.connections} connections; median (minimum–maximum)`,
  ];
}

function table(title: string, result: BenchResult, columns: readonly Column[]): string[] {
  const header = ['', ...columns.map(([name]) => name)];
  const rows = result.options.candidates.map((candidate) => [
    candidateLabels[candidate],
    ...columns.map(([, measure, digits]) => formatSpread(spread(result, candidate, measure), digits)),
  ]);
  const separator = header.map((_name, index) => (index === 0 ? '---' : '---:'));
  return [`### ${title}`, '', ...[header, separator, ...rows].map((cells) => `| ${cells.join(' | ')} |`), ''];
}

/** A measure of one candidate over the rounds, each round against the direct calls of the same round. */
function spread({ rounds }: BenchResult, candidate: CandidateName, measure: Measure): Spread | null {
  const values = rounds.flatMap((round) => {
    const direct = rounds.find((other) => other.candidate === 'direct' && other.round === round.round);
    return round.candidate === candidate && direct !== undefined ? [measure(round, direct)] : [];
  });
  return spreadOf(values);
}

function formatSpread(values: Spread | null, digits: number): string {
  if (values === null) return 'not measured';
  const format = (value: number): string => value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${format(values.median)} (${format(values.minimum)}–${format(values.maximum)})`;
}

const ratios: readonly (readonly [title: string, numerator: CandidateName, denominator: CandidateName, measure: Measure])[] = [
  ['JSON throughput, Gatelog ÷ Portkey', 'gatelog', 'portkey', ({ phases }) => phases['json-many'].requestsPerSecond],
  ['JSON throughput, Gatelog ÷ bare', 'gatelog', 'bare', ({ phases }) => phases['json-many'].requestsPerSecond],
  ['JSON throughput, bare ÷ Portkey', 'bare', 'portkey', ({ phases }) => phases['json-many'].requestsPerSecond],
  ['JSON CPU per request, Gatelog ÷ bare', 'gatelog', 'bare', ({ phases }) => phases['json-many'].cpuPerRequestMicros],
  ['JSON CPU per request, Portkey ÷ Gatelog', 'portkey', 'gatelog', ({ phases }) => phases['json-many'].cpuPerRequestMicros],
  ['stream throughput, Gatelog ÷ Portkey', 'gatelog', 'portkey', ({ phases }) => phases['stream-many'].requestsPerSecond],
  ['stream throughput, Gatelog ÷ bare', 'gatelog', 'bare', ({ phases }) => phases['stream-many'].requestsPerSecond],
  ['stream CPU per request, Gatelog ÷ bare', 'gatelog', 'bare', ({ phases }) => phases['stream-many'].cpuPerRequestMicros],
];

/** Ratios of the medians; those without both candidates are left out. */
function ratioLines(result: BenchResult): string[] {
  const rows = ratios.flatMap(([title, numerator, denominator, measure]) => {
    const [above, below] = [spread(result, numerator, measure), spread(result, denominator, measure)];
    return above === null || below === null ? [] : [`| ${title} | ${(above.median / below.median).toFixed(2)} |`];
  });
  return rows.length === 0 ? [] : ['### Ratios of the medians', '', '| | |', '| --- | ---: |', ...rows];
}

function errorLine({ rounds }: BenchResult): string {
  const errors = countErrors(rounds);
  if (errors === 0) return 'Every reply was a whole 200.';
  const failing = rounds.flatMap(({ candidate, phases }) =>
    Object.entries(phases).flatMap(([phase, { errors: count, firstError }]) =>
      count > 0 ? [`${candidate} ${phase}: ${count} (first: ${firstError ?? 'unknown'})`] : [],
    ),
  );
  return `${errors} replies were not a whole 200: ${failing.join('; ')}`;
}
