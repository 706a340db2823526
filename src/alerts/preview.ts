import type { AlertRule } from '../contract/events/alerts.ts';
import type { UnpricedRequests } from '../contract/settings/unpriced.ts';
import type { OrganizationId, Uuid } from '../model/ids.ts';
import { groupKeyOf, groupOfKey, type GroupValue, shownGroup } from '../query/alerts/groups.ts';
import {
  countGroupsStatement,
  inWindows,
  previewSamples,
  previewStatement,
  type PreviewSteps,
  previewSteps,
  unpricedInPreview,
} from '../query/alerts/preview.ts';
import { type AlertPlan, isOfCost } from '../query/alerts/plan.ts';
import type { AlertRow } from '../query/alerts/rows.ts';
import { sessionNamesOf, sessionNamesPlan, sessionsOf } from '../query/alerts/session-names.ts';
import type { TimeRange } from '../query/alerts/windows.ts';
import { type MetricsRow, metricsStatement } from '../query/metrics/statement.ts';
import { unpricedOf } from '../query/metrics/unpriced.ts';
import { Slices } from '../platform/bounds/slices.ts';
import type { RunStatement } from '../store/read/run-statement.ts';
import { comparedSamples } from './machine/baseline.ts';
import { evaluate, type Memories } from './machine/evaluate.ts';
import { type ReadyAlert, readyAlert } from './machine/rule.ts';
import { worseOf } from './machine/state.ts';

type GroupView = Readonly<Record<string, GroupValue>>;

export interface PreviewedIncident {
  readonly group: GroupView;
  readonly startedAt: number;
  /** Null: it lasts. */
  readonly endedAt: number | null;
  readonly peak: number | null;
}

/** What a rule would have done. Times are Unix milliseconds. */
export interface Preview {
  readonly stepMs: number;
  /** Every step of the evaluator and every group was taken. */
  readonly isExact: boolean;
  readonly groupsLeftOut: number;
  /** A point for each change of a group's value, in the order of time. */
  readonly series: readonly { readonly at: number; readonly group: GroupView; readonly value: number | null }[];
  readonly incidents: readonly PreviewedIncident[];
  /** Null: the rule measures no money. */
  readonly unpriced: UnpricedRequests | null;
  /** By their identifiers. */
  readonly sessionNames: ReadonlyMap<string, string>;
}

/** Points of the series; of more, the last are left out. */
const maxPoints = 50_000;

export interface PreviewOptions {
  readonly organizationId: OrganizationId;
  /** A valid one. */
  readonly rule: Omit<AlertRule, 'name'>;
  readonly range: TimeRange;
  /** Time between two evaluations of stored rules. */
  readonly intervalMs: number;
}

const nothing = {
  isExact: true,
  groupsLeftOut: 0,
  series: [],
  incidents: [],
  unpriced: null,
  sessionNames: new Map<string, string>(),
} as const;

/** Runs a rule over stored requests, by the state machine of the evaluator. Nothing is told, so that a mute has no effect. */
export async function previewAlert(run: RunStatement, options: PreviewOptions, signal?: AbortSignal): Promise<Preview> {
  const { organizationId, range, intervalMs } = options;
  const rule = { ...options.rule, name: '' };
  const drafted = { id: '' as Uuid, organizationId, rule, channels: [], limitPolicy: null, offered: false, createdAt: 0, changedAt: 0 };
  const { plan } = readyAlert(drafted, intervalMs);
  const steps = previewSteps(plan, range, intervalMs);
  const ready = readyAlert(drafted, steps.stepMs);
  if (steps.count === 0) return { ...nothing, stepMs: steps.stepMs };
  const groups = plan.dimensions.length === 0 ? 1 : await countGroups(run, ready, steps, signal);
  const rows = await run<AlertRow>(previewStatement(plan, steps), signal);
  const unpriced = isOfCost(plan.measure)
    ? unpricedOf(await run<MetricsRow>(metricsStatement(unpricedInPreview(plan, steps)), signal))
    : null;
  const groupsLeftOut = Math.max(0, groups - steps.groups);
  const { series, incidents, isCut } = await replay(ready, steps, rows);
  const sessionNames = await namesOf(run, plan, { steps, groups: [...incidents, ...series].map(({ group }) => group) }, signal);
  const isExact = steps.stepMs === intervalMs && groupsLeftOut === 0 && !isCut;
  return { stepMs: steps.stepMs, isExact, groupsLeftOut, series, incidents, unpriced, sessionNames };
}

interface ShownGroups {
  readonly steps: PreviewSteps;
  readonly groups: readonly GroupView[];
}

async function namesOf(run: RunStatement, plan: AlertPlan, { steps, groups }: ShownGroups, signal?: AbortSignal) {
  const [first, ...others] = sessionsOf(groups);
  if (first === undefined) return nothing.sessionNames;
  return sessionNamesOf(
    await run<MetricsRow>(metricsStatement(sessionNamesPlan(plan, [first, ...others], inWindows(plan, steps))), signal),
  );
}

async function countGroups(run: RunStatement, { plan }: ReadyAlert, steps: PreviewSteps, signal?: AbortSignal): Promise<number> {
  const [row] = await run<AlertRow>(countGroupsStatement(plan, steps), signal);
  return Number(row?.['groups'] ?? 0);
}

async function replay(ready: ReadyAlert, { first, stepMs, count }: PreviewSteps, rows: readonly AlertRow[]) {
  const { plan } = ready;
  const slices = new Slices();
  const samples = previewSamples(plan, rows);
  const none = Array.from({ length: plan.baselineDays + 1 }, () => []);
  const incidents = new Map<string, PreviewedIncident>();
  const series: Preview['series'][number][] = [];
  const shown = new Map<string, number | null>();
  let memories: Memories = new Map();
  let isCut = false;
  let made = 0;
  for (let index = 0; index < count; index += 1) {
    await slices.turn();
    const at = first + index * stepMs;
    const compared = comparedSamples(plan, samples.get(index) ?? none);
    const evaluated = evaluate(ready, memories, compared, {
      at,
      previous: index === 0 ? null : at - stepMs,
      newId: () => String((made += 1)),
    });
    memories = evaluated.memories;
    isCut ||= evaluated.leftOut > 0;
    for (const { key, incident, endedAt } of evaluated.incidents) {
      const peak = worseOf(incidents.get(incident.id)?.peak ?? null, incident.peak, plan.comparison);
      incidents.set(incident.id, { group: shownGroup(plan.dimensions, groupOfKey(key)), startedAt: incident.startedAt, endedAt, peak });
    }
    const values = new Map(compared.map(({ group, value }) => [groupKeyOf(group), value]));
    for (const key of new Set([...shown.keys(), ...values.keys()])) {
      const value = values.get(key) ?? (values.has(key) || !plan.zeroWithoutRequests ? null : 0);
      if (shown.has(key) && shown.get(key) === value) continue;
      shown.set(key, value);
      if (series.length < maxPoints) series.push({ at, group: shownGroup(plan.dimensions, groupOfKey(key)), value });
      else isCut = true;
    }
  }
  return { series, incidents: [...incidents.values()], isCut };
}
