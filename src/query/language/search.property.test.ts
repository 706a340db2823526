import { filterWrappers } from '../filter/leaf.ts';
import { assert, property } from 'fast-check';
import { expect, test } from 'vitest';
import type { FilterNode } from '../filter/ast.ts';
import { parseFilter } from '../filter/parse.ts';
import { randomFilters } from '../filter/testing/random-queries.ts';
import { filterJson } from './json.ts';
import { parseSearch } from './parse.ts';
import { printSearch } from './print.ts';
import { testSeed } from '../../../test/support/test-length.ts';

const seed = testSeed();
const dialect = { wrappers: filterWrappers, unwrappedProperties: 'refuse', propertyWrapper: 'request_response_rmt' } as const;

function read(json: unknown): FilterNode {
  const parsed = parseFilter(json, dialect);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return parsed.value.filter;
}

/** Times beyond four digits of a year cannot be written. */
function isWritable(node: FilterNode): boolean {
  if ('operands' in node) return node.operands.every(isWritable);
  return node.kind !== 'condition' || node.family !== 'timestamp' || /^\d{4}-/.test(new Date(node.value).toISOString());
}

test(`every filter can be printed as a search that means the same, and as JSON (seed ${seed})`, () => {
  assert(
    property(randomFilters([]), (json) => {
      const filter = read(json);
      if (!isWritable(filter)) return;
      const printed = printSearch(filter);
      expect({ printed, filter: parseSearch(printed).filter }).toEqual({ printed, filter });
      expect(read(filterJson(filter))).toEqual(filter);
    }),
    { seed, numRuns: 3000 },
  );
});
