import type { ClickHouseClient } from '@clickhouse/client';
import type { ClickHouseServers } from '../../config/clickhouse-url.ts';
import type { DiskSpace, HasFreeSpace } from '../../platform/disk-space.ts';
import type { LaneName, LaneState, NoteWait, PermitOptions, ReadConnections } from './lanes.ts';
import type { RewrittenHours } from './rewritten-hours.ts';
import type { RowFiles } from './row-files.ts';

/** The embedded engine on a folder, or ClickHouse servers. */
export type StoreLocation = EmbeddedLocation | ServerLocation;

export interface EmbeddedLocation {
  readonly folder: string;
  /** Bytes to keep free on its disk. */
  readonly spareBytes?: number;
  /** Memory for indexes. */
  readonly cacheBytes?: number;
}

export interface ServerLocation {
  readonly servers: Pick<ClickHouseServers, 'urls' | 'cluster'>;
}

export interface Connections {
  /** @param options absent for our own work. @throws GatelogError `service_busy`, or the signal's abort reason. */
  readonly run: <Result>(lane: LaneName, work: (client: ClickHouseClient) => Promise<Result>, options?: PermitOptions) => Promise<Result>;
  /** The engine is in this process: queries cannot be cancelled, and parameters are passed in another way. */
  readonly embedded: boolean;
  /** On whose replicas the tables are made; undefined: where the database says. */
  readonly cluster: string | undefined;
  /** Passes rows to the embedded engine; undefined for a server. */
  readonly rowFiles: RowFiles | undefined;
  /** False while the embedded engine's disk is full: nothing may be written then. A server manages its own disk. */
  readonly hasFreeSpace: HasFreeSpace;
  /** The measurement behind `hasFreeSpace`; undefined for a server. */
  readonly measureFreeSpace: () => DiskSpace | undefined;
  readonly lanes: () => readonly LaneState[];
  /** Which rows of `bodies` are read: see `store/move`. */
  readonly bodies: MovingBodies;
  readonly close: () => Promise<void>;
}

export interface MovingBodies {
  /** Unix milliseconds: bodies from then on are still in their old table. Undefined: none is. */
  migratedUntil: number | undefined;
  /** How often rows have been removed, or were about to be. */
  removals: number;
  readonly rewritten: RewrittenHours;
}

export type Connect = (location: StoreLocation, onWait?: NoteWait, reads?: ReadConnections) => Connections;
