import { candidateLabels } from '../peers/candidate.ts';
import { renderAims } from './aims.ts';
import type { CallsResult } from './calls.ts';
import { markdownTable, shown, shownMebibytes, shownSpread } from './markdown.ts';
import { memoryConnections, memoryKilobytes, type MemoryResult } from './memory.ts';
import { type BenchResult, failuresIn, type Measure, average, ratioOver, spreadOver } from './result.ts';
import { streamCount, streamIntervalMs, type StreamsResult } from './streams.ts';
import type { SustainedLoad, SustainedResult } from './sustained.ts';
import type { WorkersResult } from './workers.ts';

type Column = readonly [title: string, measure: Measure, digits: number];

/** The whole report as Markdown. */
export function renderReport(result: BenchResult): string {
  const { calls, streams, sustained, workers, memory } = result;
  const sections = [
    machineLines(result),
    ...(calls === null ? [] : callsSections(result, calls)),
    ...(streams === null ? [] : [streamsSection(streams)]),
    ...(sustained === null ? [] : [sustainedSection(sustained)]),
    ...(workers === null ? [] : [workersSection(workers)]),
    ...(memory === null ? [] : [memorySection(memory)]),
    renderAims(result),
    [...(calls === null ? [] : [calls.storedCheck]), failureLine(result)],
  ];
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

function machineLines({ machine, options }: BenchResult): string[] {
  return [
    `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
    `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
    `rounds: ${options.rounds}, ${options.seconds} s per phase, ${options.connections} connections; median (minimum–maximum)`,
  ];
}

function callsSections({ options }: BenchResult, calls: CallsResult): string[][] {
  const table = (title: string, columns: readonly Column[]): string[] => [
    `### ${title}`,
    '',
    ...markdownTable(
      ['', ...columns.map(([name]) => name)],
      options.candidates.map((candidate) => [
        candidateLabels[candidate],
        ...columns.map(([, measure, digits]) => shownSpread(spreadOver(calls, candidate, measure), digits)),
      ]),
    ),
  ];
  return [
    table(`JSON, ${options.connections} connections`, throughputColumns('json-many')),
    table('JSON, one connection', latencyColumns('json-one')),
    table('Stream, one connection, the first event at once and one more every 2 ms', firstByteColumns('stream-one')),
    table(`Stream, all events at once, ${options.connections} connections`, throughputColumns('stream-many')),
    ratioLines(calls),
    beforeLines(calls),
  ].filter((lines) => lines.length > 0);
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

const jsonThroughput: Measure = ({ phases }) => phases['json-many'].requestsPerSecond;
const jsonCpu: Measure = ({ phases }) => phases['json-many'].cpuPerRequestMicros;
const streamThroughput: Measure = ({ phases }) => phases['stream-many'].requestsPerSecond;
const streamCpu: Measure = ({ phases }) => phases['stream-many'].cpuPerRequestMicros;

const ratios = [
  ['JSON throughput, Gatelog ÷ Portkey', ['gatelog', 'portkey'], jsonThroughput],
  ['JSON throughput, Gatelog ÷ bare', ['gatelog', 'bare'], jsonThroughput],
  ['JSON throughput, bare ÷ Portkey', ['bare', 'portkey'], jsonThroughput],
  ['JSON throughput, with webhooks and alerts ÷ without', ['events', 'gatelog'], jsonThroughput],
  ['JSON CPU per request, with webhooks and alerts ÷ without', ['events', 'gatelog'], jsonCpu],
  ['JSON CPU per request, Gatelog ÷ bare', ['gatelog', 'bare'], jsonCpu],
  ['JSON CPU per request, Portkey ÷ Gatelog', ['portkey', 'gatelog'], jsonCpu],
  ['stream throughput, Gatelog ÷ Portkey', ['gatelog', 'portkey'], streamThroughput],
  ['stream throughput, Gatelog ÷ bare', ['gatelog', 'bare'], streamThroughput],
  ['stream CPU per request, Gatelog ÷ bare', ['gatelog', 'bare'], streamCpu],
] as const;

/** Ratios of the medians. Ratios without both candidates are left out. */
function ratioLines(calls: CallsResult): string[] {
  const rows = ratios.flatMap(([title, candidates, measure]) => {
    const ratio = average(calls, candidates, measure);
    return ratio === null ? [] : [[title, shown(ratio, 2)]];
  });
  return rows.length === 0 ? [] : ['### Ratios of the medians', '', ...markdownTable(['', ''], rows)];
}

/** Above 1: needs more, or does more, than the build before. */
function beforeLines(calls: CallsResult): string[] {
  const measures: readonly Column[] = [
    ['JSON, requests/s', jsonThroughput, 2],
    ['JSON, CPU of the worker', jsonCpu, 2],
    ['JSON, CPU of all processes', ({ phases }) => phases['json-many'].allProcessesPerRequestMicros, 2],
    ['JSON, one connection, p50', ({ phases }) => phases['json-one'].whole.p50Micros, 2],
    ['JSON, one connection, p99', ({ phases }) => phases['json-one'].whole.p99Micros, 2],
    ['stream, first byte p50', ({ phases }) => phases['stream-one'].firstByte.p50Micros, 2],
    ['streams, requests/s', streamThroughput, 2],
    ['streams, CPU of the worker', streamCpu, 2],
    ['streams, CPU of all processes', ({ phases }) => phases['stream-many'].allProcessesPerRequestMicros, 2],
  ];
  const rows = measures.flatMap(([title, measure, digits]) => {
    const ratio = ratioOver(calls, ['gatelog', 'before'], measure);
    return ratio === null ? [] : [[title, shownSpread(ratio, digits)]];
  });
  return rows.length === 0
    ? []
    : ['### Gatelog ÷ the build before, of each round', '', ...markdownTable(['', 'median (minimum–maximum)'], rows)];
}

function streamsSection({ candidates }: StreamsResult): string[] {
  return [
    `### ${streamCount} streams at once, an event every ${streamIntervalMs} ms in each`,
    '',
    ...markdownTable(
      [
        '',
        'streams',
        'longest gap that the provider made, ms',
        'longest that a reader saw, ms',
        'beyond its provider’s, median stream, ms',
        'worst stream, ms',
      ],
      candidates.map(({ candidate, gaps }) => [
        candidateLabels[candidate],
        shown(gaps.streams, 0),
        shown(gaps.maxSentMs, 1),
        shown(gaps.maxSeenMs, 1),
        shown(gaps.excessP50Ms, 1),
        shown(gaps.excessMaximumMs, 1),
      ]),
    ),
  ];
}

function sustainedSection({ barePerSecond, closedLoop, steps, sustained }: SustainedResult): string[] {
  return [
    '### A long load, records stored meanwhile; its second half is judged',
    '',
    ...markdownTable(
      [
        'asked, requests/s',
        'replies/s',
        'CPU of the worker, µs/request',
        'waits in the spool at the end, MiB',
        'at the least, MiB',
        'grows by, MiB/s',
        'comes in, MiB/s',
        'the ingest',
        'empty after, s',
        'can be queried after, s: p50',
        'p99',
        'longest',
        'calls asked for',
      ],
      [closedLoop, ...steps].map(sustainedRow),
    ),
    '',
    `bare, before and after: ${barePerSecond.map((rate) => shown(rate, 0)).join(' and ')} replies/s. ${
      sustained === null
        ? 'The ingest kept up with none of these rates.'
        : `The highest rate with which the ingest kept up: ${shown(sustained.repliesPerSecond, 0)}/s.`
    }`,
    `Waiting in the spool at each second of the closed loop, MiB: ${closedLoop.spool.waitingBytesEachSecond.map((bytes) => shownMebibytes(bytes)).join(' ')}`,
  ];
}

function sustainedRow({ askedPerSecond, repliesPerSecond, cpuPerRequestMicros, spool, drainedAfterMs, visible }: SustainedLoad): string[] {
  const { delay, calls, notFound } = visible;
  return [
    askedPerSecond === null ? 'all that come (closed loop)' : shown(askedPerSecond, 0),
    shown(repliesPerSecond, 0),
    shown(cpuPerRequestMicros, 1),
    shownMebibytes(spool.waitingBytesEachSecond.at(-1) ?? null),
    shownMebibytes(spool.minWaitingBytes),
    shownMebibytes(spool.growthBytesPerSecond, 2),
    shownMebibytes(spool.inflowBytesPerSecond, 2),
    spool.keepsUp ? 'keeps up' : '**falls behind**',
    drainedAfterMs === null ? 'over 300' : shown(drainedAfterMs / 1000, 1),
    shown(delay.p50Micros / 1e6, 2),
    shown(delay.p99Micros / 1e6, 2),
    shown(delay.maximumMicros / 1e6, 2),
    notFound === 0 ? shown(calls, 0) : `${calls}, of which ${notFound} never found`,
  ];
}

function workersSection({ rows }: WorkersResult): string[] {
  return [
    '### Gateway workers',
    '',
    ...markdownTable(
      ['workers', 'requests/s', 'CPU of the workers, µs/request'],
      rows.map(({ workers, requestsPerSecond, cpuPerRequestMicros }) => [
        String(workers),
        shownSpread(requestsPerSecond, 0),
        shownSpread(cpuPerRequestMicros, 1),
      ]),
    ),
    '',
    'With two cores, a generator and a provider this tells whether two workers get in each other’s way; it tells nothing of how they scale on more cores.',
  ];
}

function memorySection({ rows, requestsPerSecond }: MemoryResult): string[] {
  return [
    `### Memory, ${memoryConnections} calls at once with ${memoryKilobytes} KB there and back`,
    '',
    ...markdownTable(
      ['', 'at rest, MiB', 'peak, MiB'],
      rows.map(({ process, atRest, afterwards }) => [
        process,
        shownMebibytes(atRest?.now ?? null),
        shownMebibytes(afterwards?.peak ?? null),
      ]),
    ),
    '',
    `Gatelog made ${shown(requestsPerSecond, 0)} of them a second.`,
  ];
}

function failureLine(result: BenchResult): string {
  const failures = failuresIn(result);
  return failures.length === 0 ? 'Every reply was a whole 200.' : `Not every reply was a whole 200: ${failures.join('; ')}`;
}
