import { identifier } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, sql } from '../../sql/sql.ts';
import { tenantRows } from '../../sql/tables.ts';
import { sessionName } from '../filter/sql/columns.ts';
import { newestFirstKey } from '../filter/sql/newest-first.ts';
import type { NumberCell } from '../requests/columns.ts';
import type { MatchedAggregate } from './conditions.ts';

/** A session as JSONEachRow returns it. Times are Unix milliseconds; empty text is absent. */
export interface SessionRow {
  readonly session_id: string;
  readonly name: string;
  readonly tag: string;
  readonly first_ms: NumberCell;
  readonly latest_ms: NumberCell;
  /** Decimal text of US dollars. */
  readonly cost_sum: string;
  readonly request_count: NumberCell;
  readonly failed_count: NumberCell;
  /** Whole numbers as text: filters and cursors need all digits. */
  readonly prompt_sum: string;
  readonly completion_sum: string;
  readonly total_sum: string;
  /** Whole number as text. */
  readonly latency_sum: string;
  readonly latency_count: NumberCell;
  readonly users: readonly string[];
  readonly merged: Readonly<Record<string, string>>;
  /** Upstream's headers named the session in one of its requests. */
  readonly aliased: boolean;
}

/** The time of the first matched request. */
export function startOf(aggregate: MatchedAggregate): Fragment {
  return aggregate(sql`min(created_at)`, (matched) => sql`minIf(created_at, ${matched})`);
}

/** The time of the last matched request. */
export function endOf(aggregate: MatchedAggregate): Fragment {
  return aggregate(sql`max(created_at)`, (matched) => sql`maxIf(created_at, ${matched})`);
}

export function requestsOf(aggregate: MatchedAggregate): Fragment {
  return aggregate(sql`count()`, (matched) => sql`countIf(${matched})`);
}

export function failedOf(aggregate: MatchedAggregate): Fragment {
  return aggregate(sql`countIf(failure_kind != '')`, (matched) => sql`countIf(${matched} AND failure_kind != '')`);
}

export function costOf(aggregate: MatchedAggregate): Fragment {
  return sql`ifNull(${aggregate(sql`sum(cost)`, (matched) => sql`sumIf(cost, ${matched})`)}, 0)`;
}

/** A sum of whole numbers. TRICKY: a sum of UInt64 wraps round silently. */
export function sumOf(column: Fragment, aggregate: MatchedAggregate): Fragment {
  const wide = sql`toUInt128(${column})`;
  return sql`ifNull(${aggregate(sql`sum(${wide})`, (matched) => sql`sumIf(${wide}, ${matched})`)}, 0)`;
}

/** The number of matched requests with a latency. */
export function latenciesOf(aggregate: MatchedAggregate): Fragment {
  return aggregate(sql`count(latency)`, (matched) => sql`countIf(${matched} AND isNotNull(latency))`);
}

const users: Fragment = sql`user_id != ''`;
const newestValues: Fragment = sql`mapApply((key, newest) -> (key, newest.2), maxMap(mapApply((key, value) -> (key, (${newestFirstKey}, value)), properties)))`;

/** The tags of sessions by identifier, under the name that {@link sessionRowColumns} reads. @param sessions condition on `session_id`. */
export function tagsOf(sessions: Fragment): Fragment {
  return sql`${select({ columns: sql`maxMap(map(session_id, (number, tag)))`, from: tenantRows('session_tags', sessions) })} AS tags`;
}

/**
 * Columns of {@link SessionRow} for a query over groups of requests: name, tag and properties of all requests, the rest of the matched
 * ones. TRICKY: no name is a column of the table, because the engine would read it in place of the column.
 */
export function sessionRowColumns(aggregate: MatchedAggregate): Fragment {
  const columns: Readonly<Record<Exclude<keyof SessionRow, 'session_id'>, Fragment>> = {
    name: sessionName,
    tag: sql`tags[session_id].2`,
    first_ms: sql`toUnixTimestamp64Milli(${startOf(aggregate)})`,
    latest_ms: sql`toUnixTimestamp64Milli(${endOf(aggregate)})`,
    cost_sum: sql`toString(${costOf(aggregate)})`,
    request_count: requestsOf(aggregate),
    failed_count: failedOf(aggregate),
    prompt_sum: sql`toString(${sumOf(sql`prompt_tokens`, aggregate)})`,
    completion_sum: sql`toString(${sumOf(sql`completion_tokens`, aggregate)})`,
    total_sum: sql`toString(${sumOf(sql`total_tokens`, aggregate)})`,
    latency_sum: sql`toString(${sumOf(sql`latency`, aggregate)})`,
    latency_count: latenciesOf(aggregate),
    users: sql`arraySort(${aggregate(sql`groupUniqArrayIf(user_id, ${users})`, (matched) => sql`groupUniqArrayIf(user_id, ${matched} AND ${users})`)})`,
    merged: newestValues,
    aliased: sql`max(aliased_names)`,
  };
  return join([sql`session_id`, ...Object.entries(columns).map(([name, value]) => sql`${value} AS ${identifier(name)}`)], ', ');
}
