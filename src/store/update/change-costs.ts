import { randomUUID } from 'node:crypto';
import type { StatedCost } from '../../model/pricing/billed-request.ts';
import type { ChangeEntry } from '../../model/change.ts';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { type Money, moneyText, usdOf } from '../../model/pricing/money.ts';
import { boundStatement, withRetries } from './change.ts';
import type { RowsStatement } from './change-statements.ts';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { makeInsertRows } from '../insert/insert.ts';
import type { PendingPatches } from './pending-patches.ts';
import { runWrite } from '../engine/disk-space.ts';
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
        const command = boundStatement(updateStatement(group), connections.embedded);
        await withRetries(() =>
          runWrite(connections, 'update', async (client) => {
            await patches.makeRoom(connections, client, group.changes.length * bytesOfPatch);
            await client.command(command);
          }),
        );
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

const place = 'indexOf({ids:Array(UInt128)}, request_id)';

function updateStatement({ organizationId, changes }: CostChanges): RowsStatement {
  const params = {
    tenant: uuidToNumber(organizationId).toString(),
    ids: changes.map(({ requestId }) => uuidToNumber(requestId)),
    times: [...new Set(changes.map(({ createdAt }) => createdAt))],
    costs: changes.map(({ after }) => (after.cost === null ? '' : moneyText(after.cost))),
    sources: changes.map(({ after }) => after.costSource),
    price_references: changes.map(({ after }) => after.priceReference),
    applied_prices: changes.map(({ after }) => after.appliedPrice),
  };
  const text = `UPDATE requests SET
      cost = toDecimal128OrNull({costs:Array(String)}[${place}], 12),
      cost_source = {sources:Array(String)}[${place}],
      price_reference = {price_references:Array(String)}[${place}],
      applied_price = {applied_prices:Array(String)}[${place}],
      updated_at = now64(3, 'UTC')
    WHERE org_id = {tenant:UInt128}
      AND created_at IN (arrayMap(ms -> fromUnixTimestamp64Milli(ms, 'UTC'), {times:Array(Int64)}))
      AND request_id IN {ids:Array(UInt128)}
      AND cost_source IN ('price-book', 'none') AND NOT cached`;
  return { text, params };
}
