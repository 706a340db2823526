import { allOf, anyOf, conditionsIn, type ConditionNode, type FilterNode } from '../../src/query/filter/ast.ts';
import { SearchFault } from '../../src/query/language/fault.ts';
import { printSearch } from '../../src/query/language/print.ts';

/** A property that a search writes in another case than requests do. */
export interface OtherCase {
  readonly name: string;
  /** As requests write it. */
  readonly stored: string;
  /** The search with that name. */
  readonly corrected: string;
}

/** The name of a property as requests write it; undefined: none has it in any case. @param names of the properties on record. */
export function storedName(name: string, names: readonly string[]): string | undefined {
  return names.includes(name) ? name : names.find((one) => one.toLowerCase() === name.toLowerCase());
}

/** Names of properties are case-sensitive in searches. @param names of the properties on record. */
export function otherCases(filter: FilterNode, names: readonly string[]): readonly OtherCase[] {
  const written = new Set(conditionsIn(filter).flatMap((node) => propertyOf(node) ?? []));
  return [...written].flatMap((name) => {
    const stored = storedName(name, names);
    const corrected = stored === undefined || stored === name ? undefined : searchOf(renamed(filter, name, stored));
    return stored === undefined || corrected === undefined ? [] : [{ name, stored, corrected }];
  });
}

function propertyOf({ group, field, name }: ConditionNode): string | undefined {
  return group === 'request_response_rmt' && field === 'properties' ? name : undefined;
}

function renamed(node: FilterNode, from: string, to: string): FilterNode {
  if (node.kind === 'all') return node;
  if (node.kind === 'condition') return propertyOf(node) === from ? { ...node, name: to } : node;
  const operands = node.operands.map((operand) => renamed(operand, from, to));
  const [first, ...others] = operands;
  return node.kind === 'and' || first === undefined ? allOf(operands) : anyOf([first, ...others]);
}

/** @returns undefined where no search says it. */
function searchOf(filter: FilterNode): string | undefined {
  try {
    return printSearch(filter);
  } catch (error) {
    if (error instanceof SearchFault) return undefined;
    throw error;
  }
}
