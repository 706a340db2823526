import { type Money, moneyBoundsOfUsd, moneyText } from '../../../model/pricing/money.ts';
import type { NumberOperator, TimestampOperator } from '../../../model/vocabulary/operators.ts';
import { type Fragment, join, param, sql } from '../../../sql/sql.ts';
import { dateTime64 } from '../../../sql/time.ts';
import { type ConditionNode, conditionsIn, conjuncts, type FilterNode, nameOf } from '../ast.ts';
import { type GroupColumns, groupColumns, type NumberColumn } from './columns.ts';
import { type BodyCondition, bodyReads, compareBody } from './compile-body.ts';
import {
  combine,
  compareSessionProperty,
  compareSessionTag,
  matchesAbsent,
  type SessionCondition,
  sessionReads,
} from './compile-session.ts';
import {
  compareColumn,
  compareFolded,
  compareIdentifier,
  compareInput,
  compareProperty,
  compareSearchProperty,
  hasProperty,
  type TextComparison,
} from './compile-text.ts';

/**
 * A compiled node: SQL over a row of `requests`, or a condition on its row in `bodies` or its session, which the branch combines. A field
 * that each request of a session contains is both.
 */
type Compiled =
  | { readonly kind: 'request'; readonly sql: Fragment }
  | { readonly kind: 'body'; readonly body: BodyCondition }
  | { readonly kind: 'session'; readonly session: SessionCondition }
  | { readonly kind: 'either'; readonly sql: Fragment; readonly session: SessionCondition };

/** Time bounds for the tables that a filter reads beside the row. */
interface Reach {
  readonly bodies: readonly Fragment[];
  /** A session is its requests within these. */
  readonly sessions: readonly Fragment[];
}

const always = sql`true`;
const never = sql`false`;

const signs = { equals: sql`=`, 'not-equals': sql`!=`, gte: sql`>=`, lte: sql`<=`, gt: sql`>`, lt: sql`<` } as const;

/**
 * Compiles a filter to a condition over rows of `requests`. @param range the caller's time bounds; a session is its requests within them.
 * @param span further bounds of the rows, which a session may exceed.
 * @throws TypeError for an unchecked field: a fault in our own code. Invariant: no NOT stands above a comparison with a nullable column,
 * so NULL and false both mean no match.
 */
export function compileFilter(filter: FilterNode, range: readonly Fragment[] = [], span: readonly Fragment[] = []): Fragment {
  const reach: Reach = { bodies: [...range, ...span, ...createdAtBounds(filter)], sessions: range };
  return gather('and', [compileNode(filter, reach)], reach);
}

/** Compiles a filter to a condition over the group of a session's requests. @returns undefined for a filter that also needs a request. */
export function compileOverSession(filter: FilterNode): Fragment | undefined {
  const compiled = compileNode(filter, { bodies: [], sessions: [] });
  return 'session' in compiled ? compiled.session.having : undefined;
}

/** Whether each request decides by itself whether it matches, so that no whole session is read. */
export function isRowLevel(filter: FilterNode): boolean {
  if ('operands' in filter) return filter.operands.every(isRowLevel);
  return filter.kind === 'all' || !isOverSession(filter, columnsOf(filter));
}

/** Whether the filter reads bodies or whole sessions, which may take long. */
export function isExpensive(filter: FilterNode): boolean {
  return !isRowLevel(filter) || readsBodies(filter);
}

export function readsBodies(filter: FilterNode): boolean {
  return conditionsIn(filter).some((node) => node.family === 'text' && columnOf(node, columnsOf(node).text).kind === 'body');
}

/** Time bounds that every matching record satisfies. Both tables have the column, so they limit reads of `bodies` too. */
export function createdAtBounds(filter: FilterNode): readonly Fragment[] {
  return conjuncts(filter).flatMap((operand) =>
    isArrivalBound(operand) ? [compareTime(sql`created_at`, operand.operator, operand.value)] : [],
  );
}

export function isArrivalBound(node: FilterNode): node is ConditionNode & { family: 'timestamp' } {
  return node.kind === 'condition' && node.family === 'timestamp' && isArrival(node);
}

/** Either name of the time. */
function isArrival({ group, field }: ConditionNode): boolean {
  return (group === 'request_response_rmt' && field === 'request_created_at') || (group === 'request' && field === 'created_at');
}

function compileNode(node: FilterNode, reach: Reach): Compiled {
  if (node.kind === 'all') return { kind: 'request', sql: always };
  if (node.kind === 'condition') return compileCondition(node);
  const operands = node.operands.map((operand) => compileNode(operand, reach));
  const sessions = operands.flatMap((operand) => ('session' in operand ? [operand.session] : []));
  const ofSession = sessions.length === operands.length ? { session: combine(node.kind, sessions) } : undefined;
  if (ofSession !== undefined && operands.some(({ kind }) => kind === 'session')) return { kind: 'session', ...ofSession };
  const gathered = sql`(${gather(node.kind, operands, reach)})`;
  return ofSession === undefined ? { kind: 'request', sql: gathered } : { kind: 'either', sql: gathered, ...ofSession };
}

function gather(kind: 'and' | 'or', operands: readonly Compiled[], { bodies, sessions }: Reach): Fragment {
  const conditions = operands.flatMap((operand) => ('sql' in operand ? [operand.sql] : []));
  const ofBodies = operands.flatMap((operand) => (operand.kind === 'body' ? [operand.body] : []));
  const ofSessions = operands.flatMap((operand) => (operand.kind === 'session' ? [operand.session] : []));
  const reads = [...bodyReads(kind, ofBodies, bodies), ...sessionReads(kind, ofSessions, sessions)];
  return join([...conditions, ...reads], kind === 'and' ? ' AND ' : ' OR ');
}

function compileCondition(node: ConditionNode): Compiled {
  const columns = columnsOf(node);
  const compiled = compileComparison(node, columns);
  if (compiled.kind !== 'request' || columns.over === 'requests') return compiled;
  const session = { having: compiled.sql, withoutSession: matchesAbsent(node) };
  return isOverSession(node, columns) ? { kind: 'session', session } : { kind: 'either', sql: compiled.sql, session };
}

function isOverSession({ field }: ConditionNode, { over, rowLevel }: GroupColumns): boolean {
  return over === 'sessions' && rowLevel?.includes(field) !== true;
}

function compileComparison(node: ConditionNode, columns: GroupColumns): Extract<Compiled, { kind: 'request' | 'body' }> {
  switch (node.family) {
    case 'text':
      return compileText(node, columns);
    case 'number':
      return { kind: 'request', sql: compareNumberColumn(columnOf(node, columns.number), node) };
    case 'timestamp':
      return { kind: 'request', sql: compareTime(columnOf(node, columns.timestamp), node.operator, node.value) };
    case 'boolean':
      return { kind: 'request', sql: sql`${columnOf(node, columns.boolean)} = ${param(node.value, 'Bool')}` };
    case 'key':
      return { kind: 'request', sql: hasProperty(node.value) };
  }
}

function compileText(node: ConditionNode & { family: 'text' }, columns: GroupColumns): Extract<Compiled, { kind: 'request' | 'body' }> {
  const column = columnOf(node, columns.text);
  const comparison: TextComparison = node;
  switch (column.kind) {
    case 'text':
      return { kind: 'request', sql: compareColumn(column.text, comparison) };
    case 'folded':
      return { kind: 'request', sql: compareFolded(column.text, comparison) };
    case 'identifier':
      return { kind: 'request', sql: compareIdentifier(column, comparison) };
    case 'body': {
      const body = compareBody(column, comparison);
      return body === undefined ? { kind: 'request', sql: never } : { kind: 'body', body };
    }
    case 'properties':
      return {
        kind: 'request',
        sql: column.equals === 'exact' ? compareProperty(nameOf(node), comparison) : compareSearchProperty(nameOf(node), comparison),
      };
    case 'inputs':
      return { kind: 'request', sql: compareInput(nameOf(node), comparison) };
    case 'sessionProperties':
      return { kind: 'request', sql: compareSessionProperty(nameOf(node), comparison) };
    case 'sessionTag':
      return { kind: 'request', sql: compareSessionTag(comparison, matchesAbsent(node)) };
  }
}

/** An absent number matches only `not-equals`; a score must exist for every operator. */
function compareNumberColumn(column: NumberColumn, node: ConditionNode & { family: 'number' }): Fragment {
  switch (column.kind) {
    case 'number':
      return compareNumber({ number: column.number, nullable: column.nullable }, node.operator, sql`${param(node.value, 'Float64')}`);
    case 'money':
      return compareCost(column.amount, node.operator, node.value);
    case 'scores': {
      const name = param(nameOf(node), 'String');
      return sql`(mapContains(scores, ${name}) AND scores[${name}] ${signs[node.operator]} ${param(node.value, 'Float64')})`;
    }
  }
}

interface NumberOperand {
  readonly number: Fragment;
  readonly nullable: boolean;
}

/** TRICKY: the engine compares an integer with a Float64 by value, not after a cast, so fractions and numbers beyond 2⁶⁴ are right. */
function compareNumber({ number, nullable }: NumberOperand, operator: NumberOperator, value: Fragment): Fragment {
  const compared = sql`${number} ${signs[operator]} ${value}`;
  return operator === 'not-equals' && nullable ? sql`(${number} IS NULL OR ${compared})` : compared;
}

/**
 * Compares a cost with exactly the decimal of the caller's number. Costs are whole units of 10⁻¹² USD, so a number between two of them
 * equals none, and as a bound it may move to the unit that separates the costs in the same way: `gt 4e-13` is `gt 0`. Numbers beyond any
 * amount are above or below all costs.
 */
function compareCost(amount: Fragment, operator: NumberOperator, usd: number): Fragment {
  const bounds = moneyBoundsOfUsd(usd);
  const exact = bounds !== undefined && bounds.floor === bounds.ceil;
  if (operator === 'equals' && !exact) return never;
  if (operator === 'not-equals' && !exact) return always;
  if (bounds === undefined) {
    const known = operator === 'lt' || operator === 'lte' ? usd > 0 : usd < 0;
    return known ? sql`${amount} IS NOT NULL` : never;
  }
  const bound: Money = operator === 'gte' || operator === 'lt' ? bounds.ceil : bounds.floor;
  return compareNumber({ number: amount, nullable: true }, operator, sql`${param(moneyText(bound), 'Decimal(38, 12)')}`);
}

function compareTime(column: Fragment, operator: TimestampOperator, ms: number): Fragment {
  return sql`${column} ${signs[operator]} ${dateTime64(ms)}`;
}

function columnsOf({ group }: ConditionNode): GroupColumns {
  return groupColumns[group];
}

function columnOf<Column>({ field }: ConditionNode, columns: Readonly<Record<string, Column>>): Column {
  const column = Object.hasOwn(columns, field) ? columns[field] : undefined;
  if (column === undefined) throw new TypeError(`The field ${field} was not checked before it was compiled.`);
  return column;
}
