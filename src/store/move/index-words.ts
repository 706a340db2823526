import { dropIndexes, materializeIndex } from '../../sql/commands.ts';
import { select } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, systemRows } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { readForRemoval, type RemovingParts, runInTurn, whenMutated } from '../parts/remove-rows.ts';

/**
 * Makes the indexes of words for bodies of before, month by month, then drops the two that they replace. Meanwhile a
 * search reads the texts of the months that are left, and finds the same.
 *
 * Crash cases.
 *   a month is half-indexed       The engine goes on with it by itself; the next run waits for that.
 *   indexed, and not dropped      The next run finds all months among the engine's mutations and drops the indexes.
 *   a backup from meanwhile       Its mutations are not restored: all months are looked at again, and those that have the index cost little.
 */
export interface IndexWords {
  /** @returns whether there is something to do. @throws GatelogError. */
  readonly open: () => Promise<boolean>;
  /** Indexes a month, or drops the old indexes. No removal may run meanwhile. @returns whether something is left. @throws GatelogError. */
  readonly step: (signal: AbortSignal) => Promise<boolean>;
  readonly state: () => IndexWordsState;
}

export interface IndexWordsState {
  readonly months: number;
  readonly indexedMonths: number;
  readonly isDone: boolean;
}

const oldIndexes = ['request_words', 'response_words'] as const;
const newIndexes = ['new_request_words', 'packed_response_words'] as const;
const command = (index: string, partition: string): string => `MATERIALIZE INDEX ${index} IN PARTITION ID '${partition}'`;
const ofBodies = acrossOrganizations('bodies', 'an index is one of the whole table');

export function makeIndexWords(connections: Connections): IndexWords {
  let [months, indexedMonths] = [0, 0];
  let isDone = false;
  const look = async (parts: RemovingParts): Promise<readonly string[]> => {
    isDone = !(await hasOldIndexes(parts));
    if (isDone) return [];
    const all = await partitionsOf(parts);
    const ordered = await orderedMonths(parts);
    const isOrdered = (index: string, partition: string): boolean => ordered.some((text) => text.includes(command(index, partition)));
    const left = all.filter((partition) => !newIndexes.every((index) => isOrdered(index, partition)));
    [months, indexedMonths] = [all.length, all.length - left.length];
    return left;
  };
  return {
    state: () => ({ months, indexedMonths, isDone }),
    open: async () => {
      await look({ connections, signal: new AbortController().signal });
      return !isDone;
    },
    step: async (signal) => {
      const parts: RemovingParts = { connections, signal };
      if (isDone) return false;
      await whenMutated(parts, 'bodies');
      const [next] = await look(parts);
      if (isDone) return false;
      if (next === undefined) {
        await dropOldIndexes(parts);
        isDone = true;
        return false;
      }
      const indexing = newIndexes.map((index) => compileForAll(materializeIndex(ofBodies, index, next, { mutations_sync: 0 })));
      await runInTurn(parts, 'bodies', indexing);
      await whenMutated(parts, 'bodies');
      indexedMonths += 1;
      return true;
    },
  };
}

async function hasOldIndexes(parts: RemovingParts): Promise<boolean> {
  const old = select({
    columns: sql`name`,
    from: systemRows('data_skipping_indices', [sql`table = 'bodies' AND name IN ${param(oldIndexes, 'Array(String)')}`]),
    limit: 1,
  });
  return (await readForRemoval(parts, compileForAll(old))).length > 0;
}

async function partitionsOf(parts: RemovingParts): Promise<readonly string[]> {
  const query = select({
    distinct: true,
    columns: sql`partition_id AS partition`,
    from: systemRows('parts', [sql`table = 'bodies' AND active AND rows > 0`]),
    orderBy: sql`partition DESC`,
  });
  const rows = await readForRemoval<{ readonly partition: string }>(parts, compileForAll(query));
  return rows.map(({ partition }) => partition);
}

/** Commands of the months that the engine indexes or has indexed; it keeps the last hundred. */
async function orderedMonths(parts: RemovingParts): Promise<readonly string[]> {
  const query = select({
    columns: sql`command`,
    from: systemRows('mutations', [sql`table = 'bodies' AND command LIKE '%MATERIALIZE INDEX %'`]),
  });
  const rows = await readForRemoval<{ readonly command: string }>(parts, compileForAll(query));
  return rows.map((row) => row.command);
}

async function dropOldIndexes(parts: RemovingParts): Promise<void> {
  const dropping = dropIndexes(ofBodies, oldIndexes, { mutations_sync: 0 });
  await runInTurn(parts, 'bodies', [compileForAll(dropping)]);
  await whenMutated(parts, 'bodies');
}
