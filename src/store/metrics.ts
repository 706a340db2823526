import { type Family, type Meter, secondsBounds } from '../platform/metrics/meter.ts';
import { type Connections, laneNames } from './connections.ts';

const labels = { lane: laneNames };
const connections: Family = {
  name: 'gatelog_store_connections',
  kind: 'gauge',
  help: 'Connections to the store, by what they are for.',
  labels,
};
const busy: Family = { name: 'gatelog_store_connections_busy', kind: 'gauge', help: 'Connections that run a statement.', labels };
const waiting: Family = { name: 'gatelog_store_statements_waiting', kind: 'gauge', help: 'Statements that wait for a connection.', labels };
const waits: Family = {
  name: 'gatelog_store_wait_seconds',
  kind: 'histogram',
  help: 'How long statements waited for a connection; those that found one free are not counted.',
  labels,
  bounds: secondsBounds,
};

/** What the store measures. */
export const storeFamilies: readonly Family[] = [connections, busy, waiting, waits];

/** Counts a statement that had to wait for a connection. */
export function countWait(meter: Meter, lane: string, ms: number): void {
  meter.record(waits, [lane], ms / 1000);
}

/** Reads the state of the connections. */
export function readConnections(meter: Meter, store: Pick<Connections, 'lanes'>): void {
  for (const lane of store.lanes()) {
    meter.set(connections, [lane.name], lane.connections);
    meter.set(busy, [lane.name], lane.busy);
    meter.set(waiting, [lane.name], lane.waiting);
  }
}
