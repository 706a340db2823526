import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import type { TimeRange } from '../../query/alerts/windows.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Minutes of an organisation that are kept apart; beyond them all of the last day count as changed. */
const maxMinutes = 20_000;

/** The minutes of arrival of requests that were stored or changed, and were not looked at since. */
export class DirtyMinutes {
  private readonly minutes = new Map<bigint, Set<number>>();
  /** The minute up to which all of a day is among the minutes of an organisation. */
  private readonly dayUntil = new Map<bigint, number>();
  private readonly now: () => number;

  /** @param now Unix milliseconds. */
  constructor(now: () => number) {
    this.now = now;
  }

  /** @param createdAt undefined: any request of the organisation. */
  readonly note = (organization: bigint, createdAt: number | undefined): void => {
    const minutes = this.minutes.get(organization) ?? new Set<number>();
    this.minutes.set(organization, minutes);
    if (createdAt !== undefined && minutes.size < maxMinutes) {
      minutes.add(Math.floor(createdAt / minuteMs));
      return;
    }
    const last = Math.floor(this.now() / minuteMs);
    if (this.dayUntil.get(organization) === last) return;
    this.dayUntil.set(organization, last);
    for (let minute = last - dayMs / minuteMs; minute <= last; minute += 1) minutes.add(minute);
  };

  mark(organizationId: OrganizationId, { from, to }: TimeRange): void {
    for (let at = from; at < to; at += minuteMs) this.note(uuidToNumber(organizationId), at);
  }

  /** Takes what was noted of an organisation, as ranges in the order of time. */
  take(organizationId: OrganizationId): readonly TimeRange[] {
    const minutes = this.minutes.get(uuidToNumber(organizationId));
    this.forget(uuidToNumber(organizationId));
    const ranges: TimeRange[] = [];
    for (const minute of [...(minutes ?? [])].toSorted((one, other) => one - other)) {
      const range = { from: minute * minuteMs, to: (minute + 1) * minuteMs };
      const last = ranges.at(-1);
      if (last?.to === range.from) ranges[ranges.length - 1] = { from: last.from, to: range.to };
      else ranges.push(range);
    }
    return ranges;
  }

  /** Forgets organisations without rules that are on: their requests alter no window. */
  retain(organizationIds: Iterable<OrganizationId>): void {
    const kept = new Set([...organizationIds].map(uuidToNumber));
    for (const organization of this.minutes.keys()) if (!kept.has(organization)) this.forget(organization);
  }

  private forget(organization: bigint): void {
    this.minutes.delete(organization);
    this.dayUntil.delete(organization);
  }
}
