import { type RequestId, uuidToNumber } from '../../src/model/ids.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { makeInsertRows } from '../../src/store/insert/insert.ts';
import { migrateStore } from '../../src/store/schema/migrate.ts';
import { boundQuery } from '../../src/store/engine/parameters.ts';
import { changeRows } from '../../src/store/insert/change-rows.ts';
import { newRowWriters, rowsOf } from '../../src/store/insert/rows.ts';
import { recordAt, tenant } from '../query/records.ts';

/**
 * The same changes written directly to a separate store with the same tables: one insert of their history and one update. It reads no old
 * values, so its history has none, and it does not check that the requests exist.
 */
export interface ByHand {
  /** Changes one property of each request. @returns milliseconds. */
  readonly changeDistinct: (name: string) => Promise<number>;
  /** Changes as many properties of the first request. @returns milliseconds. */
  readonly changeSame: (names: readonly string[]) => Promise<number>;
}

interface Changed {
  readonly id: RequestId;
  readonly createdAt: number;
  readonly name: string;
  readonly value: string;
}

/** Stores `count` records. */
export async function openByHand(connections: Connections, count: number): Promise<ByHand> {
  await migrateStore(connections, () => undefined);
  const records = Array.from({ length: count }, (_, index) => recordAt(index, count, tenant));
  const insert = makeInsertRows(connections);
  const writers = newRowWriters();
  await insert(
    'requests',
    records.map((record) => rowsOf(record, record.createdAt, { writers }).request),
    'records',
  );
  const insertHistory = makeInsertRows(connections, 'history');
  let writes = 0;
  const write = async (changed: readonly Changed[], newValues: string): Promise<number> => {
    writes += 1;
    const start = performance.now();
    await insertHistory('changes', [historyOf(changed, writes)], `by-hand-${writes}`);
    await update(connections, changed, newValues);
    return performance.now() - start;
  };
  const [first] = records;
  if (first === undefined) throw new Error('There is no record to change.');
  return {
    changeDistinct: (name) =>
      write(
        records.map(({ requestId, createdAt }, index) => ({ id: requestId, createdAt, name, value: `${writes} of ${index}` })),
        "map({names:Array(String)}[1], transform(request_id, {ids:Array(UInt128)}, {values:Array(String)}, ''))",
      ),
    changeSame: (names) =>
      write(
        names.map((name) => ({ id: first.requestId, createdAt: first.createdAt, name, value: String(writes) })),
        'mapFromArrays({names:Array(String)}, {values:Array(String)})',
      ),
  };
}

function historyOf(changed: readonly Changed[], writes: number): Uint8Array {
  const acceptedAt = 1_800_000_000_000 + writes;
  const always = { organizationId: tenant, kind: 'property', keyId: 'by-hand', acceptedAt, old: null } as const;
  return changeRows(
    changed.map(({ id, name, value }, index) => ({ ...always, requestId: id, number: acceptedAt * 1000 + index, name, new: value })),
  );
}

async function update(connections: Connections, changed: readonly Changed[], newValues: string): Promise<void> {
  const times = changed.map(({ createdAt }) => createdAt);
  const text = `UPDATE requests SET properties = mapUpdate(properties, ${newValues}), updated_at = now64(3, 'UTC')
    WHERE org_id = {tenant:UInt128} AND request_id IN {ids:Array(UInt128)}
      AND created_at BETWEEN fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;
  const params = {
    tenant: uuidToNumber(tenant).toString(),
    ids: changed.map(({ id }) => uuidToNumber(id)),
    from: Math.min(...times),
    to: Math.max(...times),
    names: changed.map(({ name }) => name),
    values: changed.map(({ value }) => value),
  };
  await connections.run('update', (client) => client.command(boundQuery(text, { params }, connections.embedded)));
}
