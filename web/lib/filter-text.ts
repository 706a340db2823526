import type { FilterNode } from '../../src/query/filter/ast.ts';
import { describeFilter } from '../../src/query/filter/describe.ts';
import { filterWrappers } from '../../src/query/filter/leaf.ts';
import { parseFilter } from '../../src/query/filter/parse.ts';
import { printSearch } from '../../src/query/language/print.ts';

/** A filter of the API as the search that means the same; undefined where none does. */
export function searchOfFilter(filter: unknown): string | undefined {
  if (filter === undefined || filter === null) return '';
  const node = nodeOf(filter);
  return node === undefined ? undefined : printSearch(node);
}

/** A filter of the API in words: `property "Team" is "search"`. */
export function filterText(filter: unknown): string {
  if (filter === undefined || filter === null) return 'all requests';
  const node = nodeOf(filter);
  return node === undefined ? 'a filter that only the API shows' : describeFilter(node);
}

function nodeOf(filter: unknown): FilterNode | undefined {
  const parsed = parseFilter(filter, { wrappers: filterWrappers, unwrappedProperties: 'refuse' });
  return parsed.ok ? parsed.value.filter : undefined;
}
