import type { ClickHouseClient } from '@clickhouse/client';
import { GatelogError } from '../../model/errors.ts';
import { type PermitRequest, FairSemaphore, type Permit } from '../../platform/fair-semaphore.ts';

/**
 * The use of a connection. A connection runs one query at a time, so work that must not wait for other work has its own lane. Of reads,
 * `short` is for those that find a few rows by the key, `long` for all others, `export` for the pages of exports, `alerts` for the windows of
 * rules, `large` for one at a time that needs more memory than the others may use, and `copy` for what moves records to another store.
 */
export type LaneName = 'insert' | 'update' | 'history' | 'removal' | 'control' | 'short' | 'long' | 'export' | 'alerts' | 'large' | 'copy';

/** Receives the lane and milliseconds of work that waited for a connection. */
export type NoteWait = (lane: LaneName, ms: number) => void;

/** Connections of the lanes that readers share. */
export interface ReadConnections {
  readonly short: number;
  readonly long: number;
}

export const defaultReadConnections: ReadConnections = { short: 3, long: 3 };

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
  'copy',
];
/** Maximum waiting work of one owner per lane; more gets 503. */
const maxWaitingOfOwner = 500;

/** The owner of work, and its maximum wait. Our own work has no owner and waits without end. */
export type PermitOptions = Partial<PermitRequest>;

/** Resets a client whose query failed. */
export type Recover = (client: ClickHouseClient) => Promise<void>;

/** @returns the client for the next query: a new one when this one is spent. */
export type Renew = (client: ClickHouseClient) => ClickHouseClient;

export interface LaneOptions {
  readonly clients: readonly ClickHouseClient[];
  readonly recover: Recover;
  readonly renew: Renew;
  readonly onWait: (ms: number) => void;
}

/**
 * A lane with its connections. Owners take turns; with several connections one owner never gets all, so that others find a free one soon,
 * however long its work takes.
 */
export class Lane {
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

export type Lanes = Readonly<Record<LaneName, Lane>>;

export interface LanesOptions extends Omit<LaneOptions, 'clients' | 'onWait'> {
  readonly open: () => ClickHouseClient;
  readonly reads: ReadConnections;
  readonly onWait: NoteWait;
}

/** Opens the connections of every lane. */
export function openLanes({ open, reads, onWait, ...rest }: LanesOptions): Lanes {
  const laneOf = (name: LaneName): Lane => {
    const count = name === 'short' || name === 'long' ? reads[name] : 1;
    return new Lane({ ...rest, clients: Array.from({ length: count }, () => open()), onWait: (ms) => onWait(name, ms) });
  };
  return Object.fromEntries(laneNames.map((name) => [name, laneOf(name)])) as Record<LaneName, Lane>;
}

export function laneStates(lanes: Lanes): readonly LaneState[] {
  return laneNames.map((name) => ({ name, ...lanes[name].state() }));
}
