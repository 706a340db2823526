import { v7 } from 'uuid';
import { alertLimits } from '../../model/events/alert-vocabulary.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Outbox } from '../../events/delivery/outbox.ts';
import { addDeliveries } from '../../events/log/add-deliveries.ts';
import { incidentsWithin, type KeptWindow, windowContent, windowsWithin } from '../stored/read.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import { type RuleChanges, writeRuleChanges } from '../stored/write.ts';
import type { EventsDatabase } from '../../events/database/database.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { TimeRange } from '../../query/alerts/windows.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';
import { dimensionNames, historyRow } from '../evaluation/changes.ts';
import { keptValues } from '../evaluation/kept-windows.ts';
import { comparedSamples } from '../machine/baseline.ts';
import type { ReadyAlert } from '../machine/rule.ts';
import { measureEach } from '../evaluation/measure.ts';
import { deliveriesOf, lateMessages, type Messaging } from '../evaluation/messages.ts';
import type { DirtyMinutes } from './dirty-minutes.ts';
import { type Judged, judgeWindow, type LateValue } from './judge.ts';

export interface LateCheckOptions extends Messaging {
  readonly changed: DirtyMinutes;
  readonly run: RunStatement;
  readonly events: EventsDatabase;
  readonly outbox: Pick<Outbox, 'wake'>;
}

/** Windows of an organisation that one check measures again; the next one goes on. */
const maxWindows = 500;
/** Rows that one window adds to the history of its rule; the incidents are among them. */
const maxRows = alertLimits.historyRows;
const dayMs = 86_400_000;
const reason = 'Requests that were stored late, or changed, altered a window that had ended.';

interface LateTime {
  readonly at: number;
  readonly signal: AbortSignal;
  /** Windows are measured for no longer. */
  readonly maxMs: number;
}

interface Sought {
  readonly ready: ReadyAlert;
  readonly window: KeptWindow;
}

/**
 * Measures windows again that have ended and of which requests were stored or changed since. Decision 0014 has the reasons.
 * @returns how many windows it measured.
 */
export async function checkLate(
  options: LateCheckOptions,
  organizationId: OrganizationId,
  alerts: readonly ReadyAlert[],
  time: LateTime,
): Promise<number> {
  const { changed } = options;
  const ranges = changed.take(organizationId);
  if (ranges.length === 0) return 0;
  try {
    return await checkRanges(options, organizationId, alerts, { ...time, ranges });
  } catch (error) {
    for (const range of ranges) changed.mark(organizationId, range);
    throw error;
  }
}

async function checkRanges(
  { changed, run, events, ...rest }: LateCheckOptions,
  organizationId: OrganizationId,
  alerts: readonly ReadyAlert[],
  time: LateTime & { readonly ranges: readonly TimeRange[] },
): Promise<number> {
  const { ranges } = time;
  const slices = new Slices();
  const found = await windowsOf(events, alerts, ranges, time.at);
  const taken = found.slice(0, maxWindows);
  for (const { window } of found.slice(maxWindows)) changed.mark(organizationId, { from: window.starts_at, to: window.ends_at });
  const readings = taken.map(({ ready: { plan }, window }) => ({ plan, ranges: rangesOf(window, plan.baselineDays) }));
  const turn = { signal: time.signal, maxMs: time.maxMs, monotonic: () => performance.now() };
  await measureEach(run, readings, turn, async (index, measurement) => {
    const sought = taken[index];
    if (sought === undefined) return;
    const { ready, window } = sought;
    if ('error' in measurement) {
      changed.mark(organizationId, { from: window.starts_at, to: window.ends_at });
      return;
    }
    const incidents = await incidentsWithin(events, ready.alert.id, { from: window.starts_at, to: time.at });
    const samples = comparedSamples(ready.plan, measurement.samples);
    const content = await windowContent(events, window);
    const judged = judgeWindow(ready, { ...window, content }, { samples, incidents, at: time.at });
    if (judged.isChanged) await write({ events, ...rest }, sought, judged, time.at);
    await slices.turn();
  });
  return taken.length;
}

/** The newest first. */
async function windowsOf(
  events: EventsDatabase,
  alerts: readonly ReadyAlert[],
  ranges: readonly TimeRange[],
  at: number,
): Promise<readonly Sought[]> {
  const late = { from: ranges[0]?.from ?? at, to: Math.min(at, ranges.at(-1)?.to ?? at) };
  const found: Sought[] = [];
  for (const ready of alerts) {
    for (const window of await windowsWithin(events, ready.alert.id, late)) {
      if (ranges.some(({ from, to }) => from < window.ends_at && to > window.starts_at)) found.push({ ready, window });
    }
  }
  return found.toSorted((one, other) => other.window.ends_at - one.window.ends_at);
}

function rangesOf({ starts_at: from, ends_at: to }: KeptWindow, baselineDays: number): readonly TimeRange[] {
  return Array.from({ length: baselineDays + 1 }, (_, day) => ({ from: from - day * dayMs, to: to - day * dayMs }));
}

async function write(
  { events, linkOf, subscribers, outbox }: Omit<LateCheckOptions, 'changed' | 'run'>,
  sought: Sought,
  judged: Judged,
  at: number,
): Promise<void> {
  const { ready, window } = sought;
  const missed = judged.late.slice(0, maxRows).flatMap((value) => (value.isMissed ? [{ ...value, id: v7() }] : []));
  const isMuted = ready.rules.muteUntil !== null && at < ready.rules.muteUntil;
  const incidents = { missed, window: { from: window.starts_at, to: window.ends_at }, at };
  const deliveries = deliveriesOf(ready, isMuted ? [] : lateMessages(ready, incidents, linkOf), subscribers);
  const incidentOf = new Map(missed.map(({ key, id }) => [key, id]));
  await inWriteTransaction(events, async (transaction) => {
    await writeRuleChanges(transaction, changesOf(sought, judged, incidentOf, at));
    await addDeliveries(transaction, deliveries, at);
  });
  if (deliveries.length > 0) outbox.wake(deliveries);
}

function changesOf({ ready, window }: Sought, judged: Judged, incidentOf: ReadonlyMap<string, string>, at: number): RuleChanges {
  const { alert } = ready;
  return {
    ruleId: alert.id,
    organizationId: alert.organizationId,
    seen: undefined,
    putGroups: [],
    removedGroups: [],
    incidents: judged.late.flatMap(({ key, after }) => {
      const id = incidentOf.get(key);
      return id === undefined ? [] : [incidentRow(ready, window, { id, key, peak: after })];
    }),
    history: judged.late.slice(0, maxRows).map((value) => lateRow({ ready, window }, value, incidentOf.get(value.key) ?? null, at)),
    windows: [{ ...window, content: keptValues(judged.values, ready.plan.comparison) }],
  };
}

function incidentRow(
  ready: ReadyAlert,
  { starts_at: from, ends_at: to }: KeptWindow,
  { id, key, peak }: { readonly id: string; readonly key: string; readonly peak: number | null },
): RuleChanges['incidents'][number] {
  return {
    id,
    organization_id: ready.alert.organizationId,
    rule_id: ready.alert.id,
    group_key: key,
    dimensions: dimensionNames(ready),
    reason: 'threshold',
    started_at: to,
    ended_at: to,
    peak,
    threshold: ready.plan.threshold,
    window_from: from,
    window_to: to,
    late: 1,
  };
}

function lateRow(
  { ready, window }: Sought,
  { key, before, after, isMissed }: LateValue,
  incidentId: string | null,
  at: number,
): RuleChanges['history'][number] {
  return {
    ...historyRow(ready, at),
    state: isMissed ? 'firing' : 'ok',
    group_key: key,
    value: after,
    window_from: window.starts_at,
    window_to: window.ends_at,
    incident_id: incidentId,
    late: 1,
    value_before: before,
    reason,
  };
}
