import type { Result } from '../contract/fault.ts';
import { isJsonObject } from '../model/text.ts';
import { type SortDirection, sortDirections, type SortKey } from '../model/vocabulary/sort.ts';
import { type Fragment, join, sql } from '../sql/sql.ts';
import { listed, quoted, sketch } from './filter/sketch.ts';
import { bodyFault, success } from './outcome.ts';

/** The column behind each sort key. */
const sortColumns = {
  created_at: sql`created_at`,
} as const satisfies Record<SortKey, Fragment>;

/** One key of a sort with its direction. */
export interface SortTerm {
  readonly key: SortKey;
  readonly direction: SortDirection;
}

const newestFirst: readonly SortTerm[] = [{ key: 'created_at', direction: 'desc' }];

/** Reads `sort` of a request query: keys in the order written. Absent or empty means the newest first. */
export function parseSort(sort: unknown): Result<readonly SortTerm[]> {
  if (sort === undefined) return success(newestFirst);
  if (!isJsonObject(sort)) return bodyFault(['sort'], `\`sort\` takes an object such as {"created_at": "desc"}; got ${sketch(sort)}.`);
  const terms: SortTerm[] = [];
  for (const [key, direction] of Object.entries(sort)) {
    if (!isSortKey(key)) {
      return bodyFault(['sort', key], `Unknown sort key ${quoted(key)}. Known keys: ${listed(Object.keys(sortColumns))}.`);
    }
    const known = sortDirections.find((candidate) => candidate === direction);
    if (known === undefined) return bodyFault(['sort', key], `${quoted(key)} is sorted "asc" or "desc"; got ${sketch(direction)}.`);
    terms.push({ key, direction: known });
  }
  return success(terms.length === 0 ? newestFirst : terms);
}

/**
 * The whole order of a page. Arrival and identifier come last, so that no two rows are equal and pages never overlap.
 * TRICKY: the two run the same way, as only then the engine reads in the order of its primary key.
 */
export function compileSort(terms: readonly SortTerm[]): Fragment {
  const arrival = terms.find(({ key }) => key === 'created_at')?.direction ?? 'desc';
  const written = terms.map(({ key, direction }) => sql`${sortColumns[key]} ${directed(direction)}`);
  const ties = terms.some(({ key }) => key === 'created_at') ? [] : [sql`created_at ${directed(arrival)}`];
  return join([...written, ...ties, sql`request_id ${directed(arrival)}`], ', ');
}

function directed(direction: SortDirection): Fragment {
  return direction === 'asc' ? sql`ASC` : sql`DESC`;
}

function isSortKey(key: string): key is SortKey {
  return Object.hasOwn(sortColumns, key);
}
