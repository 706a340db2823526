import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import type { LogPermit, Admit, SizeOfCalls } from '../../model/record/logged-call.ts';
import { surfaceBounds } from '../../model/record/surface-bounds.ts';
import { shareOf } from '../../platform/organization-shares.ts';
import { comparePositions, type Position } from '../../spool/spool.ts';

export interface AdmissionPorts {
  /** What the store has accepted of each series. May throw while it cannot be read. */
  readonly accepted: () => Readonly<Record<string, Position>>;
  /** Bytes in the spool, and at most; the calls of the gateway have the last quarter for themselves. */
  readonly usedBytes: () => number;
  readonly maxBytes: number;
  /** Processes that record what did not pass through the gateway. */
  readonly processes: number;
  readonly now: () => number;
  readonly monotonic: () => number;
}

/**
 * Of the spool's bytes: beyond the first share nothing is taken but calls, and what comes of organisations of which little waits; beyond the
 * second nothing of those either. The third is for what waits of all organisations.
 */
const spoolShares = { takesUpTo: 0.75, takesOfQuietUpTo: 15 / 16, waiting: 0.5 } as const;
/** What may wait of an organisation that counts as quiet: who fills the spool also delays the few records of the others. */
const quietBytes = 1024 * 1024;
/** How old a record is that counts as late. */
const lateMs = 2 * 86_400_000;
const pollMs = 50;
const maxReadAgeMs = 100;
/** While the store takes nothing for so long, records wait in the spool as calls do, within their share of its bytes. */
const awayMs = 10_000;
const retryAfterSeconds = 5;

export function isLate(startedAt: number, now: number): boolean {
  return startedAt < now - lateMs;
}

interface Held {
  units: number;
  bytes: number;
  waiters: number;
}

interface Entry {
  readonly organizationId: string;
  units: number;
  readonly bytes: number;
  readonly admittedAt: number;
  /** The end of what is written, by series. */
  readonly written: Map<string, Position>;
  isEnded: boolean;
}

const { waiting: bounds, waitMs, admission } = surfaceBounds.logs;

/**
 * What was recorded here without passing through the gateway and waits for the store, by organisation. Each has a share of what the others
 * leave, and one that has nothing there is always let in, so that one who sends much delays nobody else by more than the store needs for
 * `units`. It waits for room, and is refused with 429 after a while.
 */
export class Admissions {
  private readonly ports: AdmissionPorts;
  private readonly entries = new Set<Entry>();
  private readonly held = new Map<string, Held>();
  private readonly total = { units: 0, bytes: 0 };
  private readAt = Number.NEGATIVE_INFINITY;
  private progress = '';
  private progressAt = Number.NEGATIVE_INFINITY;

  constructor(ports: AdmissionPorts) {
    this.ports = ports;
  }

  /** Waits until the organisation may bring more. @throws GatelogError `backlog_full` or `spool_unavailable`. */
  async whenRoom(organizationId: string, signal?: AbortSignal, bytes = 0): Promise<void> {
    if (this.hasRoom(organizationId, bytes)) return;
    const tenant = this.heldOf(organizationId);
    if (tenant.waiters >= admission.waiting) throw full();
    tenant.waiters += 1;
    try {
      const endsAt = this.ports.monotonic() + waitMs;
      while (!this.hasRoom(organizationId, bytes)) {
        if (this.ports.monotonic() >= endsAt) throw full();
        await wait(pollMs, undefined, signal === undefined ? {} : { signal });
      }
    } finally {
      tenant.waiters -= 1;
      this.forgetIdle(organizationId, tenant);
    }
  }

  readonly admit: Admit = async (owner, size, signal) => {
    const { organizationId } = owner;
    await this.whenRoom(organizationId, signal, size.bytes);
    const entry: Entry = {
      organizationId,
      units: unitsOf(size, this.ports.now()),
      bytes: size.bytes,
      admittedAt: this.ports.monotonic(),
      written: new Map(),
      isEnded: false,
    };
    this.entries.add(entry);
    this.count(entry, 1);
    return {
      owner,
      written: ({ series, ...position }) => entry.written.set(series, position),
      end: () => (entry.isEnded = true),
    } satisfies LogPermit;
  };

  private hasRoom(organizationId: string, bytes: number): boolean {
    this.release();
    const { usedBytes, maxBytes, processes } = this.ports;
    const { units: unitsOfTenant, bytes: bytesOfTenant } = this.held.get(organizationId) ?? { units: 0, bytes: 0 };
    const isQuiet = bytesOfTenant === 0 || bytesOfTenant + bytes <= quietBytes;
    if (usedBytes() + bytes > maxBytes * (isQuiet ? spoolShares.takesOfQuietUpTo : spoolShares.takesUpTo)) throw spoolFull();
    const units = shareOf(bounds.units, this.total.units - unitsOfTenant, bounds.sharePercent);
    const share = shareOf((maxBytes * spoolShares.waiting) / processes, this.total.bytes - bytesOfTenant, bounds.sharePercent);
    return unitsOfTenant < units && (bytesOfTenant === 0 || bytesOfTenant + bytes <= share);
  }

  /** Forgets what the store has. */
  private release(): void {
    const now = this.ports.monotonic();
    if (this.entries.size === 0 || now - this.readAt < maxReadAgeMs) return;
    this.readAt = now;
    const accepted = this.acceptedNow();
    const progress = JSON.stringify(accepted);
    if (progress !== this.progress) this.progressAt = now;
    this.progress = progress;
    for (const entry of this.entries) {
      if (entry.isEnded && isAccepted(entry, accepted)) {
        this.entries.delete(entry);
        this.count(entry, -1);
      } else if (entry.units > 0 && now - Math.max(this.progressAt, entry.admittedAt) > awayMs) this.excuse(entry);
    }
  }

  private acceptedNow(): Readonly<Record<string, Position>> {
    try {
      return this.ports.accepted();
    } catch {
      return {};
    }
  }

  private excuse(entry: Entry): void {
    this.total.units -= entry.units;
    this.heldOf(entry.organizationId).units -= entry.units;
    entry.units = 0;
  }

  private count({ organizationId, units, bytes }: Entry, sign: 1 | -1): void {
    const tenant = this.heldOf(organizationId);
    for (const held of [tenant, this.total]) {
      held.units += sign * units;
      held.bytes += sign * bytes;
    }
    this.forgetIdle(organizationId, tenant);
  }

  private heldOf(organizationId: string): Held {
    const known = this.held.get(organizationId);
    if (known !== undefined) return known;
    const held = { units: 0, bytes: 0, waiters: 0 };
    this.held.set(organizationId, held);
    return held;
  }

  private forgetIdle(organizationId: string, { units, bytes, waiters }: Held): void {
    if (units === 0 && bytes === 0 && waiters === 0) this.held.delete(organizationId);
  }
}

function isAccepted({ written }: Entry, accepted: Readonly<Record<string, Position>>): boolean {
  for (const [series, position] of written) {
    const through = accepted[series];
    if (through === undefined || comparePositions(through, position) < 0) return false;
  }
  return true;
}

function unitsOf({ bytes, startedAt }: SizeOfCalls, now: number): number {
  const months = new Set(startedAt.filter((at) => isLate(at, now)).map((at) => new Date(at).toISOString().slice(0, 'yyyy-mm'.length)));
  return Math.max(startedAt.length, Math.ceil(bytes / bounds.bytesOfUnit)) + months.size * bounds.unitsOfLateMonth;
}

function full(): GatelogError {
  return new GatelogError(
    'backlog_full',
    'More records of your organisation wait for the store than its share. Nothing of this was recorded; send it again later.',
    { retryAfterSeconds },
  );
}

function spoolFull(): GatelogError {
  return new GatelogError(
    'spool_unavailable',
    'The spool has room for calls alone, so that this was not recorded. Send the same again when there is room.',
  );
}
