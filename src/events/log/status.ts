import type { OrganizationId } from '../../model/ids.ts';
import type { EventsQueries } from '../database/database.ts';
import { countPending } from './positions.ts';

/** How deliveries to a target go. Times are Unix milliseconds. */
export interface TargetStatus {
  readonly pending: number;
  readonly failedInARow: number;
  readonly failingSince: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  /** Deliveries that the log no longer has. */
  readonly pruned: number;
  /** How long the oldest due delivery waits, milliseconds. */
  readonly overdueMs: number;
}

/** Over all targets. Dialect: SQLite reads this from an index. */
export async function readBacklog({ queries }: EventsQueries, now: number): Promise<Pick<TargetStatus, 'pending' | 'overdueMs'>> {
  const { pending, due } = await queries
    .selectFrom('deliveries')
    .select((select) => [select.fn.countAll<number>().as('pending'), select.fn.min('due_at').as('due')])
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  return { pending, overdueMs: Math.max(0, now - (due ?? now)) };
}

/** Targets of an organisation whose latest attempt failed, as `targetKey` names them. */
export async function failingTargets({ queries }: EventsQueries, organizationId: OrganizationId): Promise<ReadonlySet<string>> {
  const rows = await queries
    .selectFrom('targets')
    .select('target')
    .where('organization_id', '=', organizationId)
    .where('failed_in_a_row', '>', 0)
    .execute();
  return new Set(rows.map(({ target }) => target));
}

export async function readTargetStatus(database: EventsQueries, target: string, now: number): Promise<TargetStatus> {
  const { queries } = database;
  const row = await queries.selectFrom('targets').selectAll().where('target', '=', target).executeTakeFirst();
  const oldest = await queries
    .selectFrom('deliveries')
    .select('due_at')
    .where('target', '=', target)
    .where('state', '=', 'pending')
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return {
    pending: await countPending(database, target),
    failedInARow: row?.failed_in_a_row ?? 0,
    failingSince: row?.failing_since ?? null,
    lastSuccessAt: row?.last_success_at ?? null,
    lastFailureAt: row?.last_failure_at ?? null,
    pruned: row?.pruned ?? 0,
    overdueMs: Math.max(0, now - (oldest?.due_at ?? now)),
  };
}
