import { select } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { Connections } from '../engine/connections.ts';
import { isDamage } from '../engine/failure.ts';
import { readRows } from '../engine/statements.ts';

/** Calls by whether their cost is known; of those without one count such as a price would give one. */
export interface CallCounts {
  readonly known: number;
  readonly unknown: number;
}

export interface CountedCalls {
  /** Unix milliseconds: those that arrived from then on. */
  readonly from: number;
  /** Those whose number in the order of storage is not greater. */
  readonly through: number;
}

/** Counts calls of all organisations; undefined when a damaged file has some. @throws GatelogError when the store fails. */
export type CountCalls = (counted: CountedCalls) => Promise<CallCounts | undefined>;

const isBilled = sql`(ifNull(prompt_tokens, 0) + ifNull(completion_tokens, 0) + usage_parts['audioSeconds'] > 0)`;
const columns = sql`count(cost) AS known, countIf(isNull(cost) AND ${isBilled}) AS unknown`;

export function makeCountCalls(connections: Connections): CountCalls {
  return async ({ from, through }) => {
    const counted = [sql`created_at >= ${dateTime64(from, 'from')}`, sql`stored_number <= ${param(through, 'UInt64', 'through')}`];
    const rows = acrossOrganizations('requests', 'the figures of a service are those of all its organisations', counted);
    try {
      const [row] = await readRows<Record<keyof CallCounts, string | number>>(
        connections,
        'removal',
        compileForAll(select({ columns, from: rows })),
      );
      return { known: Number(row?.known ?? 0), unknown: Number(row?.unknown ?? 0) };
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  };
}
