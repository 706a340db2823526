import { randomUUID } from 'node:crypto';
import type { StatedCost } from '../../model/pricing/billed-request.ts';
import type { ChangeEntry } from '../../model/change.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { type Money, moneyText, usdOf } from '../../model/pricing/money.ts';
import { updateRows } from '../../sql/commands.ts';
import { sql } from '../../sql/sql.ts';
import { type CompiledSql, compileFor } from '../../sql/statement.ts';
import { withRetries, writePatch } from './change.ts';
import { requestsByKey } from './request-keys.ts';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { makeInsertRows } from '../insert/insert.ts';
import type { PendingPatches } from './pending-patches.ts';
import { changeRows } from '../insert/change-rows.ts';

/** A stored request that gets another cost. */
export interface CostChange {
  readonly requestId: RequestId;
  /** The record's own time, Unix milliseconds. */
  readonly createdAt: number;
  readonly before: Money | null;
  readonly after: StatedCost;
  /** Of its entry in the history; grows with every accepted change. */
  readonly number: number;
}

/** Changes of costs that somebody has asked for at once. */
export interface CostChanges {
  readonly organizationId: OrganizationId;
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  readonly changes: readonly CostChange[];
}

/**
 * Changes the costs of stored requests and writes their history; durable and visible to every later read when it returns, and may be repeated.
 * Other columns are not touched, so that a change of a property at the same time is not lost. A cost that the caller or the provider stated stays.
 * @throws GatelogError when the store fails.
 */
export type ChangeStoredCosts = (costs: CostChanges) => Promise<void>;

/** Requests in one statement; the engine writes their identifiers into each of its parts. */
const maxInStatement = 500;
/** In a patch, for each row: the cost, and the places of three short texts in their dictionaries. */
const bytesOfPatch = 96;

/** Makes the function that changes costs. Each group waits for its turn between the changes of properties. */
export function makeChangeStoredCosts(connections: Connections, patches: PendingPatches): ChangeStoredCosts {
  return async (costs) => {
    try {
      for (let start = 0; start < costs.changes.length; start += maxInStatement) {
        const group = { ...costs, changes: costs.changes.slice(start, start + maxInStatement) };
        await insertHistory(connections, group);
        await writePatch({ connections, patches }, updateStatement(group), group.changes.length * bytesOfPatch);
      }
    } catch (error) {
      throw storeFailure(error);
    }
  };
}

/** Invariant: the history comes first, as that of every change. A price that comes to the same is none. */
async function insertHistory(connections: Connections, { changes, ...accepted }: CostChanges): Promise<void> {
  const insert = makeInsertRows(connections, 'history');
  const entries = changes
    .filter(({ before, after }) => before !== after.cost)
    .map(({ requestId, before, after, number }): ChangeEntry => ({
      ...accepted,
      requestId,
      number,
      kind: 'cost',
      name: 'cost',
      old: usdOrNull(before),
      new: usdOrNull(after.cost),
    }));
  const token = `costs-${randomUUID()}`;
  await withRetries(() => insert('changes', [changeRows(entries)], token));
}

function usdOrNull(money: Money | null): number | null {
  return money === null ? null : usdOf(money);
}

function updateStatement({ organizationId, changes }: CostChanges): CompiledSql {
  const { rows, entry } = requestsByKey(
    changes.map(({ requestId }) => requestId),
    changes.map(({ createdAt }) => createdAt),
  );
  const entryOf = (name: string, valueOf: (after: StatedCost) => string) =>
    entry(
      changes.map(({ after }) => valueOf(after)),
      'Array(String)',
      name,
    );
  const assignments = [
    sql`cost = toDecimal128OrNull(${entryOf('costs', ({ cost }) => (cost === null ? '' : moneyText(cost)))}, 12)`,
    sql`cost_source = ${entryOf('sources', ({ costSource }) => costSource)}`,
    sql`price_reference = ${entryOf('price_references', ({ priceReference }) => priceReference)}`,
    sql`applied_price = ${entryOf('applied_prices', ({ appliedPrice }) => appliedPrice)}`,
    sql`updated_at = now64(3, 'UTC')`,
  ];
  return compileFor(organizationId, updateRows(rows([sql`cost_source IN ('price-book', 'none')`, sql`NOT cached`]), assignments));
}
