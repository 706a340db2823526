import { concat, type Fragment, fragmentOf, join, type Param, type Parts, type Query } from './sql.ts';
import { type Rows, tableOf, whereOf } from './tables.ts';

type Expressions = Fragment | readonly Fragment[];

/** A derived table with joins to others. */
export interface Joined {
  readonly kind: 'joined';
  readonly query: Query;
  readonly as: string;
  readonly joins: readonly Join[];
}

/** A derived table with at most one match for each row of the first. */
export interface Join {
  readonly query: Query;
  readonly as: string;
  readonly using: Fragment;
}

/** The clauses of a SELECT. Empty lists are left out. */
export interface Select {
  /** Each `expression AS name`. */
  readonly with?: readonly Fragment[];
  readonly distinct?: boolean;
  readonly columns: Expressions;
  /** Rows bring their own WHERE. */
  readonly from?: Rows | Query | Joined;
  /** Only for a derived table. */
  readonly where?: readonly Fragment[];
  readonly groupBy?: Expressions;
  /** Joined by AND. */
  readonly having?: readonly Fragment[];
  readonly orderBy?: Expressions;
  /** A number is written into the text. */
  readonly limit?: Param | number;
  readonly offset?: Param;
}

/** @throws TypeError when rows, which bring their own WHERE, get another one. */
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

export function unionAll(queries: readonly Query[]): Query {
  return queryOf(queries.flatMap((query, index) => (index === 0 ? [query] : [' UNION ALL ', query])));
}

function fromClause(from: Select['from']): Parts {
  switch (from?.kind) {
    case undefined:
      return [];
    case 'rows':
      return [' FROM ', ...rowsOf(from)];
    case 'query':
      return [' FROM ', from];
    case 'joined':
      return [' FROM ', from.query, ` AS ${from.as}`, ...from.joins.flatMap(joinClause)];
  }
}

function rowsOf(rows: Rows): Parts {
  const after: Parts = [...tableOf(rows), ...whereOf(rows)];
  return rows.meanwhile === undefined
    ? after
    : [fragmentOf([Object.freeze({ kind: 'moving', after: concat(after), meanwhile: rows.meanwhile })])];
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
