import { randomUUID } from 'node:crypto';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { WholeFrame } from '../../spool/import-series.ts';
import { assembleExchange } from '../interpret/assemble.ts';
import type { DeadLetterHead, DeadLetters, OverdueLetter, WholeDeadLetter } from './store.ts';
import type { Settlement } from '../series/exchange.ts';
import type { PendingChanges } from '../changes/pending.ts';
import type { RecordLocation } from '../changes/request-changes.ts';

/**
 * # Replay of dead letters: each is stored once, whatever dies in between
 *
 * A letter goes back into the spool, whole and in one step, and from there its way is that of every exchange. It is removed when the store has it.
 *
 * Crash cases.
 *   before its series has a name   nothing has happened, but for its changes that wait already; those that wait are not added again
 *   between the series and the end the spool has it and stores it once by its own rules; the letter stays. The next replay finds the request
 *                                  stored, or on its way, and only removes the letter, or nothing
 *   it fails again                 the ingest keeps it under the same name: the letter has its new reason, and the changes that it had
 *
 * Invariant: a letter goes into the spool only while its request is neither in the store nor on its way there; replays take turns.
 * Invariant: a letter goes into the spool only while its file is there and no user of its organisation is being erased. An erasure looks for its user's
 * letters and for what is in the spool, one after the other: whatever it could miss in between would be stored behind its receipt.
 */
export interface ReplayPorts {
  readonly letters: DeadLetters;
  readonly locate: (organizationId: OrganizationId, requestId: RequestId) => Promise<RecordLocation>;
  /** Removes what the store has of these requests, none of which it has or is about to get: it refused the last row of each, and had stored others. */
  readonly removeOrphans: (letters: readonly DeadLetterHead[]) => Promise<void>;
  /** Those of an organisation's requests that are on their way to the store. */
  readonly inFlightOf: (organizationId: OrganizationId, requestIds: readonly RequestId[]) => Promise<readonly RequestId[]>;
  readonly pendingChanges: Pick<PendingChanges, 'appendMissing' | 'sequencesFor' | 'remove'>;
  /** Forgets changes that went into stored records and letters; false while they stay. A replay would take those of its letter for its own, and they would go. */
  readonly forgetSpent: () => Promise<boolean>;
  /** Whether a user of the organisation is being erased. */
  readonly isErasing: (organizationId: OrganizationId) => boolean;
  /** Puts frames into the spool as a series of their own; durable on return. */
  readonly writeSeries: (series: string, frames: readonly WholeFrame[]) => void;
  /** How long the ingest is waited for, milliseconds. */
  readonly waitMs: number;
  readonly observe: Observe;
}

/**
 * What became of a letter. `stored`: by this replay, or found stored before. `failed`: it stays, for the reason. `waiting`: the ingest has it and has
 * not come to it yet; the letter stays until a later replay finds the request stored. `unknown`: there is no such letter.
 */
export type ReplayOutcome =
  | { readonly id: string; readonly outcome: 'stored' | 'waiting' | 'unknown' }
  | { readonly id: string; readonly outcome: 'failed'; readonly reason: string };

/** Bytes of letters in one series: they are in memory together. */
const maxBytes = 16 * 1024 * 1024;

const databaseLocked = 'The metadata database cannot be written just now. Try again in a moment.';
const erasing = 'a user of its organisation is being erased: replay it again when that is done';

/** How many letters went, and why. */
export interface PrunedLetters {
  readonly expired: number;
  readonly crowdedOut: number;
  /** Why some stay that should go; they go another time. */
  readonly failure: Error | undefined;
}

/** Letters that are removed together. */
const prunedAtOnce = 1000;
/** A store that refuses so many letters one after the other takes none just now. */
const maxFailedInARow = 10;

interface FoundLetter {
  readonly letter: OverdueLetter;
  /** Absent: nobody can tell whose it is. */
  readonly head: DeadLetterHead | undefined;
}

/** Puts dead letters through the ingest again, or removes them. */
export class DeadLetterReplay {
  private readonly ports: ReplayPorts;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(ports: ReplayPorts) {
    this.ports = ports;
  }

  /** Replays letters by their names. @returns what became of each, in no order. @throws when the spool or the store fails; letters stay then. */
  replay(ids: readonly string[]): Promise<readonly ReplayOutcome[]> {
    return this.whileNoneRuns(() => this.replayNow([...new Set(ids)]));
  }

  /**
   * Does `work`, which copies the spool and the changes that wait one after the other, in a turn of its own: of a letter that goes back between the two
   * there would be the exchange without its changes.
   */
  whileNoneRuns<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  /**
   * Removes letters that were kept before a time, then the oldest while all together have more bytes than they may, each with what the store has taken of it:
   * once the letter is gone nothing tells whose that is. A letter whose request is on its way stays for another time.
   * @param before Unix milliseconds. @throws when the store fails; what is left then goes another time.
   */
  prune(before: number, lettersMaxBytes: number): Promise<PrunedLetters> {
    return this.whileNoneRuns(async () => this.pruneNow(this.ports.letters.overdue(before, lettersMaxBytes)));
  }

  private async pruneNow(overdue: readonly OverdueLetter[]): Promise<PrunedLetters> {
    const gone: OverdueLetter[] = [];
    let failure: Error | undefined;
    for (let start = 0; start < overdue.length; start += prunedAtOnce) {
      const some = overdue.slice(start, start + prunedAtOnce).map((letter) => ({ letter, head: this.ports.letters.headIn(letter.file) }));
      const inFlight = await this.inFlight(some.flatMap(({ head }) => head ?? []));
      const going = some.filter(({ head }) => head === undefined || !inFlight.has(head));
      const failed = await this.discard(going, gone);
      failure ??= failed;
    }
    const expired = gone.filter((letter) => letter.expired).length;
    return { expired, crowdedOut: gone.length - expired, failure };
  }

  /**
   * Removes letters with what the store has of them. Where that fails, as a store that is full cannot remove, each goes for itself: most have nothing
   * there, and the disk that is full may be theirs too.
   * @returns why some stay.
   */
  private async discard(letters: readonly FoundLetter[], gone: OverdueLetter[]): Promise<Error | undefined> {
    const discard = async (some: readonly FoundLetter[]): Promise<void> => {
      await this.ports.removeOrphans(some.flatMap(({ head }) => head ?? []));
      for (const { letter } of some) this.ports.letters.discard(letter);
      gone.push(...some.map(({ letter }) => letter));
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
    let group: WholeDeadLetter[] = [];
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

  /** The letter, when it can go into the spool. @throws when the store cannot tell whether it has the request. */
  private async readyLetter(id: string): Promise<WholeDeadLetter | ReplayOutcome> {
    const { letters, locate } = this.ports;
    const letter = await this.readableLetter(id);
    if ('outcome' in letter) return letter;
    const found = await locate(letter.organizationId, letter.requestId);
    if (found === undefined) return letter;
    if ('inFlight' in found) return { id, outcome: 'waiting' };
    letters.remove(id);
    return { id, outcome: 'stored' };
  }

  /** What cannot even be put together stays out of the spool: it would only come back, and nothing of it tells whose it is. */
  private async readableLetter(id: string): Promise<WholeDeadLetter | ReplayOutcome> {
    const { letters } = this.ports;
    try {
      const letter = await letters.read(id);
      if (letter === undefined) return { id, outcome: 'unknown' };
      assembleExchange(framesOf(letter).map(({ payload, ...frame }) => ({ frame, payload })));
      return letter;
    } catch (error) {
      const reason = messageOf(error);
      letters.giveReason(id, reason);
      return { id, outcome: 'failed', reason };
    }
  }

  private async replayGroup(group: readonly WholeDeadLetter[]): Promise<readonly ReplayOutcome[]> {
    const { removeOrphans, pendingChanges, forgetSpent, writeSeries } = this.ports;
    const isForgotten = await forgetSpent();
    if (!isForgotten) throw new GatelogError('metadata_unavailable', databaseLocked);
    await removeOrphans(group);
    await pendingChanges.appendMissing(group.flatMap(({ changes }) => changes));
    // TRICKY: letters may have gone since they were read, and erasures begun. Nothing may wait between this look and the series.
    const stopped = new Map(group.flatMap((letter) => this.stoppedNow(letter)));
    const sent = group.filter((letter) => !stopped.has(letter));
    if (sent.length > 0) {
      writeSeries(
        `replay-${randomUUID()}`,
        sent.flatMap((letter, index) => framesOf(letter).map((frame) => ({ ...frame, stream: index + 1 }))),
      );
    }
    if (stopped.size > 0) await pendingChanges.remove(await pendingChanges.sequencesFor([...stopped.keys()]));
    return [...stopped.values(), ...(await this.outcomesOf(sent))];
  }

  /** What becomes of a letter that must not go into the spool any more; nothing of one that may. */
  private stoppedNow(letter: WholeDeadLetter): readonly (readonly [WholeDeadLetter, ReplayOutcome])[] {
    const { id, organizationId } = letter;
    if (!this.ports.letters.has(id)) return [[letter, { id, outcome: 'unknown' }]];
    return this.ports.isErasing(organizationId) ? [[letter, { id, outcome: 'failed', reason: erasing }]] : [];
  }

  private async outcomesOf(sent: readonly WholeDeadLetter[]): Promise<readonly ReplayOutcome[]> {
    const { waitMs } = this.ports;
    const expired = new AbortController();
    const timer = setTimeout(() => expired.abort(), waitMs);
    try {
      return await Promise.all(sent.map((letter) => this.outcomeOf(letter, expired.signal)));
    } finally {
      clearTimeout(timer);
    }
  }

  private async outcomeOf(letter: WholeDeadLetter, expired: AbortSignal): Promise<ReplayOutcome> {
    const { letters, locate } = this.ports;
    const { id, organizationId, requestId } = letter;
    const found = await locate(organizationId, requestId);
    const settlement = found !== undefined && 'inFlight' in found ? await settledBefore(found.inFlight.whenSettled(), expired) : undefined;
    if (settlement === 'expired') return { id, outcome: 'waiting' };
    if (settlement === 'stored' || (found !== undefined && 'storedAt' in found)) {
      letters.remove(id);
      return { id, outcome: 'stored' };
    }
    const left = await letters.read(id);
    return left === undefined ? { id, outcome: 'unknown' } : { id, outcome: 'failed', reason: left.reason };
  }
}

function bytesOf(group: readonly WholeDeadLetter[]): number {
  return group.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** @throws when the letter holds no bytes. */
function framesOf({ frames }: WholeDeadLetter): Omit<WholeFrame, 'stream'>[] {
  return frames.map(({ kind, stamp, payload }) => {
    if (payload === undefined) throw new Error('the letter holds no bytes: they could not be read when it was kept, or were too many');
    return { kind, stamp, payload };
  });
}

async function settledBefore(settled: Promise<Settlement>, expired: AbortSignal): Promise<Settlement | 'expired'> {
  const over = new Promise<'expired'>((resolve) => {
    if (expired.aborted) resolve('expired');
    expired.addEventListener('abort', () => resolve('expired'), { once: true });
  });
  return Promise.race([settled, over]);
}
