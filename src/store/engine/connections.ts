import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { GatelogError } from '../../model/errors.ts';
import { makeBackoff } from '../../platform/backoff.ts';
import { ensureFolder } from '../../platform/files.ts';
import { type PermitRequest, FairSemaphore, type Permit } from '../../platform/fair-semaphore.ts';
import { type DiskSpace, type HasFreeSpace, makeHasFreeSpace, makeMeasureDiskSpace } from '../../platform/disk-space.ts';
import { Clients } from './clients.ts';
import { RowFiles } from './row-files.ts';

/** Bytes to keep free by default. */
const defaultSpareBytes = 256 * 1024 * 1024;

/** The embedded engine on a folder, or a ClickHouse server by its URL with credentials. */
export type StoreLocation = EmbeddedLocation | { readonly url: string };

export interface EmbeddedLocation {
  readonly folder: string;
  /** Bytes to keep free on its disk. */
  readonly spareBytes?: number;
  /** Memory for indexes. */
  readonly cacheBytes?: number;
}

/**
 * The use of a connection. A connection runs one query at a time, so work that must not wait for other work has its own lane. Of reads,
 * `short` is for those that find a few rows by the key, `long` for all others, `export` for the pages of exports, `alerts` for the windows of
 * rules, and `large` for one at a time that needs more memory than the others may use.
 */
export type LaneName = 'insert' | 'update' | 'history' | 'removal' | 'control' | 'short' | 'long' | 'export' | 'alerts' | 'large';

/** Receives the lane and milliseconds of work that waited for a connection. */
export type NoteWait = (lane: LaneName, ms: number) => void;

/** Connections of the lanes that readers share. */
export interface ReadConnections {
  readonly short: number;
  readonly long: number;
}

const defaultReadConnections: ReadConnections = { short: 3, long: 3 };

export const laneNames: readonly LaneName[] = [
  'insert',
  'update',
  'history',
  'removal',
  'control',
  'short',
  'long',
  'export',
  'alerts',
  'large',
];
/** Maximum waiting work of one owner per lane; more gets 503. */
const maxWaitingOfOwner = 500;

/** The owner of work, and its maximum wait. Our own work has no owner and waits without end. */
export type PermitOptions = Partial<PermitRequest>;

/** Resets a client whose query failed. */
type Recover = (client: ClickHouseClient) => Promise<void>;

/** @returns the client for the next query: a new one when this one is spent. */
type Renew = (client: ClickHouseClient) => ClickHouseClient;

interface LaneOptions {
  readonly clients: readonly ClickHouseClient[];
  readonly recover: Recover;
  readonly renew: Renew;
  readonly onWait: (ms: number) => void;
}

/**
 * A lane with its connections. Owners take turns; with several connections one owner never gets all, so that others find a free one soon,
 * however long its work takes.
 */
class Lane {
  private readonly options: LaneOptions;
  private readonly free: ClickHouseClient[];
  private readonly semaphore: FairSemaphore;

  constructor(options: LaneOptions) {
    const count = options.clients.length;
    this.options = options;
    this.free = [...options.clients];
    this.semaphore = new FairSemaphore({ units: count, maxUnitsOfOwner: Math.max(1, count - 1), maxWaitingOfOwner, refusal: busy });
  }

  /** A connection that is being reset counts as busy. */
  state(): Omit<LaneState, 'name'> {
    return { connections: this.options.clients.length, busy: this.semaphore.used, waiting: this.semaphore.waiting };
  }

  async run<Result>(work: (client: ClickHouseClient) => Promise<Result>, options: PermitOptions): Promise<Result> {
    const { client, permit } = await this.connection(options);
    const release = (): void => {
      this.free.push(this.options.renew(client));
      permit.release();
    };
    try {
      const result = await work(client);
      release();
      return result;
    } catch (error) {
      // The caller gets the failure at once; the reset may take longer.
      void this.options.recover(client).then(release);
      throw error;
    }
  }

  private async connection(options: PermitOptions): Promise<{ readonly client: ClickHouseClient; readonly permit: Permit }> {
    const since = performance.now();
    const permit = await this.semaphore.acquire(1, { ...options, owner: options.owner ?? '' });
    const client = this.free.pop();
    if (client === undefined) throw new TypeError('A connection was given out twice.');
    if (permit.waited) this.options.onWait(performance.now() - since);
    return { client, permit };
  }
}

function busy(why: 'full' | 'late'): GatelogError {
  const reason =
    why === 'full' ? 'Too many queries of this organisation are waiting for the store' : 'The store had no time for this query';
  return new GatelogError('service_busy', `${reason}. Ask for fewer at once, and try again in a moment.`);
}

export interface LaneState {
  readonly name: LaneName;
  readonly connections: number;
  readonly busy: number;
  /** Work that waits for a connection. */
  readonly waiting: number;
}

export interface Connections {
  /** @param options absent for our own work. @throws GatelogError `service_busy`, or the signal's abort reason. */
  readonly run: <Result>(lane: LaneName, work: (client: ClickHouseClient) => Promise<Result>, options?: PermitOptions) => Promise<Result>;
  /** The engine is in this process: queries cannot be cancelled, and parameters are passed in another way. */
  readonly embedded: boolean;
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
}

export type Connect = (location: StoreLocation, onWait?: NoteWait, reads?: ReadConnections) => Connections;

/** Opens all connections. @throws when another process holds the embedded folder. */
export function openConnections(
  location: StoreLocation,
  onWait: NoteWait = () => undefined,
  reads: ReadConnections = defaultReadConnections,
): Connections {
  const embedded = 'folder' in location;
  if (embedded) ensureFolder(location.folder);
  const spareBytes = (embedded ? location.spareBytes : undefined) ?? defaultSpareBytes;
  const closing = new AbortController();
  const clients = new Clients(location);
  const recover: Recover = embedded ? (client) => resetConnection(client, closing.signal) : async () => undefined;
  const renew: Renew = (client) => (closing.signal.aborted ? client : clients.renewed(client));
  const laneOf = (name: LaneName): Lane => {
    const count = name === 'short' || name === 'long' ? reads[name] : 1;
    return new Lane({ clients: Array.from({ length: count }, () => clients.open()), recover, renew, onWait: (ms) => onWait(name, ms) });
  };
  const lanes = Object.fromEntries(laneNames.map((name) => [name, laneOf(name)])) as Record<LaneName, Lane>;
  return {
    run: (lane, work, options = {}) => lanes[lane].run(work, options),
    embedded,
    rowFiles: embedded ? new RowFiles(path.join(location.folder, 'incoming')) : undefined,
    hasFreeSpace: embedded ? makeHasFreeSpace(location.folder, spareBytes) : () => true,
    measureFreeSpace: embedded ? makeMeasureDiskSpace(location.folder, spareBytes) : () => undefined,
    lanes: () => laneNames.map((name) => ({ name, ...lanes[name].state() })),
    bodies: { migratedUntil: undefined, removals: 0 },
    close: async () => {
      closing.abort();
      await clients.close();
    },
  };
}

const firstRetryMs = 10;
const maxRetryMs = 1000;

/**
 * TRICKY: rows that a failed query has already returned stay in its embedded connection and precede the next result there, whoever sent
 * that query. So such a connection is used again only after it has answered a check exactly.
 */
async function resetConnection(client: ClickHouseClient, closed: AbortSignal): Promise<void> {
  const backoff = makeBackoff(firstRetryMs, maxRetryMs);
  while (!closed.aborted) {
    try {
      const result = await client.query({ query: 'SELECT 1', format: 'TabSeparated' });
      if ((await result.text()) === '1\n') return;
    } catch {
      await wait(backoff.nextDelayMs(), undefined, { ref: false });
    }
  }
}
