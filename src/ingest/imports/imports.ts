import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { ImportLine, ImportOutcome, RefusedLine } from '../../model/record/import.ts';
import type { Principal } from '../../model/principal.ts';
import { surfaceBounds } from '../../model/record/surface-bounds.ts';
import { FairSemaphore } from '../../platform/fair-semaphore.ts';
import { isSystemError } from '../../platform/files.ts';
import { type PreparedSeries, type UnsplitFrame, atomicSeriesName } from '../../spool/import-series.ts';
import type { ExchangeIndex } from '../series/exchange.ts';
import { ItemFault } from './fields.ts';
import { type AcceptedLine, framesOfItem } from './frames.ts';
import { fieldsOfLine, type LineFields } from './read-item.ts';

/**
 * # Imports: items of a file become records, each once
 *
 * The lines of one take go into the spool as a series of their own, which appears atomically and is durable before the take is
 * acknowledged. From there they go the way of every exchange, so redaction rules, erasures, changes, dead letters and repeated batches
 * hold for them as they do for calls.
 *
 * Crash cases.
 *   before the series has its name   nothing has happened; the caller has no answer and sends the lines again
 *   after it has its name            the records are on their way; the same lines again are found in flight or stored, and add nothing
 *
 * Invariant: an organisation's takes run one at a time, and look for each identifier in flight before they look in the store: what leaves
 * the spool in between is found in the store.
 * Invariant: a series is published only while no user of its organisation is being erased: an erasure searches the spool once.
 */
export interface ImportPorts {
  /** Reads everything that is in the spool now. */
  readonly catchUp: () => Promise<void>;
  readonly inFlight: Pick<ExchangeIndex, 'find'>;
  /** Those of the identifiers that the organisation's stored records have. */
  readonly findStored: (organizationId: OrganizationId, ids: readonly RequestId[]) => Promise<ReadonlySet<RequestId>>;
  /** Whether a user of the organisation is being erased. */
  readonly isErasing: (organizationId: OrganizationId) => boolean;
  /** Records from before this time would be removed by age; Unix milliseconds. */
  readonly expiresBefore: (organizationId: OrganizationId) => Promise<number>;
  /** What waits in the spool for the store. */
  readonly waiting: () => { readonly exchanges: number; readonly bytes: number };
  /** Whether an exchange of at least these bytes waits in the spool for the store. */
  readonly hasWaitingOf: (bytes: number) => boolean;
  /** As `fieldsOfLine`, beside the event loop; organisations take turns. @throws ItemFault, and GatelogError when too many wait. */
  readonly readLarge: (organizationId: OrganizationId, line: Buffer) => Promise<LineFields>;
  /** A fresh number of a change. */
  readonly nextNumber: () => number;
  readonly prepareSeries: (series: string, frames: readonly UnsplitFrame[]) => Promise<PreparedSeries>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly monotonic: () => number;
}

const { waiting: maxWaiting, waitMs: maxWaitMs, admission } = surfaceBounds.imports;
const pollMs = 20;
/** Lines are checked in this process, which also answers queries. */
const maxSliceMs = 5;
/** A longer line is checked beside the event loop: no slice ends within one. */
const inlineMaxBytes = 128 * 1024;
/** Max bytes of a line, of which the record's texts are made in memory. */
export const maxLineBytes = 64 * 1024 * 1024;
/** A record of so many bytes takes several times as much memory on its way into the store: an import sends one at a time. */
export const veryLongLineBytes = 14 * 1024 * 1024;
const earliestTime = Date.UTC(2015, 0, 1);
const maxAheadMs = 86_400_000;

interface CheckedLines {
  readonly accepted: readonly AcceptedLine[];
  readonly refused: readonly RefusedLine[];
}

export class Imports {
  private readonly ports: ImportPorts;
  private readonly turns = new Map<OrganizationId, Promise<unknown>>();
  /** Organisations take turns to wait for room: the next take of one comes behind that of another which waits. */
  private readonly slots = new FairSemaphore({
    units: 1,
    maxUnitsOfOwner: 1,
    maxWaitingOfOwner: admission.waiting,
    refusal: noSlot,
  });

  constructor(ports: ImportPorts) {
    this.ports = ports;
  }

  /**
   * Takes lines into an organisation; those of the outcome are on record on return. @param isTrial only says what would happen.
   * @throws GatelogError `service_busy`, `erasure_in_progress` or `store_unavailable`; nothing of the lines is taken then.
   */
  async take(owner: Principal, lines: readonly ImportLine[], isTrial: boolean): Promise<ImportOutcome> {
    const checking = this.checked(lines, owner.organizationId);
    const before = this.turns.get(owner.organizationId) ?? Promise.resolve();
    // The next lines are checked while these wait for the store and the disk.
    const turn = Promise.all([checking, before]).then(([checked]) => this.add(owner, checked, isTrial));
    const settled = turn.catch(() => undefined);
    this.turns.set(owner.organizationId, settled);
    try {
      return await turn;
    } finally {
      if (this.turns.get(owner.organizationId) === settled) this.turns.delete(owner.organizationId);
    }
  }

  /**
   * Resolves once no very large record is on its way into the store; call it before more of a line is read than a group of lines has.
   * @throws GatelogError `service_busy`.
   */
  async whenLongLineFits(): Promise<void> {
    const { hasWaitingOf, monotonic } = this.ports;
    const endsAt = monotonic() + maxWaitMs;
    while (hasWaitingOf(veryLongLineBytes)) {
      if (monotonic() > endsAt) throw noSlot();
      await wait(pollMs);
    }
  }

  private async add(owner: Principal, { accepted, refused }: CheckedLines, isTrial: boolean): Promise<ImportOutcome> {
    if (!isTrial) await this.waitForSlot(owner.organizationId);
    const fresh = await this.withoutKnown(owner.organizationId, accepted);
    if (!isTrial && fresh.length > 0) await this.write(owner, fresh);
    return { imported: fresh.length, alreadyThere: accepted.length - fresh.length, refused };
  }

  private async checked(lines: readonly ImportLine[], organizationId: OrganizationId): Promise<CheckedLines> {
    const { monotonic, readLarge } = this.ports;
    const expiresBefore = await this.ports.expiresBefore(organizationId);
    const latest = this.ports.now() + maxAheadMs;
    const accepted: AcceptedLine[] = [];
    const refused: RefusedLine[] = [];
    let sliceEnds = monotonic() + maxSliceMs;
    for (const { number, bytes } of lines) {
      try {
        const fields = bytes.length > inlineMaxBytes ? await readLarge(organizationId, bytes) : fieldsOfLine(bytes);
        assertTime(fields.createdAt, { earliest: expiresBefore, latest });
        accepted.push({ ...fields, line: bytes });
      } catch (error) {
        if (!(error instanceof ItemFault)) throw error;
        refused.push({ line: number, field: error.field, reason: error.message });
      }
      if (monotonic() < sliceEnds) continue;
      await nextTick();
      sliceEnds = monotonic() + maxSliceMs;
    }
    return { accepted, refused };
  }

  /** The first line of each identifier that the organisation does not have. */
  private async withoutKnown(organizationId: OrganizationId, accepted: readonly AcceptedLine[]): Promise<readonly AcceptedLine[]> {
    const { catchUp, inFlight, findStored } = this.ports;
    const byId = new Map<RequestId, AcceptedLine>();
    for (const line of accepted) if (!byId.has(line.requestId)) byId.set(line.requestId, line);
    if (byId.size === 0) return [];
    await catchUp();
    for (const id of byId.keys()) if (inFlight.find(organizationId, id) !== undefined) byId.delete(id);
    const stored = await findStored(organizationId, [...byId.keys()]);
    return [...byId.values()].filter(({ requestId }) => !stored.has(requestId));
  }

  private async write(owner: Principal, lines: readonly AcceptedLine[]): Promise<void> {
    const { now, monotonic, nextNumber, prepareSeries, isErasing } = this.ports;
    const at = now();
    const frames: UnsplitFrame[] = [];
    let sliceEnds = monotonic() + maxSliceMs;
    // A batch of the ingest has few months: those of a group of lines come one after the other.
    const sorted = lines.toSorted((first, second) => first.createdAt - second.createdAt);
    for (const [index, line] of sorted.entries()) {
      frames.push(...framesOfItem(line, owner, { at, feedbackNumber: nextNumber() }, index + 1));
      if (monotonic() < sliceEnds) continue;
      await nextTick();
      sliceEnds = monotonic() + maxSliceMs;
    }
    const series = await prepareSeries(atomicSeriesName('import'), frames).catch(unwritable);
    // TRICKY: no `await` between this check and the name of the series.
    if (isErasing(owner.organizationId)) {
      series.discard();
      throw erasing();
    }
    series.publish();
  }

  private async waitForSlot(organizationId: OrganizationId): Promise<void> {
    const { waiting, monotonic } = this.ports;
    const endsAt = monotonic() + maxWaitMs;
    const permit = await this.slots.acquire(1, { owner: organizationId, maxWaitMs });
    try {
      for (;;) {
        const { exchanges, bytes } = waiting();
        if (exchanges < maxWaiting.exchanges && bytes < maxWaiting.bytes) return;
        if (monotonic() > endsAt) throw noSlot();
        await wait(pollMs);
      }
    } finally {
      permit.release();
    }
  }
}

function noSlot(): GatelogError {
  return new GatelogError('service_busy', 'More records wait for the store than an import may add to. Send the same lines again.');
}

/** Nothing of the series is left. @throws GatelogError where the disk is full or fails. */
function unwritable(error: unknown): never {
  if (!isSystemError(error)) throw error;
  throw new GatelogError('store_unavailable', 'The disk of the spool takes nothing now. Send the same lines again when there is room.', {
    cause: error,
  });
}

function erasing(): GatelogError {
  return new GatelogError(
    'erasure_in_progress',
    'A user of this organisation is being erased, and nothing is imported meanwhile. Send the same lines again in a moment.',
  );
}

function assertTime(createdAt: number, { earliest, latest }: { readonly earliest: number; readonly latest: number }): void {
  const field = 'request_created_at';
  if (createdAt < earliestTime) {
    throw new ItemFault(field, '`request_created_at` is before 2015. A number is Unix time in milliseconds.');
  }
  if (createdAt > latest) throw new ItemFault(field, '`request_created_at` is more than a day in the future.');
  if (createdAt < earliest) {
    throw new ItemFault(field, '`request_created_at` is older than the retention keeps records: it would be removed at once.');
  }
}
