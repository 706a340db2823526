import { filterFault, type FaultPath, type Result, success } from '../../model/fault.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { userFields } from '../../model/vocabulary/fields.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { Comparison } from '../filter/ast.ts';
import { branchKeys, branchSentence, filterLimits } from '../filter/parse.ts';
import { checkComparison } from '../filter/check.ts';
import { code, codeList, didYouMean, preview } from '../filter/preview.ts';
import { compareColumn } from '../filter/sql/compile-text.ts';

/** Upstream's name of the filter group over a user's totals. */
const wrapper = 'users_view';

/** A user's totals in a derived table, by the names of upstream's items and sort keys. */
export const userValues = {
  user_id: sql`user_id`,
  active_for: sql`days`,
  first_active: sql`first_at`,
  last_active: sql`last_at`,
  total_requests: sql`request_count`,
  failed: sql`failed_count`,
  average_requests_per_day_active: sql`toFloat64(request_count) / days`,
  average_tokens_per_request: sql`toFloat64(prompt_sum + completion_sum) / request_count`,
  total_completion_tokens: sql`completion_sum`,
  total_prompt_tokens: sql`prompt_sum`,
  cost: sql`cost_sum`,
} as const;

export type UserSortKey = keyof typeof userValues;

/** A filter in two: conditions on a user's totals as SQL, and what it says of requests, still to be parsed. */
export interface SplitFilter {
  readonly ofUsers: readonly Fragment[];
  readonly ofRequests: unknown;
}

/** Takes the conditions on users out of a filter. @returns the first fault in them. */
export function splitUsersView(filter: unknown): Result<SplitFilter> {
  const path: FaultPath = ['filter'];
  if (!holdsUsers(filter, 0)) return success({ ofUsers: [], ofRequests: filter });
  if (nodesIn(filter, 0) > filterLimits.nodes) {
    return filterFault(path, `A filter has at most ${filterLimits.nodes} nodes. Ask in several queries.`);
  }
  return split(filter, path, 0);
}

function split(filter: unknown, path: FaultPath, depth: number): Result<SplitFilter> {
  // The parser of the rest says that it is too deep.
  if (depth > filterLimits.depth || !holdsUsers(filter, depth)) return success({ ofUsers: [], ofRequests: filter });
  const branch = filter as JsonObject;
  if (isBranch(filter) && branch['operator'] === 'and') {
    const foreign = foreignKeys(branch);
    if (foreign.length > 0) return filterFault(path, branchSentence(foreign, []));
    const left = split(branch['left'], [...path, 'left'], depth + 1);
    if (!left.ok) return left;
    const right = split(branch['right'], [...path, 'right'], depth + 1);
    if (!right.ok) return right;
    return success({
      ofUsers: [...left.value.ofUsers, ...right.value.ofUsers],
      ofRequests: { left: left.value.ofRequests, operator: 'and', right: right.value.ofRequests },
    });
  }
  const condition = usersCondition(filter, path, depth);
  return condition.ok ? success({ ofUsers: [condition.value], ofRequests: {} }) : condition;
}

/** Counts no deeper than filters may nest. */
function nodesIn(node: unknown, depth: number): number {
  if (!isBranch(node) || depth > filterLimits.depth) return 1;
  return 1 + nodesIn(node['left'], depth + 1) + nodesIn(node['right'], depth + 1);
}

function foreignKeys(branch: JsonObject): readonly string[] {
  return Object.keys(branch).filter((key) => !(branchKeys as readonly string[]).includes(key));
}

function isBranch(node: unknown): node is JsonObject {
  return isJsonObject(node) && 'left' in node && 'right' in node;
}

function holdsUsers(node: unknown, depth: number): boolean {
  if (!isJsonObject(node) || depth > filterLimits.depth) return false;
  return isBranch(node) ? holdsUsers(node['left'], depth + 1) || holdsUsers(node['right'], depth + 1) : Object.hasOwn(node, wrapper);
}

function usersCondition(node: unknown, path: FaultPath, depth: number): Result<Fragment> {
  if (!isBranch(node)) return isJsonObject(node) && Object.hasOwn(node, wrapper) ? leaf(node, path) : filterFault(path, mixedSentence);
  const { left, operator, right } = node as Readonly<Record<'left' | 'operator' | 'right', unknown>>;
  if (operator !== 'and' && operator !== 'or') {
    return filterFault([...path, 'operator'], `A branch's operator is "and" or "or"; got ${preview(operator)}.`);
  }
  const foreign = foreignKeys(node);
  if (foreign.length > 0) return filterFault(path, branchSentence(foreign, []));
  const first = usersCondition(left, [...path, 'left'], depth + 1);
  if (!first.ok) return first;
  const second = usersCondition(right, [...path, 'right'], depth + 1);
  if (!second.ok) return second;
  return success(sql`(${join([first.value, second.value], operator === 'and' ? ' AND ' : ' OR ')})`);
}

const mixedSentence = `An "or" joins conditions on requests or conditions in \`${wrapper}\`, not one with the other; ask in two queries.`;

function leaf(node: JsonObject, path: FaultPath): Result<Fragment> {
  const fields = node[wrapper];
  const inner: FaultPath = [...path, wrapper];
  const [field, ...others] = isJsonObject(fields) ? Object.entries(fields) : [];
  // As every known wrapper without content.
  if (isJsonObject(fields) && field === undefined && Object.keys(node).length === 1) return success(sql`true`);
  if (Object.keys(node).length > 1 || field === undefined || others.length > 0) {
    return filterFault(path, `A leaf holds one field with one operator, such as {"${wrapper}": {"user_cost": {"gt": 1}}}.`);
  }
  const [name, operators] = field;
  const key = name.replace(/^user_(?=.)/, '');
  const known = Object.keys(userValues).map((one) => `user_${one}`);
  const value = name.startsWith('user_') && isUserKey(key) ? key : undefined;
  if (value === undefined) {
    return filterFault(
      [...inner, name],
      `Unknown field ${code(name)} in \`${wrapper}\`.${didYouMean(name, known)} Known fields: ${codeList(known)}.`,
    );
  }
  const [entry, ...more] = isJsonObject(operators) ? Object.entries(operators) : [];
  if (entry === undefined || more.length > 0) {
    return filterFault([...inner, name], `${code(name)} takes one operator, such as {"equals": …}.`);
  }
  const comparison = checkComparison({
    label: code(name),
    definition: userFields[`user_${value}`],
    operator: entry[0],
    value: entry[1],
    path: [...inner, name, entry[0]],
  });
  return comparison.ok ? success(compare(value, comparison.value)) : comparison;
}

export function isUserKey(key: string): key is UserSortKey {
  return Object.hasOwn(userValues, key);
}

const signs = { equals: sql`=`, 'not-equals': sql`!=`, gte: sql`>=`, lte: sql`<=`, gt: sql`>`, lt: sql`<` } as const;

function compare(key: UserSortKey, comparison: Comparison): Fragment {
  const value = userValues[key];
  switch (comparison.family) {
    case 'text':
      return compareColumn(value, comparison);
    case 'timestamp':
      return sql`${value} ${signs[comparison.operator]} ${dateTime64(comparison.value)}`;
    case 'number':
      // TRICKY: the text of an amount is read as the nearest number; a cast would round twice.
      return sql`toFloat64(toString(${value})) ${signs[comparison.operator]} ${param(comparison.value, 'Float64')}`;
    case 'boolean':
    case 'key':
      throw new TypeError('No total of a user is compared so.');
  }
}
