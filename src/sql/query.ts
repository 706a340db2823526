import { concat, type Fragment, fragmentOf, join, type Param, type Parts, type Query } from './sql.ts';
import { type Rows, tableOf, whereOf } from './tables.ts';

/** One expression or several. */
type Expressions = Fragment | readonly Fragment[];

/** A derived table with others joined to it. */
export interface Joined {
  readonly kind: 'joined';
  readonly query: Query;
  readonly as: string;
  readonly joins: readonly Join[];
}

/** A derived table of which each row of the first finds one at most. */
export interface Join {
  readonly query: Query;
  readonly as: string;
  readonly using: Fragment;
}

/** The clauses of a SELECT. Those with an empty list are left out. */
export interface Select {
  /** Each `expression AS name`. */
  readonly with?: readonly Fragment[];
  readonly distinct?: boolean;
  readonly columns: Expressions;
  /** Rows bring their own WHERE. */
  readonly from?: Rows | Query | Joined;
  /** For a derived table. */
  readonly where?: readonly Fragment[];
  readonly groupBy?: Expressions;
  /** All hold. */
  readonly having?: readonly Fragment[];
  readonly orderBy?: Expressions;
  /** A number stands in the text. */
  readonly limit?: Param | number;
  readonly offset?: Param;
}

/** A SELECT out of its clauses. @throws TypeError when rows, whose WHERE is whole, are given another one. */
export function select(clauses: Select): Query {
  const { from, limit, offset } = clauses;
  if (from?.kind === 'rows' && clauses.where !== undefined) throw new TypeError('The condition of rows stands in the rows.');
  return queryOf([
    clause('WITH ', clauses.with, ', '),
    `${clauses.with === undefined || clauses.with.length === 0 ? '' : ' '}SELECT ${clauses.distinct === true ? 'DISTINCT ' : ''}`,
    clause('', clauses.columns, ', '),
    ...fromClause(from),
    clause(' WHERE ', clauses.where, ' AND '),
    clause(' GROUP BY ', clauses.groupBy, ', '),
    clause(' HAVING ', clauses.having, ' AND '),
    clause(' ORDER BY ', clauses.orderBy, ', '),
    ...(limit === undefined ? [] : [' LIMIT ', typeof limit === 'number' ? String(limit) : limit]),
    ...(offset === undefined ? [] : [' OFFSET ', offset]),
  ]);
}

/** The rows of all the queries. */
export function unionAll(queries: readonly Query[]): Query {
  return queryOf(queries.flatMap((query, index) => (index === 0 ? [query] : [' UNION ALL ', query])));
}

function fromClause(from: Select['from']): Parts {
  switch (from?.kind) {
    case undefined:
      return [];
    case 'rows':
      return [' FROM ', ...tableOf(from), ...whereOf(from)];
    case 'query':
      return [' FROM ', from];
    case 'joined':
      return [' FROM ', from.query, ` AS ${from.as}`, ...from.joins.flatMap(joinClause)];
  }
}

function joinClause({ query, as, using }: Join): Parts {
  return [' ANY LEFT JOIN ', query, ` AS ${as} USING (`, using, ')'];
}

function clause(keyword: string, given: Expressions | undefined, separator: ', ' | ' AND '): Fragment | undefined {
  const expressions = given === undefined ? [] : 'kind' in given ? [given] : given;
  return expressions.length === 0 ? undefined : fragmentOf(concat([keyword, join(expressions, separator)]));
}

function queryOf(parts: Parts): Query {
  return Object.freeze({ kind: 'query', pieces: Object.freeze(concat(parts)) });
}
