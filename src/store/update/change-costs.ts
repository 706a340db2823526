import { randomUUID } from 'node:crypto';
import type { StatedCost } from '../../model/record/billed-request.ts';
import type { ChangeEntry } from '../../model/change.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { type Money, moneyText, usdOrNull } from '../../model/pricing/money.ts';
import { updateRows } from '../../sql/commands.ts';
import { sql } from '../../sql/sql.ts';
import { type CompiledSql, compileFor } from '../../sql/statement.ts';
import { withRetries, writePatch } from './change.ts';
import { requestsByKey } from './request-keys.ts';
import type { Connections } from '../engine/connections.ts';
import { changeFailure } from '../engine/failure.ts';
import { makeInsertRows } from '../insert/insert.ts';
import type { PendingPatches } from './pending-patches.ts';
import { changeRows } from '../insert/change-rows.ts';

export interface CostChange {
  readonly requestId: RequestId;
  /** The record's time, Unix milliseconds. */
  readonly createdAt: number;
  readonly before: Money | null;
  readonly after: StatedCost;
  /** The number of its history entry; grows with every accepted change. */
  readonly number: number;
}

/** Changes of one call. */
export interface CostChanges {
  readonly organizationId: OrganizationId;
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  readonly changes: readonly CostChange[];
}

/**
 * Changes the costs of stored requests and writes their history; durable and visible to every later read on return, and repeatable. It
 * touches no other columns, so it loses no concurrent property change. Costs stated by the caller or the provider stay.
 * @throws GatelogError when the store fails.
 */
export type ChangeStoredCosts = (costs: CostChanges) => Promise<void>;

/** Requests per statement: the engine copies their identifiers into each part of it. */
const maxInStatement = 500;
/** Bytes of a patch per row: the cost, and the dictionary indexes of three short texts. */
const bytesOfPatch = 96;

/** Each group takes its own turn in the `update` lane, between the changes of properties. */
export function makeChangeStoredCosts(connections: Connections, patches: PendingPatches): ChangeStoredCosts {
  return async (costs) => {
    try {
      for (let start = 0; start < costs.changes.length; start += maxInStatement) {
        const group = { ...costs, changes: costs.changes.slice(start, start + maxInStatement) };
        await insertHistory(connections, group);
        await writePatch({ connections, patches }, updateStatement(group), group.changes.length * bytesOfPatch);
      }
    } catch (error) {
      throw changeFailure(error);
    }
  };
}

/** Invariant: the history is written before the row, as for every change. An unchanged price makes no entry. */
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
