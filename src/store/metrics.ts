import { type MetricFamily, type Meter, secondsBounds } from '../platform/metrics/meter.ts';
import type { Connections } from './engine/connections.ts';
import { laneNames } from './engine/lanes.ts';
import type { MoveBodies } from './move/move-bodies.ts';
import type { KnownDamage } from './parts/damaged-parts.ts';
import type { StoreSize } from './parts/known-size.ts';

const labels = { lane: laneNames };
const connections: MetricFamily = {
  name: 'gatelog_store_connections',
  kind: 'gauge',
  help: 'Connections to the store, by what they are for.',
  labels,
};
const busy: MetricFamily = { name: 'gatelog_store_connections_busy', kind: 'gauge', help: 'Connections that run a statement.', labels };
const waiting: MetricFamily = {
  name: 'gatelog_store_statements_waiting',
  kind: 'gauge',
  help: 'Statements that wait for a connection.',
  labels,
};
const waits: MetricFamily = {
  name: 'gatelog_store_wait_seconds',
  kind: 'histogram',
  help: 'How long statements waited for a connection; those that found one free are not counted.',
  labels,
  bounds: secondsBounds,
};

const damagedParts: MetricFamily = {
  name: 'gatelog_store_damaged_parts',
  kind: 'gauge',
  help: 'Parts of the store with a damaged file: those that are known to fail what reads them, and those that could not be loaded at the start and are in no answer.',
  labels: { state: ['in_use', 'lost'] },
};

const toMove: MetricFamily = {
  name: 'gatelog_store_bodies_to_move',
  kind: 'gauge',
  help: 'Requests whose bodies are still in the order of an earlier version; they are moved in the background.',
};

const parts: MetricFamily = {
  name: 'gatelog_store_parts',
  kind: 'gauge',
  help: 'Active parts of all tables, at most half a minute ago. More and more of them: merges do not keep up.',
};
const merges: MetricFamily = { name: 'gatelog_store_merges', kind: 'gauge', help: 'Merges that ran, at most half a minute ago.' };
const bytes: MetricFamily = {
  name: 'gatelog_store_bytes',
  kind: 'gauge',
  help: 'Bytes of the active parts on the disk, at most half a minute ago. Parts that were merged stay beside them for some minutes.',
};

export const storeFamilies: readonly MetricFamily[] = [connections, busy, waiting, waits, damagedParts, toMove, parts, merges, bytes];

export function countWait(meter: Meter, lane: string, ms: number): void {
  meter.record(waits, [lane], ms / 1000);
}

export function readDamage(meter: Meter, { damage }: { readonly damage: Pick<KnownDamage, 'parts'> }): void {
  const lost = damage.parts().filter(({ isLost }) => isLost).length;
  meter.set(damagedParts, ['in_use'], damage.parts().length - lost);
  meter.set(damagedParts, ['lost'], lost);
}

export function readMove(meter: Meter, { moveBodies }: { readonly moveBodies: Pick<MoveBodies, 'state'> }): void {
  const { isDone, totalRows, movedRows } = moveBodies.state();
  meter.set(toMove, [], isDone ? 0 : totalRows - movedRows);
}

/** @param size undefined: the store does not say, and the figures are not shown. */
export function recordSize(meter: Meter, size: StoreSize | undefined): void {
  meter.set(parts, [], size?.parts ?? Number.NaN);
  meter.set(merges, [], size?.merges ?? Number.NaN);
  meter.set(bytes, [], size?.bytes ?? Number.NaN);
}

export function readConnections(meter: Meter, store: Pick<Connections, 'lanes'>): void {
  for (const lane of store.lanes()) {
    meter.set(connections, [lane.name], lane.connections);
    meter.set(busy, [lane.name], lane.busy);
    meter.set(waiting, [lane.name], lane.waiting);
  }
}
