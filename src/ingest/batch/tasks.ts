import path from 'node:path';
import type { OrganizationId } from '../../model/ids.ts';
import type { DrainPorts } from '../ports.ts';
import type { InterpretTask, TaskSettings } from '../worker/interpreter.ts';
import type { JoinedSpans } from '../once/group-batch.ts';
import type { TrackedExchange } from '../series/exchange.ts';
import type { ChangesByExchange } from '../changes/pending.ts';

export interface TaskBatch {
  readonly changes: ChangesByExchange;
  /** An earlier process began it, so the store may have part of it. */
  readonly isRepeated: boolean;
  /** Spans of one call, by the index of the one that becomes its record. */
  readonly joined?: ReadonlyMap<number, JoinedSpans>;
}

const noJoined: ReadonlyMap<number, JoinedSpans> = new Map();

type TaskPorts = Pick<DrainPorts, 'callsOnce' | 'spoolFolder' | 'declaredNames' | 'redactionRules' | 'organizationPrices' | 'erasures'>;

/** Tasks in the order of the exchanges. */
export async function tasksOf(
  exchanges: readonly TrackedExchange[],
  { changes, isRepeated, joined = noJoined }: TaskBatch,
  ports: TaskPorts,
): Promise<InterpretTask[]> {
  const organizations = await organizationsOf(exchanges, ports);
  const kept = isRepeated ? await keptByRepetition(exchanges, ports) : noExchanges;
  const settingsByName = new Map<string, TaskSettings>();
  const tasks = exchanges.map((exchange): InterpretTask => {
    const { organizationId, series } = exchange;
    const isKept = kept.has(exchange);
    const name = `${organizationId}/${isKept ? 'kept' : ''}/${series}`;
    const settings = settingsByName.get(name) ?? {
      seriesFolder: path.join(ports.spoolFolder, series),
      organizationId,
      declaredNames: organizations.get(organizationId)?.declaredNames,
      redactionRules: organizations.get(organizationId)?.redactionRules,
      organizationPrices: ports.organizationPrices(organizationId),
      seeksCalls: organizations.get(organizationId)?.seeksCalls,
      erasures: isKept ? undefined : ports.erasures.of(organizationId),
    };
    settingsByName.set(name, settings);
    return { settings, frames: exchange.frames, changes: changes.get(exchange) ?? noChanges };
  });
  return joined.size === 0 ? tasks : tasks.map((task, index) => withJoined(task, tasks, joined.get(index)));
}

function withJoined(task: InterpretTask, tasks: readonly InterpretTask[], spans: JoinedSpans | undefined): InterpretTask {
  if (spans === undefined) return task;
  const others = spans.others.flatMap((index) => tasks[index] ?? []);
  return {
    ...task,
    joined: { others: others.map(({ settings, frames }) => ({ settings, frames })), counted: spans.others.indexOf(spans.counted) + 1 },
  };
}

const noExchanges: ReadonlySet<TrackedExchange> = new Set();
const noChanges: InterpretTask['changes'] = [];

type OrganizationSettings = Pick<TaskSettings, 'declaredNames' | 'redactionRules' | 'seeksCalls'>;

async function organizationsOf(
  exchanges: readonly TrackedExchange[],
  ports: TaskPorts,
): Promise<ReadonlyMap<OrganizationId, OrganizationSettings>> {
  const settings = new Map<OrganizationId, OrganizationSettings>();
  const tell = exchanges.filter(({ logged }) => (logged?.span ?? logged?.carriers) !== undefined);
  const sendSpans = new Set(tell.map(({ organizationId }) => organizationId));
  for (const { organizationId } of exchanges) {
    if (settings.has(organizationId)) continue;
    const declaredNames = await ports.declaredNames(organizationId);
    const redactionRules = await ports.redactionRules(organizationId);
    const seeksCalls = sendSpans.has(organizationId) || (await ports.callsOnce.hasSpans(organizationId));
    settings.set(organizationId, { declaredNames, redactionRules, seeksCalls });
  }
  return settings;
}

/**
 * Invariant: a repeated batch leaves out the records that it left out before and no others: some tables may have rows of those already,
 * and the erasure finds them in the store once all tables have.
 */
async function keptByRepetition(exchanges: readonly TrackedExchange[], { erasures }: TaskPorts): Promise<ReadonlySet<TrackedExchange>> {
  const kept = new Set<TrackedExchange>();
  for (const exchange of exchanges) {
    if (erasures.of(exchange.organizationId) === undefined) continue;
    if (!(await erasures.wasErased(exchange))) kept.add(exchange);
  }
  return kept;
}
