import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { countColumns } from '../../model/record/usage.ts';
import { deleteRows, updateRows } from '../../sql/commands.ts';
import { identifier } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { compileFor } from '../../sql/statement.ts';
import { type OrganizationTable, ownRows, requests, type Rows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { readForRemoval, removalSettings, removeRows, type RemovingParts } from '../parts/remove-rows.ts';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { readRows } from '../engine/statements.ts';
import { updateSettings, writePatch } from '../update/change.ts';
import { displayValue } from '../update/display.ts';
import type { PendingPatches } from '../update/pending-patches.ts';

export interface StoredName {
  readonly requestId: RequestId;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Makes two records of one call into one. Repeating either changes nothing. Both throw GatelogError when the store fails. */
export interface JoinRecords {
  /** Gives one record the counts and the cost of another, where both are. */
  readonly moveNumbers: (organizationId: OrganizationId, from: StoredName, into: StoredName) => Promise<void>;
  /** Removes a record with its bodies and its history. */
  readonly remove: (organizationId: OrganizationId, records: readonly StoredName[], signal: AbortSignal) => Promise<void>;
}

const countNames = ['total_tokens', ...Object.keys(countColumns)];
const textNames = ['usage_raw', 'cost_source', 'price_reference', 'applied_price', 'service_tier', 'response_model', 'model'] as const;
const bytesOfPatch = 8 * 1024;

type NumbersRow = Readonly<Record<string, string>> & {
  readonly part_names: readonly string[];
  readonly part_counts: readonly (string | number)[];
  readonly estimated: boolean;
};

export function makeJoinRecords(connections: Connections, patches: PendingPatches): JoinRecords {
  return {
    moveNumbers: async (organizationId, from, into) => {
      const texts = [...countNames, 'cost'].map((name) => sql`ifNull(toString(${identifier(name)}), '') AS ${identifier(`${name}_text`)}`);
      const parts = sql`mapKeys(usage_parts) AS part_names, mapValues(usage_parts) AS part_counts, usage_estimated AS estimated`;
      const columns = join(
        [...texts, ...textNames.map((name) => sql`toString(${identifier(name)}) AS ${identifier(`${name}_text`)}`), parts],
        ', ',
      );
      const read = compileFor(organizationId, select({ columns, from: requests(isNamed(from)), limit: 1 }));
      const [row] = await readRows<NumbersRow>(connections, 'update', read, updateSettings);
      if (row === undefined) return;
      const update = compileFor(organizationId, updateRows(requests(isNamed(into)), assignmentsOf(row)));
      try {
        await writePatch({ connections, patches }, update, bytesOfPatch + (row['usage_raw_text'] ?? '').length);
      } catch (error) {
        throw storeFailure(error);
      }
    },
    remove: async (organizationId, records, signal) => {
      const parts: RemovingParts = { connections, signal };
      // Requests first: a request that is there has its bodies.
      for (const table of ['requests', 'bodies', 'changes'] as const) await removeFrom(parts, organizationId, table, records);
    },
  };
}

function assignmentsOf(row: NumbersRow): readonly Fragment[] {
  const text = (name: string): string => row[`${name}_text`] ?? '';
  const values = new Map<string, Fragment>([
    ...countNames.map((name) => [name, sql`toUInt64OrNull(${param(text(name), 'String', name)})`] as const),
    ...textNames.map((name) => [name, sql`${param(text(name), 'String', name)}`] as const),
    ['cost', sql`toDecimal128OrNull(${param(text('cost'), 'String', 'cost')}, 12)`],
    [
      'usage_parts',
      sql`mapFromArrays(${param(row.part_names, 'Array(String)', 'part_names')}, ${param(row.part_counts.map(BigInt), 'Array(UInt64)', 'part_counts')})`,
    ],
    ['usage_estimated', row.estimated ? sql`true` : sql`false`],
  ]);
  return [
    ...Array.from(values, ([column, value]) => sql`${identifier(column)} = ${value}`),
    sql`display = ${displayValue(values)}`,
    sql`updated_at = now64(3, 'UTC')`,
  ];
}

function isNamed({ requestId, createdAt }: StoredName): readonly Fragment[] {
  return [sql`created_at = ${dateTime64(createdAt, 'created')}`, sql`request_id = ${param(uuidToNumber(requestId), 'UInt128', 'request')}`];
}

export async function removeFrom(
  parts: RemovingParts,
  organizationId: OrganizationId,
  table: OrganizationTable,
  records: readonly StoredName[],
): Promise<void> {
  const ids = param(
    records.map(({ requestId }) => uuidToNumber(requestId)),
    'Array(UInt128)',
    'requests',
  );
  const rows: Rows = ownRows(table, sql`request_id IN ${ids}`);
  const [found] = await readForRemoval(parts, compileFor(organizationId, select({ columns: sql`1 AS one`, from: rows, limit: 1 })));
  if (found === undefined) return;
  await removeRows(parts, table, compileFor(organizationId, deleteRows(rows, { by: 'hiding', settings: removalSettings })));
}
