import { type FaultPath, filterFault, type Result, success } from '../../model/fault.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { codeList, preview } from './preview.ts';
import { allOf, anyOf, everything, type FilterNode } from './ast.ts';
import { type FilterDialect, parseLeaf } from './leaf.ts';

/** Maximum nesting, and maximum nodes (branches, leaves, `{}`, `"all"`). */
export const filterLimits = { depth: 200, nodes: 2_000 } as const;

export interface ParsedFilter {
  readonly filter: FilterNode;
  /** A `properties` leaf stands outside its wrapper, for which the dialect answers an empty list. */
  readonly unwrappedProperties: boolean;
}

/** State of the walk. */
interface Walk {
  readonly dialect: FilterDialect;
  nodes: number;
  unwrappedProperties: boolean;
}

interface Location {
  readonly path: FaultPath;
  readonly depth: number;
}

export const branchKeys = ['left', 'operator', 'right'] as const;

/**
 * Parses a caller's filter. Every leaf is checked, also beside an operand that decides alone: nothing in a filter is ignored. @param path
 * the filter's path in the body. @returns the filter, or the first fault with its path and a sentence that says what to write instead.
 */
export function parseFilter(input: unknown, dialect: FilterDialect, path: FaultPath = ['filter']): Result<ParsedFilter> {
  const walk: Walk = { dialect, nodes: 0, unwrappedProperties: false };
  const parsed = parseNode(input, { path, depth: 0 }, walk);
  return parsed.ok ? success({ filter: parsed.value, unwrappedProperties: walk.unwrappedProperties }) : parsed;
}

/** Invariant: recursion ends at the depth limit, so hostile nesting cannot overflow the stack. */
function parseNode(input: unknown, location: Location, walk: Walk): Result<FilterNode> {
  walk.nodes += 1;
  if (walk.nodes > filterLimits.nodes) {
    return filterFault(location.path, `A filter has at most ${filterLimits.nodes} nodes. Ask in several queries.`);
  }
  if (input === 'all') return success(everything);
  if (!isJsonObject(input)) return filterFault(location.path, `A filter is a leaf, a branch, {} or "all"; got ${preview(input)}.`);
  const keys = Object.keys(input);
  if (keys.length === 0) return success(everything);
  if (isEmptyWrapper(input, keys, walk.dialect)) return success(everything);
  if (branchKeys.some((key) => Object.hasOwn(input, key))) return parseBranch(input, location, walk);
  const leaf = parseLeaf(input, location.path, walk.dialect);
  if (!leaf.ok) return leaf;
  walk.unwrappedProperties ||= leaf.value.unwrappedProperties;
  return success(leaf.value.condition);
}

/** A known wrapper without content: upstream's samples write every request so. */
function isEmptyWrapper(input: JsonObject, [key, ...others]: readonly string[], { wrappers }: FilterDialect): boolean {
  const inner = wrappers.some((wrapper) => wrapper === key) && others.length === 0 ? input[key ?? ''] : undefined;
  return isJsonObject(inner) && Object.keys(inner).length === 0;
}

function parseBranch(branch: JsonObject, { path, depth }: Location, walk: Walk): Result<FilterNode> {
  if (depth === filterLimits.depth) return filterFault(path, `Branches nest at most ${filterLimits.depth} deep. Ask in several queries.`);
  const foreign = Object.keys(branch).filter((key) => !(branchKeys as readonly string[]).includes(key));
  const missing = branchKeys.filter((key) => !Object.hasOwn(branch, key));
  if (foreign.length > 0 || missing.length > 0) return filterFault(path, branchSentence(foreign, missing));
  const { left, operator, right } = branch as Readonly<Record<(typeof branchKeys)[number], unknown>>;
  if (operator !== 'and' && operator !== 'or') {
    return filterFault([...path, 'operator'], `A branch's operator is "and" or "or"; got ${preview(operator)}.`);
  }
  const first = parseNode(left, { path: [...path, 'left'], depth: depth + 1 }, walk);
  if (!first.ok) return first;
  const second = parseNode(right, { path: [...path, 'right'], depth: depth + 1 }, walk);
  if (!second.ok) return second;
  return success(operator === 'and' ? allOf([first.value, second.value]) : anyOf([first.value, second.value]));
}

/** What is wrong with the keys of a branch. */
export function branchSentence(foreign: readonly string[], missing: readonly string[]): string {
  const rule = 'A branch is {"left": …, "operator": "and" | "or", "right": …}';
  const faults = [
    missing.length > 0 ? `${codeList(missing)} ${missing.length === 1 ? 'is' : 'are'} missing` : '',
    foreign.length > 0 ? `${codeList(foreign)} ${foreign.length === 1 ? 'does' : 'do'} not belong there` : '',
  ];
  return `${rule}; ${faults.filter((fault) => fault !== '').join(', ')}.`;
}
