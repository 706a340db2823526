import type { ReadyAlert } from './rule.ts';
import type { GroupMemory, OpenIncident, StepEvent, NotificationKind } from './state.ts';

/** One message about groups whose incidents have it together. */
export interface Notice {
  readonly kind: NotificationKind;
  /** The first of the incidents that were told together when they began; names them all. */
  readonly noticeId: string;
  /** Keys of the groups, the most severe first. */
  readonly notified: readonly string[];
  readonly values: ReadonlyMap<string, number | null>;
  readonly startedAt: number;
  readonly peak: number | null;
  /** Incidents told together that are open after the message. */
  readonly open: number;
}

interface DueNotice {
  readonly key: string;
  readonly kind: NotificationKind;
  readonly incident: OpenIncident;
}

/**
 * What is to be told. New incidents of one evaluation are one notice; what becomes of them is told by that notice, so that a channel that
 * counts incidents, such as a pager, opens one for it and closes it with its last group.
 */
export function noticesOf(
  { plan }: ReadyAlert,
  steps: ReadonlyMap<string, readonly StepEvent[]>,
  memories: ReadonlyMap<string, GroupMemory>,
): readonly Notice[] {
  const all: DueNotice[] = [...steps].flatMap(([key, events]) =>
    events.flatMap((event) => (event.kind === 'notify' ? [{ key, kind: event.message, incident: event.incident }] : [])),
  );
  const isUp = plan.comparison === 'gte' || plan.comparison === 'gt';
  const groups = new Map<string, DueNotice[]>();
  for (const one of all) {
    const key = `${one.kind} ${one.incident.notice ?? 'new'}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].map((notified) => {
    const values = new Map(notified.map(({ key }) => [key, memories.get(key)?.value ?? null]));
    const gravity = ({ key, incident }: DueNotice): number => (isUp ? -1 : 1) * (values.get(key) ?? incident.peak ?? 0);
    const ordered = notified.toSorted((one, other) => gravity(one) - gravity(other));
    const [first] = ordered;
    if (first === undefined) throw new TypeError('A notice has groups.');
    const noticeId = first.incident.notice ?? first.incident.id;
    const peaks = ordered.flatMap(({ incident }) => (incident.peak === null ? [] : [incident.peak]));
    const stillOpen = [...memories.values()].filter(({ incident }) => incident?.notice === noticeId).length;
    return {
      kind: first.kind,
      noticeId,
      notified: ordered.map(({ key }) => key),
      values,
      startedAt: Math.min(...ordered.map(({ incident }) => incident.startedAt)),
      peak: peaks.length === 0 ? null : isUp ? Math.max(...peaks) : Math.min(...peaks),
      open: first.incident.notice === null ? ordered.length : stillOpen,
    };
  });
}
