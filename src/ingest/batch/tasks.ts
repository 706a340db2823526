import path from 'node:path';
import type { DeclaredNames } from '../../metadata/organization/declared-names.ts';
import type { RedactionRules } from '../../metadata/organization/redaction-rules.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { StoredPrices } from '../../pricing/held/stored-prices.ts';
import type { ActiveErasures } from '../changes/erasures.ts';
import type { CallsOnce } from '../once/calls-once.ts';
import type { InterpretTask, TaskSettings } from '../worker/record-builder.ts';
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

export interface TaskParts {
  readonly spoolFolder: string;
  readonly callsOnce: Pick<CallsOnce, 'hasSpans'>;
  /** Declared property names of one organisation, by lower-case name. */
  readonly declaredNames: Pick<DeclaredNames, 'of'>;
  /** While they cannot be read nothing is stored. */
  readonly redactionRules: Pick<RedactionRules, 'of'>;
  readonly organizationPrices: Pick<StoredPrices, 'get'>;
  readonly erasures: ActiveErasures;
}

/** Tasks in the order of the exchanges. */
export async function tasksOf(
  exchanges: readonly TrackedExchange[],
  { changes, isRepeated, joined = noJoined }: TaskBatch,
  parts: TaskParts,
): Promise<InterpretTask[]> {
  const organizations = await organizationsOf(exchanges, parts);
  const kept = isRepeated ? await keptByRepetition(exchanges, parts) : noExchanges;
  const settingsByName = new Map<string, TaskSettings>();
  const tasks = exchanges.map((exchange): InterpretTask => {
    const { organizationId, series } = exchange;
    const isKept = kept.has(exchange);
    const name = `${organizationId}/${isKept ? 'kept' : ''}/${series}`;
    const settings = settingsByName.get(name) ?? {
      seriesFolder: path.join(parts.spoolFolder, series),
      organizationId,
      declaredNames: organizations.get(organizationId)?.declaredNames,
      redactionRules: organizations.get(organizationId)?.redactionRules,
      organizationPrices: parts.organizationPrices.get(organizationId),
      seeksCalls: organizations.get(organizationId)?.seeksCalls,
      erasures: isKept ? undefined : parts.erasures.of(organizationId),
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
  parts: TaskParts,
): Promise<ReadonlyMap<OrganizationId, OrganizationSettings>> {
  const settings = new Map<OrganizationId, OrganizationSettings>();
  const tell = exchanges.filter(({ logged }) => (logged?.span ?? logged?.carriers) !== undefined);
  const sendSpans = new Set(tell.map(({ organizationId }) => organizationId));
  for (const { organizationId } of exchanges) {
    if (settings.has(organizationId)) continue;
    const declaredNames = await parts.declaredNames.of(organizationId);
    const redactionRules = await parts.redactionRules.of(organizationId);
    const seeksCalls = sendSpans.has(organizationId) || (await parts.callsOnce.hasSpans(organizationId));
    settings.set(organizationId, { declaredNames, redactionRules, seeksCalls });
  }
  return settings;
}

/**
 * Invariant: a repeated batch leaves out the records that it left out before and no others: some tables may have rows of those already,
 * and the erasure finds them in the store once all tables have.
 */
async function keptByRepetition(exchanges: readonly TrackedExchange[], { erasures }: TaskParts): Promise<ReadonlySet<TrackedExchange>> {
  const kept = new Set<TrackedExchange>();
  for (const exchange of exchanges) {
    if (erasures.of(exchange.organizationId) === undefined) continue;
    if (!(await erasures.wasErased(exchange))) kept.add(exchange);
  }
  return kept;
}
