import { type Change, sizeOfChange } from '../../model/change.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { requestPropertyLimits } from '../../model/vocabulary/limits.ts';
import type { LogMetadata, TraceContext } from '../../model/record/exchange.ts';
import type { FrameLocation, Position } from '../../spool/spool.ts';

/**
 * How an exchange in the spool takes changes.
 * `replaying`: read again after a restart; the store may have it already.
 * `pending`: changes go to the metadata database and from there into the record.
 * `frozen`: its record is being stored; a change waits for that and then goes into the stored row.
 */
export type ExchangeState = 'replaying' | 'pending' | 'frozen';

/**
 * How an exchange left the spool. `erased`: it was dropped because its user is being erased. `repeated`: a logged call whose identifier
 * another record has, or whose sender was told that it is not on record.
 */
export type Settlement = 'stored' | 'dead_letter' | 'erased' | 'repeated';

export interface NewExchange {
  readonly series: string;
  readonly stream: number;
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  /** Unix milliseconds. */
  readonly openedAt: number;
  /** From its tags, empty without one; a pending change may have replaced it. */
  readonly sessionId: string;
  /** From its tags, empty without one; its body may still name a user. */
  readonly userId: string;
  /** The span that its caller named, as {@link spanNameOf} has it; empty: none, or the call did not pass through the gateway. */
  readonly spanName: string;
  /** Set for a call that did not pass through the gateway. */
  readonly logged?: LogMetadata | undefined;
}

export type ExchangeNames = Omit<NewExchange, 'series' | 'stream'>;

const maxParents = 4;

/** An exchange in the spool that the store may not have yet. There may be millions after an outage, so each stays small. */
export class TrackedExchange implements NewExchange {
  readonly series: string;
  readonly stream: number;
  organizationId: OrganizationId;
  requestId: RequestId;
  openedAt: number;
  sessionId: string;
  userId: string;
  spanName: string;
  logged: LogMetadata | undefined;
  readonly frames: FrameLocation[] = [];
  /** Bytes of all payloads so far. */
  bytes = 0;
  /** Where its `end` frame ends; undefined while it is open. */
  endsAt: Position | undefined;
  state: ExchangeState = 'pending';
  private changedNames = 0;
  private changedBytes = 0;
  private parents: readonly string[] | undefined;
  private changes: Set<Promise<void>> | undefined;
  private waiting: ((settlement: Settlement) => void)[] | undefined;
  private settlement: Settlement | undefined;

  constructor({ series, stream, organizationId, requestId, openedAt, sessionId, userId, spanName, logged }: NewExchange) {
    this.series = series;
    this.stream = stream;
    this.organizationId = organizationId;
    this.requestId = requestId;
    this.openedAt = openedAt;
    this.sessionId = sessionId;
    this.userId = userId;
    this.spanName = spanName;
    this.logged = logged;
  }

  /** Sets the names once an opening of several frames is whole, before the exchange is in the index. */
  rename({ organizationId, requestId, openedAt, sessionId, userId, spanName, logged }: ExchangeNames): void {
    this.organizationId = organizationId;
    this.requestId = requestId;
    this.openedAt = openedAt;
    this.sessionId = sessionId;
    this.userId = userId;
    this.spanName = spanName;
    this.logged = logged;
  }

  /** Whether another record may have its identifier, in which case it is not stored. */
  mayRepeat(): boolean {
    return this.logged !== undefined && this.logged.identifier !== 'fresh';
  }

  /**
   * Whether its record has space for this change: all its changes together have the limits of a stored request's properties. Changes from
   * before a restart do not count. One that may repeat another takes none: a change of its identifier may be meant for that one.
   */
  hasSpaceFor(change: Change): boolean {
    if (this.mayRepeat()) return false;
    const { names, bytes } = sizeOfChange(change);
    return this.changedNames + names <= requestPropertyLimits.properties && this.changedBytes + bytes <= requestPropertyLimits.bytes;
  }

  reserveSpace(change: Change): void {
    const { names, bytes } = sizeOfChange(change);
    this.changedNames += names;
    this.changedBytes += bytes;
  }

  /** Counts a change that is being written to the metadata database: the freeze waits for it. */
  async trackChange(write: Promise<void>): Promise<void> {
    this.changes ??= new Set();
    this.changes.add(write);
    try {
      await write;
    } finally {
      this.changes.delete(write);
    }
  }

  /** Whether a span may be told as right around its caller's: a few are kept, as more are a sender's mistake. */
  mayHaveParent(spanId: string): boolean {
    return this.state === 'pending' && (this.parents?.length ?? 0) < maxParents && this.parents?.includes(spanId) !== true;
  }

  tellParent(spanId: string): void {
    this.parents = [...(this.parents ?? []), spanId];
  }

  /** After this, changes wait for the settlement. Waits for changes that are being written. */
  async freeze(): Promise<void> {
    while (this.changes !== undefined && this.changes.size > 0) await Promise.allSettled(this.changes);
    this.state = 'frozen';
  }

  settle(settlement: Settlement): void {
    this.settlement = settlement;
    for (const resolve of this.waiting ?? []) resolve(settlement);
    this.waiting = undefined;
  }

  isSettled(): boolean {
    return this.settlement !== undefined;
  }

  whenSettled(): Promise<Settlement> {
    if (this.settlement !== undefined) return Promise.resolve(this.settlement);
    return new Promise((resolve) => {
      this.waiting ??= [];
      this.waiting.push(resolve);
    });
  }
}

/** Exchanges that are not in the store yet, by organisation and identifier, by the session of their tags, and by their callers' span. */
export class ExchangeIndex {
  private readonly exchanges = new Map<string, TrackedExchange>();
  private readonly sessions = new ExchangeGroups();
  private readonly spans = new ExchangeGroups();
  private latestOpening = 0;

  /** What may repeat an exchange that is here does not replace it. */
  add(exchange: TrackedExchange): void {
    this.latestOpening = Math.max(this.latestOpening, exchange.openedAt);
    const before = this.find(exchange.organizationId, exchange.requestId);
    if (before !== undefined && exchange.mayRepeat()) return;
    if (before !== undefined) this.remove(before);
    this.exchanges.set(keyOf(exchange.organizationId, exchange.requestId), exchange);
    this.sessions.add(exchange, exchange.sessionId);
    this.spans.add(exchange, exchange.spanName);
  }

  find(organizationId: OrganizationId, requestId: RequestId): TrackedExchange | undefined {
    return this.exchanges.get(keyOf(organizationId, requestId));
  }

  remove(exchange: TrackedExchange): void {
    const key = keyOf(exchange.organizationId, exchange.requestId);
    if (this.exchanges.get(key) !== exchange) return;
    this.exchanges.delete(key);
    this.sessions.remove(exchange, exchange.sessionId);
    this.spans.remove(exchange, exchange.spanName);
  }

  /** @param sessionId not empty. */
  ofSession(organizationId: OrganizationId, sessionId: string): readonly TrackedExchange[] {
    return this.sessions.of(organizationId, sessionId);
  }

  /** Calls whose callers named this span. @param spanName not empty. */
  ofSpan(organizationId: OrganizationId, spanName: string): readonly TrackedExchange[] {
    return this.spans.of(organizationId, spanName);
  }

  all(): readonly TrackedExchange[] {
    return [...this.exchanges.values()];
  }

  /**
   * When the oldest exchange was opened that waits for a later batch, Unix milliseconds; infinite where none does. TRICKY: that may be a
   * frozen one, which was cut off. It goes through all, so ask once for a batch. @param stored the exchanges of the batch that is being stored.
   */
  oldestBeside(stored: ReadonlySet<TrackedExchange>): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const exchange of this.exchanges.values()) if (exchange.openedAt < oldest && !stored.has(exchange)) oldest = exchange.openedAt;
    return oldest;
  }

  /** Latest arrival of any exchange ever added, Unix milliseconds; 0 before the first. */
  get latestOpenedAt(): number {
    return this.latestOpening;
  }

  get size(): number {
    return this.exchanges.size;
  }
}

/** Exchanges that share a name. Those without one are in none. */
class ExchangeGroups {
  private readonly groups = new Map<string, Set<TrackedExchange>>();

  add(exchange: TrackedExchange, name: string): void {
    if (name === '') return;
    const key = keyOf(exchange.organizationId, name);
    const members = this.groups.get(key);
    if (members === undefined) this.groups.set(key, new Set([exchange]));
    else members.add(exchange);
  }

  remove(exchange: TrackedExchange, name: string): void {
    const key = keyOf(exchange.organizationId, name);
    const members = this.groups.get(key);
    members?.delete(exchange);
    if (members?.size === 0) this.groups.delete(key);
  }

  of(organizationId: OrganizationId, name: string): readonly TrackedExchange[] {
    return [...(this.groups.get(keyOf(organizationId, name)) ?? [])];
  }
}

export function spanNameOf({ traceId, spanId }: TraceContext): string {
  return `${traceId}:${spanId}`;
}

function keyOf(organizationId: OrganizationId, name: string): string {
  return `${organizationId}/${name}`;
}
