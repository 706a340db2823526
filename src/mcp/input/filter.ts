import { ApiError, type Filter } from '../../client/client.ts';
import { isJsonObject } from '../../model/text.ts';
import { describeFilter } from '../../query/filter/describe.ts';
import { everything, type FilterNode } from '../../query/filter/ast.ts';
import type { FilterDialect } from '../../query/filter/leaf.ts';
import { parseFilter, type ParsedFilter } from '../../query/filter/parse.ts';
import { beginningOf } from './budget.ts';
import { correctFilter } from './correct-filter.ts';
import { InputError } from './input-error.ts';

/** The grammar in so few words that every error can hold it. */
export const grammar = [
  'A filter is a leaf {"GROUP": {"FIELD": {"OPERATOR": VALUE}}} with one condition, or a branch {"left": FILTER, "operator": "and"|"or", "right": FILTER}; {} is everything.',
  'Groups and fields: request_response_rmt (model, provider, status, cost, latency, user_id, total_tokens, request_body, response_body, properties, …), request (prompt, path), response (body_completion), sessions_request_response_rmt (session_session_id, session_total_cost, …).',
  'Text: equals, not-equals, contains, not-contains, like, ilike. Numbers: equals, not-equals, gt, gte, lt, lte. Booleans: equals. Times: arguments from and to.',
  'Example: {"left": {"request_response_rmt": {"properties": {"Team": {"equals": "search"}}}}, "operator": "and", "right": {"request_response_rmt": {"status": {"gte": 400}}}}. "describe" lists all fields.',
].join('\n');

/** Of this program; the service that answers has the last word. */
const dialect: FilterDialect = {
  wrappers: ['request_response_rmt', 'sessions_request_response_rmt', 'session', 'request', 'response', 'feedback', 'values'],
  unwrappedProperties: 'empty',
};

/** @returns undefined for a filter that this program does not understand. */
function parsedFilter(filter: unknown): ParsedFilter | undefined {
  const parsed = parseFilter(filter, dialect);
  return parsed.ok ? parsed.value : undefined;
}

/**
 * The filter as it is sent. @throws InputError for properties without their group, which a query of requests answers by an empty list.
 */
export function checkedFilter(filter: unknown): Filter {
  if (filter === undefined || filter === 'all') return {};
  if (parsedFilter(filter)?.unwrappedProperties === true) {
    throw new InputError(
      'filter',
      `has "properties" outside a group; write ${beginningOf(JSON.stringify(correctedFilter(filter) ?? { request_response_rmt: filter }), writtenTokens)}`,
    );
  }
  return (isJsonObject(filter) ? filter : {}) as Filter;
}

/** Of a filter in an error. */
const writtenTokens = 400;

/** The sentence of a filter, without its full stop; empty for one that this program does not understand. */
export function wordsOf(filter: unknown): string {
  const parsed = parsedFilter(filter ?? {});
  return parsed === undefined ? '' : describeFilter(parsed.filter);
}

/** What the caller most likely meant. @returns undefined without a guess that is a filter. */
export function correctedFilter(filter: unknown): unknown {
  const corrected = correctFilter(filter);
  if (corrected === undefined || JSON.stringify(corrected) === JSON.stringify(filter)) return undefined;
  return parsedFilter(corrected)?.unwrappedProperties === false ? corrected : undefined;
}

export function both(left: Filter, right: Filter): Filter {
  if (Object.keys(left).length === 0) return right;
  return Object.keys(right).length === 0 ? left : { left, operator: 'and', right };
}

/**
 * Asks with both filters. @param own the caller's filter, in which the place of a mistake is told. @throws the error of the question.
 */
export async function askBoth<Answer>(own: Filter, bounds: Filter, ask: (filter: Filter) => Promise<Answer>): Promise<Answer> {
  const filter = both(own, bounds);
  try {
    return await ask(filter);
  } catch (error) {
    const isWrapped = filter !== own && filter !== bounds;
    throw isWrapped && error instanceof ApiError ? withoutBranch(error) : error;
  }
}

/** Without the branch that `both` has put around the filter. */
function withoutBranch(error: ApiError): ApiError {
  const { message, endpoint, code, status, details, warnings, hint, retryAfterSeconds, place, cause } = error;
  if (place === undefined) return error;
  const path = place.replace(/^filter\.left\b/, 'filter');
  return new ApiError(message, { endpoint, code, status, details: { ...details, path }, warnings, hint, retryAfterSeconds, cause });
}

const textFields: ReadonlySet<string> = new Set(['prompt', 'request_body', 'response_body', 'body_completion']);

/** An excerpt begins at one of so many texts at most. */
const maxSought = 10;

/** Texts that the filter looks for in prompts and answers, the first ones. */
export function soughtTexts(filter: unknown): readonly string[] {
  const found: string[] = [];
  const visit = (node: FilterNode): void => {
    if ('operands' in node) node.operands.forEach(visit);
    else if (node.kind === 'condition' && node.family === 'text' && node.operator === 'contains' && textFields.has(node.field)) {
      found.push(node.value);
    }
  };
  visit(parsedFilter(filter)?.filter ?? everything);
  return found.slice(0, maxSought);
}
