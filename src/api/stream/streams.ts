import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { may, type Principal } from '../../model/principal.ts';
import { FairSemaphore } from '../../platform/fair-semaphore.ts';
import type { StreamPlan } from '../../query/stream/plan.ts';
import type { Arrivals } from '../../query/stream/rows.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';
import { CallMemory, type ResponseMemory } from '../http/response-memory.ts';
import type { BodyReading, FilterBounds } from '../../reading/body-runs.ts';
import type { BodyAddressOf } from './events.ts';
import { Feed } from './feed.ts';
import { type Shared, Viewer } from './viewer.ts';

/** The order in which records are stored. */
export interface OrderOfStorage {
  /** Everything up to this number is visible that ever will be. */
  readonly through: number;
  /** @param onStored hears of each stored batch, with the times of the organisation's records in it. @returns a function that ends the watch. */
  readonly watch: (organizationId: OrganizationId, onStored: (times: Arrivals | undefined) => void) => () => void;
}

export interface StreamsOptions {
  readonly order: OrderOfStorage;
  /** Streams at once. */
  readonly max: number;
  /** Longest silence of a stream, milliseconds. */
  readonly aliveMs: number;
  readonly monotonic: () => number;
  /** Absent: the standard ones. */
  readonly filterBounds?: FilterBounds | undefined;
}

/** What a stream needs of the API. */
export interface StreamPorts {
  readonly run: RunStatement;
  readonly answerMemory: ResponseMemory;
  readonly bodyAddressOf: BodyAddressOf;
  readonly verifyKey: (keyHash: string) => Principal | undefined | Promise<Principal | undefined>;
  readonly observe: Observe;
}

export interface StreamCall {
  readonly plan: StreamPlan;
  readonly principal: Principal;
  readonly ports: StreamPorts;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** Of a call by a browser's session; absent: by a key. */
  readonly isSignedIn?: (() => boolean) | undefined;
}

/** What decides whether a stream goes on. */
type Access = Pick<StreamPorts, 'verifyKey'> & Pick<StreamCall, 'isSignedIn'>;

const keyCheckMs = 2000;
const retryAfterSeconds = 10;
/** Reads of viewers that are behind, of all and of one organisation, and reads of feeds. */
const readsBehind = { units: 4, maxUnitsOfOwner: 1 } as const;
const readsOfFeeds = { units: 4, maxUnitsOfOwner: 1 } as const;

/**
 * # Live streams: each viewer gets what matches, once, in the order of storage
 *
 * A viewer's position is the number of a stored record (`ingest/batch/stored-order.ts`), so it can be resumed at any time from the store
 * alone: over a lost connection, a restart, a kill. Viewers that read along share a feed per organisation; one that is behind, because it
 * was away or reads slowly, reads from the store by itself. The ingest waits for none of them.
 */
export class Streams {
  private readonly options: StreamsOptions;
  private readonly viewers = new Map<Viewer, Access>();
  private readonly feeds = new Map<OrganizationId, { readonly feed: Feed; readonly end: () => void }>();
  private readonly turnsBehind = semaphoreOf(readsBehind);
  private readonly turnsOfFeeds = semaphoreOf(readsOfFeeds);
  private keyChecks: NodeJS.Timeout | undefined;
  private generation = 0;
  private isStopping = false;

  constructor(options: StreamsOptions) {
    this.options = options;
  }

  get size(): number {
    return this.viewers.size;
  }

  /**
   * Opens a stream; it ends when its generator does. @throws GatelogError `service_busy` when there are too many. An organisation that has
   * most of them makes room for one that has fewer.
   */
  open({ plan, principal, ports, signal, isSignedIn }: StreamCall): AsyncGenerator<string, undefined> {
    this.evictViewer(principal.organizationId);
    const { aliveMs } = this.options;
    const { bodyAddressOf } = ports;
    const viewer = new Viewer({
      plan,
      principal,
      bodyAddressOf,
      aliveMs,
      reading: this.readingOf(principal.organizationId, ports, signal),
      shared: this.sharedOf(ports),
    });
    this.viewers.set(viewer, { verifyKey: ports.verifyKey, isSignedIn });
    this.keyChecks ??= setInterval(() => void this.checkKeys(), keyCheckMs);
    return this.untilEnd(viewer);
  }

  /** Records of the organisation were erased: nothing that was read before is sent. */
  forget(organizationId: OrganizationId): void {
    this.generation += 1;
    for (const viewer of this.viewers.keys()) if (viewer.plan.tenant === organizationId) viewer.forget();
  }

  /** Ends all streams; their clients connect again. */
  stop(): void {
    this.isStopping = true;
    for (const viewer of this.viewers.keys()) viewer.end('stopped');
  }

  private async *untilEnd(viewer: Viewer): AsyncGenerator<string, undefined> {
    try {
      return yield* viewer.chunks();
    } finally {
      viewer.reading.memory.keepAnswer(0);
      this.leave(viewer);
      this.viewers.delete(viewer);
      if (this.viewers.size === 0) {
        clearInterval(this.keyChecks);
        this.keyChecks = undefined;
      }
    }
  }

  private evictViewer(organizationId: OrganizationId): void {
    if (this.viewers.size < this.options.max && !this.isStopping) return;
    const counts = new Map<OrganizationId, number>();
    for (const { plan } of this.viewers.keys()) counts.set(plan.tenant, (counts.get(plan.tenant) ?? 0) + 1);
    const [[most, count] = [organizationId, 0]] = [...counts].toSorted(([, left], [, right]) => right - left);
    const newest = [...this.viewers.keys()].findLast(({ plan }) => plan.tenant === most);
    if (newest === undefined || this.isStopping || count <= (counts.get(organizationId) ?? 0) + 1) throw tooMany(this.options.max);
    this.viewers.delete(newest);
    newest.end(tooMany(this.options.max));
  }

  private readingOf(tenant: OrganizationId, { run, answerMemory }: StreamPorts, signal: AbortSignal): BodyReading {
    const memory = new CallMemory(answerMemory, signal).ownedBy(tenant);
    const { monotonic, filterBounds } = this.options;
    return { run, memory, tenant, signal, monotonic, filterBounds };
  }

  private sharedOf(ports: StreamPorts): Shared {
    return {
      through: () => this.options.order.through,
      generation: () => this.generation,
      join: (viewer) => this.join(viewer, ports),
      leave: (viewer) => this.leave(viewer),
      inTurn: ({ tenant, signal }, read) => inTurn(this.turnsBehind, { owner: tenant, signal }, read),
    };
  }

  private join(viewer: Viewer, ports: StreamPorts): boolean {
    const { tenant } = viewer.plan;
    const known = this.feeds.get(tenant);
    if (known !== undefined) return known.feed.join(viewer);
    const left = new AbortController();
    const { bodyAddressOf, observe } = ports;
    const feed = new Feed(
      {
        bodyAddressOf,
        observe,
        reading: this.readingOf(tenant, ports, left.signal),
        shared: this.sharedOf(ports),
        inTurn: (owner, read) => inTurn(this.turnsOfFeeds, { owner, signal: left.signal }, read),
      },
      viewer.position,
    );
    const endWatch = this.options.order.watch(tenant, (times) => feed.note(times));
    const end = (): void => {
      endWatch();
      feed.close();
      left.abort(new Error('Nobody views the feed any more.'));
    };
    this.feeds.set(tenant, { feed, end });
    return feed.join(viewer);
  }

  private leave(viewer: Viewer): void {
    const { tenant } = viewer.plan;
    const known = this.feeds.get(tenant);
    if (known === undefined) return;
    known.feed.leave(viewer);
    if (known.feed.size > 0) return;
    known.end();
    this.feeds.delete(tenant);
  }

  private async checkKeys(): Promise<void> {
    for (const [viewer, { verifyKey, isSignedIn }] of this.viewers) {
      try {
        const reason = isSignedIn?.() === false ? signedOut() : lostAccess(await verifyKey(viewer.principal.keyHash), viewer.plan);
        if (reason !== undefined) viewer.end(reason);
      } catch (error) {
        viewer.end(
          error instanceof GatelogError
            ? error
            : new GatelogError('internal', 'The key of this stream could not be checked.', { cause: error }),
        );
      }
    }
  }
}

function semaphoreOf(units: { readonly units: number; readonly maxUnitsOfOwner: number }): FairSemaphore {
  return new FairSemaphore({
    ...units,
    maxWaitingOfOwner: Infinity,
    refusal: () => new GatelogError('service_busy', 'Too many streams are behind.'),
  });
}

async function inTurn<Result>(
  turns: FairSemaphore,
  asker: { readonly owner: string; readonly signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  const turn = await turns.acquire(1, asker);
  try {
    return await work();
  } finally {
    turn.release();
  }
}

function tooMany(max: number): GatelogError {
  const sentence = `${max} live streams are open at once, as many as there may be (GATELOG_STREAMS). End one, or try again later.`;
  return new GatelogError('service_busy', sentence, { retryAfterSeconds });
}

function signedOut(): GatelogError {
  return new GatelogError('invalid_key', 'The session of this stream has ended; sign in again (POST /v1/session-cookie).');
}

/** Why the stream may not go on. */
function lostAccess(found: Principal | undefined, { tenant }: StreamPlan): GatelogError | undefined {
  if (found?.organizationId !== tenant) return new GatelogError('invalid_key', 'The key of this stream was revoked.');
  return may(found, 'read') ? undefined : new GatelogError('permission_denied', 'The key of this stream may not read any more.');
}
