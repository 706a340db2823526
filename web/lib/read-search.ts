import { useMemo } from 'react';
import type { FilterNode } from '../../src/query/filter/ast.ts';
import { SearchFault } from '../../src/query/language/fault.ts';
import { type ParsedSearch, parseSearch } from '../../src/query/language/parse.ts';

/** What a search means, or why it cannot be read. */
export type ReadSearch =
  | { readonly filter: FilterNode; readonly hints: ParsedSearch['hints']; readonly fault?: undefined }
  | { readonly fault: SearchFault; readonly filter?: undefined; readonly hints?: undefined };

export function useReadSearch(text: string): ReadSearch {
  return useMemo(() => readSearch(text), [text]);
}

/** Hints about names that are none of the organisation's properties. @param properties undefined: not known yet. */
export function doubted(hints: ParsedSearch['hints'], properties: readonly string[] | undefined): ParsedSearch['hints'] {
  const known = new Set(properties);
  return properties === undefined ? [] : hints.filter(({ name }) => !known.has(name));
}

export function readSearch(text: string): ReadSearch {
  try {
    return parseSearch(text);
  } catch (error) {
    if (error instanceof SearchFault) return { fault: error };
    throw error;
  }
}
