import { GatelogError } from '../../../model/errors.ts';
import type { OrganizationId } from '../../../model/ids.ts';
import type { Observe } from '../../../model/observation.ts';
import type { ChangeLog } from '../../../store/read/change-log.ts';
import type { EventsDatabase } from '../../database/database.ts';
import {
  addUpdates,
  latestUpdate,
  removeOldestUpdates,
  removeUpdateRange,
  type StoredRequest,
  type UpdateNumbers,
} from '../../log/updates.ts';

export interface UpdateNotesOptions {
  readonly database: EventsDatabase;
  /** Whether a webhook of the organisation asks for updates. */
  readonly isWatched: (organizationId: OrganizationId) => boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly observe: Observe;
  /** Notes of one organisation at once, while its webhooks are behind. */
  readonly max?: number;
}

/** A hundred bytes each. */
const defaultMax = 1_000_000;
/** The notes of an organisation are counted after so many new ones. */
const countedAfter = 10_000;

interface Waiting {
  readonly requests: StoredRequest[];
  readonly resolve: ((last: number) => void)[];
  readonly reject: ((error: unknown) => void)[];
}

/**
 * # Changes of stored requests, until webhooks have looked at them
 *
 * An acknowledged change must be announced, whatever is killed. So a change is noted on disk before it is made, and what was noted since is
 * read once it has ended (`during`): one that cannot be noted is not made, and one that is made is noted. A kill in between announces a
 * request that is as it was. A change that the store refuses is taken back.
 *
 * Only organisations with a webhook that asks for updates pay for this. What comes together is written together. `docs/internals/decisions`
 * has the reasons.
 */
export class UpdateNotes implements ChangeLog {
  private readonly options: UpdateNotesOptions;
  private readonly waiting = new Map<OrganizationId, Waiting>();
  private readonly counts = new Map<OrganizationId, number>();
  /** The last note before each change that is being made. */
  private readonly begun = new Map<symbol, { readonly organizationId: OrganizationId; readonly after: number }>();
  private latest: number;
  private isWriting = false;
  private noted: (organizationId: OrganizationId) => void = () => undefined;

  private constructor(options: UpdateNotesOptions, latest: number) {
    this.options = options;
    this.latest = latest;
  }

  static async open(options: UpdateNotesOptions): Promise<UpdateNotes> {
    return new UpdateNotes(options, await latestUpdate(options.database));
  }

  /** @param noted called when there is something to read. */
  watch(noted: (organizationId: OrganizationId) => void): void {
    this.noted = noted;
  }

  isWatched(organizationId: OrganizationId): boolean {
    return this.options.isWatched(organizationId);
  }

  /** Whatever is noted up to here has been made. */
  watermark(organizationId: OrganizationId): number {
    const open = [...this.begun.values()].filter((begun) => begun.organizationId === organizationId);
    return Math.min(Number.MAX_SAFE_INTEGER, ...open.map(({ after }) => after));
  }

  /**
   * Durable on return; nothing is done for an organisation that is not watched. @returns the numbers of the notes. @throws GatelogError
   * `events_unavailable`.
   */
  async add(organizationId: OrganizationId, requests: readonly StoredRequest[]): Promise<UpdateNumbers | undefined> {
    if (requests.length === 0 || !this.isWatched(organizationId)) return undefined;
    return new Promise((resolve, reject) => {
      const own = this.waiting.get(organizationId) ?? { requests: [], resolve: [], reject: [] };
      const end = own.requests.length + requests.length;
      for (const request of requests) own.requests.push(request);
      own.resolve.push((latest) => {
        const last = latest - (own.requests.length - end);
        resolve({ first: last - requests.length + 1, last });
      });
      own.reject.push(reject);
      this.waiting.set(organizationId, own);
      if (!this.isWriting) void this.write();
    });
  }

  /** Notes the requests, then runs `change`, after which they are read. @throws the error of `change`, or as {@link add}. */
  async during<Result>(organizationId: OrganizationId, requests: readonly StoredRequest[], change: () => Promise<Result>): Promise<Result> {
    if (requests.length === 0 || !this.isWatched(organizationId)) return change();
    const key = Symbol('change');
    this.begun.set(key, { organizationId, after: this.latest });
    let noted: UpdateNumbers | undefined;
    try {
      noted = await this.add(organizationId, requests);
      return await change();
    } catch (error) {
      if (noted !== undefined && isRefusal(error)) await this.takeBack(organizationId, noted);
      throw error;
    } finally {
      this.begun.delete(key);
      this.noted(organizationId);
    }
  }

  /** A note that stays announces a request that is as it was, no more. */
  private async takeBack(organizationId: OrganizationId, numbers: UpdateNumbers): Promise<void> {
    await removeUpdateRange(this.options.database, organizationId, numbers).catch(() => undefined);
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.size > 0) {
      const round = [...this.waiting];
      this.waiting.clear();
      for (const [organizationId, { requests, resolve, reject }] of round) {
        try {
          this.latest = await addUpdates(this.options.database, organizationId, requests, this.options.now());
          for (const done of resolve) done(this.latest);
          await this.bound(organizationId, requests.length);
          this.noted(organizationId);
        } catch (error) {
          for (const fail of reject) fail(error);
        }
      }
    }
    this.isWriting = false;
  }

  /** Keeps the newest notes of an organisation whose webhooks do not take them. */
  private async bound(organizationId: OrganizationId, added: number): Promise<void> {
    const { database, observe, max = defaultMax } = this.options;
    const count = (this.counts.get(organizationId) ?? 0) + added;
    this.counts.set(organizationId, count < countedAfter ? count : 0);
    if (count < countedAfter) return;
    const dropped = await removeOldestUpdates(database, organizationId, max);
    if (dropped > 0) observe({ kind: 'webhook_updates_dropped', updates: dropped });
  }
}

/** Whether a change was surely not made. */
function isRefusal(error: unknown): boolean {
  return error instanceof GatelogError && error.status < 500;
}
