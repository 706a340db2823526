import { GatelogError, messageOf } from '../../model/errors.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { type UnsplitFrame, atomicSeriesName } from '../../spool/import-series.ts';
import { assembleExchange } from '../interpret/assemble.ts';
import type { DeadLetterHead, DeadLetters, OverdueLetter, FullDeadLetter } from './store.ts';
import type { Settlement } from '../series/exchange.ts';
import type { PendingChanges } from '../changes/pending.ts';
import type { RecordLocation } from '../changes/request-changes.ts';

/**
 * # Replay of dead letters: each is stored once, whatever process dies in between
 *
 * A letter goes back into the spool as a whole and atomically, and from there takes the path of every exchange. It is removed once the
 * store has it.
 *
 * Crash cases.
 *   before its series has a name   nothing has happened, except that its changes are pending already; pending ones are not added again
 *   between the series and the end the spool has it and stores it once by its own rules; the letter stays. The next replay finds the
 *                                  request stored and only removes the letter, or in flight and does nothing
 *   it fails again                 the ingest keeps it under the same id: the letter has its new reason, and the changes that it had
 *
 * Invariant: a letter goes into the spool only while its request is neither in the store nor in flight to it; replays run one at a time.
 * Invariant: a letter goes into the spool only while its file exists and no user of its organisation is being erased. An erasure searches
 * its user's letters and then the spool: anything it could miss in between would be stored after its receipt.
 */
export interface ReplayPorts {
  readonly deadLetters: DeadLetters;
  readonly locate: (organizationId: OrganizationId, requestId: RequestId) => Promise<RecordLocation>;
  /**
   * Removes orphaned rows of these requests: the store refused the last row of each after it had stored others. None of the requests may
   * be stored or in flight.
   */
  readonly removeOrphans: (letters: readonly DeadLetterHead[]) => Promise<void>;
  /** Those of the requests that are in flight to the store. */
  readonly inFlightOf: (organizationId: OrganizationId, requestIds: readonly RequestId[]) => Promise<readonly RequestId[]>;
  readonly pendingChanges: Pick<PendingChanges, 'appendMissing' | 'sequencesFor' | 'remove'>;
  /**
   * Removes pending changes that stored records and letters already contain; false while any stays. A replay would treat those of its
   * letter as its own, and lose them when they are removed.
   */
  readonly forgetSpent: () => Promise<boolean>;
  /** Whether a user of the organisation is being erased. */
  readonly isErasing: (organizationId: OrganizationId) => boolean;
  /** Writes frames into the spool as a series of their own; durable on return. */
  readonly writeSeries: (series: string, frames: readonly UnsplitFrame[]) => void;
  /** Max wait for the ingest, milliseconds. */
  readonly waitMs: number;
  readonly observe: Observe;
}

/**
 * The outcome for one letter. `stored`: by this replay or before. `failed`: the letter stays, with the reason. `waiting`: it is in the
 * spool but not stored yet; the letter stays until a later replay finds the request stored. `unknown`: no such letter exists.
 */
export type ReplayOutcome =
  | { readonly id: string; readonly outcome: 'stored' | 'waiting' | 'unknown' }
  | { readonly id: string; readonly outcome: 'failed'; readonly reason: string };

/** Max bytes of letters in one series, which are in memory together. */
const maxBytes = 16 * 1024 * 1024;

const databaseLocked = 'The metadata database cannot be written just now. Try again in a moment.';
const erasing = 'a user of its organisation is being erased: replay it again when that is done';

/** Numbers of removed letters. */
export interface PrunedLetters {
  readonly expired: number;
  readonly crowdedOut: number;
  /** Why some overdue letters stay until the next time. */
  readonly failure: Error | undefined;
}

/** Max letters removed together. */
const pruneChunkSize = 1000;
/** After this many failures in a row the store is taken to be unavailable. */
const maxFailedInARow = 10;

interface FoundLetter {
  readonly letter: OverdueLetter;
  /** Undefined: the file does not name its organisation and request. */
  readonly head: DeadLetterHead | undefined;
}

/** Replays dead letters through the ingest, or removes them. */
export class DeadLetterReplay {
  private readonly ports: ReplayPorts;
  private lastRun: Promise<unknown> = Promise.resolve();

  constructor(ports: ReplayPorts) {
    this.ports = ports;
  }

  /** Replays letters by id. @returns an outcome for each, in no order. @throws when the spool or the store fails; letters stay then. */
  replay(ids: readonly string[]): Promise<readonly ReplayOutcome[]> {
    return this.runExclusively(() => this.replayNow([...new Set(ids)]));
  }

  /**
   * Runs `work` while no replay runs. A backup copies the spool and the pending changes one after the other: a replay in between would
   * give it an exchange without its changes.
   */
  runExclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.lastRun.then(work);
    this.lastRun = done.catch(() => undefined);
    return done;
  }

  /**
   * Removes letters kept before a time, then the oldest until all fit into `lettersMaxBytes`, each with its rows in the store: without the
   * letter nothing names their owner. A letter whose request is in flight stays until the next time.
   * @param before Unix milliseconds. @throws when the requests in flight are not known; the remaining letters go another time.
   */
  prune(before: number, lettersMaxBytes: number): Promise<PrunedLetters> {
    return this.runExclusively(async () => this.pruneNow(this.ports.deadLetters.overdue(before, lettersMaxBytes)));
  }

  private async pruneNow(overdue: readonly OverdueLetter[]): Promise<PrunedLetters> {
    const removed: OverdueLetter[] = [];
    let failure: Error | undefined;
    for (let start = 0; start < overdue.length; start += pruneChunkSize) {
      const chunk = overdue
        .slice(start, start + pruneChunkSize)
        .map((letter) => ({ letter, head: this.ports.deadLetters.headOfFile(letter.file) }));
      const inFlight = await this.inFlight(chunk.flatMap(({ head }) => head ?? []));
      const removable = chunk.filter(({ head }) => head === undefined || !inFlight.has(head));
      const failed = await this.discard(removable, removed);
      failure ??= failed;
    }
    const expired = removed.filter((letter) => letter.expired).length;
    return { expired, crowdedOut: removed.length - expired, failure };
  }

  /**
   * Removes letters with their rows in the store. If that fails, as in a store whose disk is full, each is removed on its own: most have
   * no rows there, and their files may be on that disk.
   * @returns why some stay.
   */
  private async discard(letters: readonly FoundLetter[], removed: OverdueLetter[]): Promise<Error | undefined> {
    const discard = async (chunk: readonly FoundLetter[]): Promise<void> => {
      await this.ports.removeOrphans(chunk.flatMap(({ head }) => head ?? []));
      for (const { letter } of chunk) this.ports.deadLetters.discard(letter);
      removed.push(...chunk.map(({ letter }) => letter));
    };
    try {
      await discard(letters);
      return undefined;
    } catch (error) {
      for (let next = 0, failedInARow = 0; next < letters.length && failedInARow < maxFailedInARow; next += 1) {
        try {
          await discard(letters.slice(next, next + 1));
          failedInARow = 0;
        } catch {
          failedInARow += 1;
        }
      }
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  private async inFlight(heads: readonly DeadLetterHead[]): Promise<ReadonlySet<DeadLetterHead>> {
    const found = new Set<DeadLetterHead>();
    for (const organizationId of new Set(heads.map((head) => head.organizationId))) {
      const own = heads.filter((head) => head.organizationId === organizationId);
      const ids = await this.ports.inFlightOf(
        organizationId,
        own.map(({ requestId }) => requestId),
      );
      for (const head of own) if (ids.includes(head.requestId)) found.add(head);
    }
    return found;
  }

  private async replayNow(ids: readonly string[]): Promise<readonly ReplayOutcome[]> {
    const outcomes: ReplayOutcome[] = [];
    let group: FullDeadLetter[] = [];
    for (const id of ids) {
      const letter = await this.readyLetter(id);
      if ('outcome' in letter) {
        outcomes.push(letter);
        continue;
      }
      if (group.length > 0 && bytesOf(group) + letter.bytes > maxBytes) {
        outcomes.push(...(await this.replayGroup(group)));
        group = [];
      }
      group.push(letter);
    }
    if (group.length > 0) outcomes.push(...(await this.replayGroup(group)));
    const count = (wanted: ReplayOutcome['outcome']): number => outcomes.filter(({ outcome }) => outcome === wanted).length;
    this.ports.observe({ kind: 'dead_letters_replayed', stored: count('stored'), failed: count('failed') });
    return outcomes;
  }

  /** The letter, if it can be replayed. @throws when the store cannot be queried for the request. */
  private async readyLetter(id: string): Promise<FullDeadLetter | ReplayOutcome> {
    const { deadLetters: letters, locate } = this.ports;
    const letter = await this.readableLetter(id);
    if ('outcome' in letter) return letter;
    const found = await locate(letter.organizationId, letter.requestId);
    if (found === undefined) return letter;
    if ('inFlight' in found) return { id, outcome: 'waiting' };
    letters.remove(id);
    return { id, outcome: 'stored' };
  }

  /** A letter whose frames cannot be assembled stays out of the spool: it would only fail again, and its frames name no owner. */
  private async readableLetter(id: string): Promise<FullDeadLetter | ReplayOutcome> {
    const { deadLetters: letters } = this.ports;
    try {
      const letter = await letters.read(id);
      if (letter === undefined) return { id, outcome: 'unknown' };
      assembleExchange(framesOf(letter).map(({ payload, ...frame }) => ({ frame, payload })));
      return letter;
    } catch (error) {
      const reason = messageOf(error);
      letters.updateReason(id, reason);
      return { id, outcome: 'failed', reason };
    }
  }

  private async replayGroup(group: readonly FullDeadLetter[]): Promise<readonly ReplayOutcome[]> {
    const { removeOrphans, pendingChanges, forgetSpent, writeSeries } = this.ports;
    const isForgotten = await forgetSpent();
    if (!isForgotten) throw new GatelogError('metadata_unavailable', databaseLocked);
    await removeOrphans(group);
    await pendingChanges.appendMissing(group.flatMap(({ changes }) => changes));
    // TRICKY: since they were read, letters may have been removed and erasures begun. No `await` between this check and the write of the
    // series.
    const stopped = new Map(group.flatMap((letter) => this.outcomeIfStopped(letter)));
    const sent = group.filter((letter) => !stopped.has(letter));
    if (sent.length > 0) {
      writeSeries(
        atomicSeriesName('replay'),
        sent.flatMap((letter, index) => framesOf(letter).map((frame) => ({ ...frame, stream: index + 1 }))),
      );
    }
    if (stopped.size > 0) await pendingChanges.remove(await pendingChanges.sequencesFor([...stopped.keys()]));
    return [...stopped.values(), ...(await this.outcomesOf(sent))];
  }

  /** The outcome for a letter that may no longer go into the spool; empty for one that may. */
  private outcomeIfStopped(letter: FullDeadLetter): readonly (readonly [FullDeadLetter, ReplayOutcome])[] {
    const { id, organizationId } = letter;
    if (!this.ports.deadLetters.has(id)) return [[letter, { id, outcome: 'unknown' }]];
    return this.ports.isErasing(organizationId) ? [[letter, { id, outcome: 'failed', reason: erasing }]] : [];
  }

  private async outcomesOf(sent: readonly FullDeadLetter[]): Promise<readonly ReplayOutcome[]> {
    const { waitMs } = this.ports;
    const expired = new AbortController();
    const timer = setTimeout(() => expired.abort(), waitMs);
    try {
      return await Promise.all(sent.map((letter) => this.outcomeOf(letter, expired.signal)));
    } finally {
      clearTimeout(timer);
    }
  }

  private async outcomeOf(letter: FullDeadLetter, expired: AbortSignal): Promise<ReplayOutcome> {
    const { deadLetters: letters, locate } = this.ports;
    const { id, organizationId, requestId } = letter;
    const found = await locate(organizationId, requestId);
    const settlement = found !== undefined && 'inFlight' in found ? await settledBefore(found.inFlight.whenSettled(), expired) : undefined;
    if (settlement === 'expired') return { id, outcome: 'waiting' };
    if (settlement === 'stored' || (found !== undefined && 'storedAt' in found)) {
      letters.remove(id);
      return { id, outcome: 'stored' };
    }
    const current = await letters.read(id);
    return current === undefined ? { id, outcome: 'unknown' } : { id, outcome: 'failed', reason: current.reason };
  }
}

function bytesOf(group: readonly FullDeadLetter[]): number {
  return group.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** @throws when the letter holds no bytes. */
function framesOf({ frames }: FullDeadLetter): Omit<UnsplitFrame, 'stream'>[] {
  return frames.map(({ kind, stamp, payload }) => {
    if (payload === undefined) throw new Error('the letter holds no bytes: they could not be read when it was kept, or were too many');
    return { kind, stamp, payload };
  });
}

async function settledBefore(settled: Promise<Settlement>, expired: AbortSignal): Promise<Settlement | 'expired'> {
  const expiry = new Promise<'expired'>((resolve) => {
    if (expired.aborted) resolve('expired');
    expired.addEventListener('abort', () => resolve('expired'), { once: true });
  });
  return Promise.race([settled, expiry]);
}
