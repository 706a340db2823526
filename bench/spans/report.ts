import type { MeasuredLoad } from '../gateway/load-driver.ts';
import type { ResidentBytes } from '../measure/process-table.ts';
import { spreadOf } from '../measure/spread.ts';
import type { Batches } from './batches.ts';
import type { ExportResult } from './exporters.ts';

export interface Round {
  readonly callsAlone: MeasuredLoad;
  readonly spansAlone: ExportResult;
  readonly callsBeside: MeasuredLoad;
  readonly spansBeside: ExportResult;
  /** CPU that the spans alone took, until the service was idle again. */
  readonly workerMs: number;
  readonly coreMs: number;
}

interface Context {
  readonly batches: Batches;
  readonly given: { readonly exporters: number; readonly rounds: number; readonly seconds: number };
  readonly memory: { readonly worker: ResidentBytes | null; readonly core: ResidentBytes | null };
}

function rate({ spans, elapsedMs }: ExportResult): number {
  return (spans * 1000) / elapsedMs;
}

export function renderSpans(rounds: readonly Round[], { batches, given, memory }: Context): readonly string[] {
  const rows: readonly (readonly [name: string, digits: number, of: (round: Round) => number])[] = [
    ['spans a second, alone', 0, ({ spansAlone }) => rate(spansAlone)],
    ['MB a second, alone', 1, ({ spansAlone }) => spansAlone.bytes / spansAlone.elapsedMs / 1000],
    ['a request of spans, alone: p50 ms', 1, ({ spansAlone }) => quantile(spansAlone.times, 0.5)],
    ['a request of spans, alone: p99 ms', 1, ({ spansAlone }) => quantile(spansAlone.times, 0.99)],
    ['CPU of the worker for a span, µs', 0, ({ spansAlone, workerMs }) => (workerMs * 1000) / spansAlone.spans],
    ['CPU of the core for a span, µs', 0, ({ spansAlone, coreMs }) => (coreMs * 1000) / spansAlone.spans],
    ['calls a second, alone', 0, ({ callsAlone }) => callsAlone.requestsPerSecond],
    ['a call, alone: p50 ms', 2, ({ callsAlone }) => callsAlone.whole.p50Micros / 1000],
    ['a call, alone: p99 ms', 2, ({ callsAlone }) => callsAlone.whole.p99Micros / 1000],
    ['spans a second, beside calls', 0, ({ spansBeside }) => rate(spansBeside)],
    ['calls a second, beside spans', 0, ({ callsBeside }) => callsBeside.requestsPerSecond],
    ['a call, beside spans: p50 ms', 2, ({ callsBeside }) => callsBeside.whole.p50Micros / 1000],
    ['a call, beside spans: p99 ms', 2, ({ callsBeside }) => callsBeside.whole.p99Micros / 1000],
  ];
  return [
    `${given.exporters} exporters, requests of ${batches.spans} spans (${batches.calls} calls of a model) and ${Math.round(batches.bytes / 1000)} KB in protobuf; ${given.rounds} rounds of ${given.seconds} s`,
    '',
    '| one gateway worker | median (lowest–highest) |',
    '| --- | ---: |',
    ...rows.map(([name, digits, of]) => `| ${name} | ${spread(rounds.map(of), digits)} |`),
    `| peak memory of the worker, MB | ${megabytes(memory.worker)} |`,
    `| peak memory of the core, MB | ${megabytes(memory.core)} |`,
  ];
}

function spread(values: readonly number[], digits: number): string {
  const found = spreadOf(values);
  if (found === null) return '–';
  const shown = (value: number): string => value.toFixed(digits);
  return `${shown(found.median)} (${shown(found.minimum)}–${shown(found.maximum)})`;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function megabytes(memory: ResidentBytes | null): string {
  return memory === null ? '–' : (memory.peak / 1e6).toFixed(0);
}
