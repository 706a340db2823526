import { gatewayErrorCodes, type ErrorCode } from '../../model/errors.ts';
import { addressedProviders, customProviderName, providerInRecords, providersWithoutAddress } from '../../model/providers/providers.ts';
import type { ExchangeOutcome } from '../../model/record/exchange.ts';
import { noProvider } from '../../model/record/spend.ts';
import { cellsOfSeries, countInBucket, type MetricFamily, type Meter } from '../../platform/metrics/meter.ts';
import type { Unrecorded } from '../record/recorder.ts';
import type { ConnectionCounts } from '../upstream/pool.ts';

const outcomeIndexes: Readonly<Record<ExchangeOutcome, number>> = {
  complete: 0,
  refused: 1,
  client_left: 2,
  provider_broke: 3,
  no_response: 4,
};
const statusClasses = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

const calls: MetricFamily = {
  name: 'gatelog_gateway_calls_total',
  kind: 'counter',
  help: 'Calls of accepted keys that have ended, by how and with which class of status.',
  labels: { outcome: Object.keys(outcomeIndexes), status: statusClasses },
};
const overhead: MetricFamily = {
  name: 'gatelog_gateway_overhead_seconds',
  kind: 'histogram',
  help: 'What the gateway spent on a call before it went out, the wait for its body left out.',
  bounds: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
};
const overheadBounds = overhead.bounds ?? [];
/** Names in records, by registry names. Two providers may share one. */
const recordNames: ReadonlyMap<string, string> = new Map(
  [...addressedProviders, ...providersWithoutAddress].map((name) => [name, providerInRecords(name) ?? name.toUpperCase()]),
);
const durationProviders = [noProvider, ...new Set(recordNames.values())];
const durationIndexes: ReadonlyMap<string, number> = new Map(
  Array.from(recordNames, ([name, recordName]) => [name, durationProviders.indexOf(recordName)]),
);
const customIndex = durationIndexes.get(customProviderName) ?? 0;
const noProviderIndex = durationProviders.indexOf(noProvider);
const durations: MetricFamily = {
  name: 'gatelog_gateway_call_duration_seconds',
  kind: 'histogram',
  help: `How long whole calls of accepted keys took, from their head to the end of their response, by the class of status and the provider that was called last, as records name it; ${noProvider}: the gateway refused the call, or its cache had the response.`,
  labels: { provider: durationProviders, status: statusClasses },
  bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600],
};
const durationBounds = durations.bounds ?? [];
const durationCells = cellsOfSeries(durations);
const unrecorded: MetricFamily = {
  name: 'gatelog_gateway_unrecorded_total',
  kind: 'counter',
  help: 'Calls that are not, or may not be, on record.',
  labels: { reason: ['spool_full', 'write_failed'] },
};
const refusals: MetricFamily = {
  name: 'gatelog_gateway_refusals_total',
  kind: 'counter',
  help: 'Calls that the gateway answered with an error of its own before it sent them on.',
  labels: { code: gatewayErrorCodes },
};
const cacheUses = ['hit', 'miss', 'unused'] as const;
/** What the response cache had for a call. */
export type CacheUse = (typeof cacheUses)[number];
const cacheLookUps: MetricFamily = {
  name: 'gatelog_gateway_cache_total',
  kind: 'counter',
  help: 'Calls that asked for the response cache, by what it had for them.',
  labels: { result: cacheUses },
};
const connections: MetricFamily = {
  name: 'gatelog_gateway_provider_connections',
  kind: 'gauge',
  help: 'Open connections to providers.',
  labels: { state: ['busy', 'idle'] },
};
const waiting: MetricFamily = {
  name: 'gatelog_gateway_provider_calls_waiting',
  kind: 'gauge',
  help: 'Calls that wait for a connection to their provider.',
};

export const gatewayFamilies: readonly MetricFamily[] = [
  calls,
  overhead,
  unrecorded,
  refusals,
  cacheLookUps,
  connections,
  waiting,
  durations,
];

/** On the hot path: each count is an addition to a known cell, without allocation. */
export class GatewayMeter {
  private readonly meter: Meter;
  private readonly cells: Float64Array;
  private readonly callsStart: number;
  private readonly overheadStart: number;
  private readonly durationsStart: number;

  /** @param meter has {@link gatewayFamilies}. */
  constructor(meter: Meter) {
    this.meter = meter;
    this.cells = meter.cells;
    this.callsStart = meter.startOf(calls);
    this.overheadStart = meter.startOf(overhead);
    this.durationsStart = meter.startOf(durations);
  }

  /** @param status 0 for a call without a response. */
  ended(outcome: ExchangeOutcome, status: number, overheadMs: number): void {
    const { cells } = this;
    const cell = this.callsStart + outcomeIndexes[outcome] * statusClasses.length + classOf(status);
    cells[cell] = (cells[cell] ?? 0) + 1;
    countInBucket(cells, this.overheadStart, overheadBounds, overheadMs / 1000);
  }

  /** @param provider by its registry name; undefined: none was called. @param status 0 for a call without a response. */
  took(provider: string | undefined, status: number, ms: number): void {
    const index = provider === undefined ? noProviderIndex : (durationIndexes.get(provider) ?? customIndex);
    const series = index * statusClasses.length + classOf(status);
    countInBucket(this.cells, this.durationsStart + series * durationCells, durationBounds, ms / 1000);
  }

  unrecorded(reason: Unrecorded): void {
    this.meter.add(unrecorded, [reason]);
  }

  refused(code: ErrorCode): void {
    this.meter.add(refusals, [code]);
  }

  cacheLookUp(result: CacheUse): void {
    this.meter.add(cacheLookUps, [result]);
  }

  connections(counts: ConnectionCounts): void {
    this.meter.set(connections, ['busy'], counts.busy);
    this.meter.set(connections, ['idle'], counts.idle);
    this.meter.set(waiting, [], counts.waiting);
  }
}

/** Index in {@link statusClasses}; other statuses count as none. */
function classOf(status: number): number {
  const index = Math.floor(status / 100);
  return index < statusClasses.length ? index : 0;
}
