import { indexWithin } from '../filter/memory/texts/find.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { NumberCell } from '../requests/columns.ts';
import { compareColumn } from '../filter/sql/compile-text.ts';

/** What is listed: the values of a property, or the names of all. */
export type Listed = { readonly property: string } | 'names';

/** Maximum values of one search. */
const maxFound = 25;

/** A value and the span of time in which requests have it, by the span's first hour since 1970. */
export interface SpanValueRow {
  readonly span: NumberCell;
  readonly value: string;
}

const hourMs = 3_600_000;
const hoursOfDay = 24;

export interface SpansQuery {
  readonly tenant: OrganizationId;
  readonly listed: Listed;
  /** From this hour on a span is an hour, before it a day. A multiple of 24. */
  readonly splitHour: number;
  /** Spans that are read; undefined: all. */
  readonly spans: readonly number[] | undefined;
  /** Maximum rows. */
  readonly limit: number;
}

export function spanOf(hour: number, splitHour: number): number {
  return hour >= splitHour ? hour : Math.floor(hour / hoursOfDay) * hoursOfDay;
}

/** The distinct values of each span. The first one has all earlier time too. */
export function spansStatement({ tenant, listed, splitHour, spans, limit }: SpansQuery): Statement {
  const hour = sql`greatest(0, intDiv(toUnixTimestamp64Milli(created_at), ${param(hourMs, 'Int64')}))`;
  const day = sql`intDiv(${hour}, ${param(hoursOfDay, 'Int64')}) * ${param(hoursOfDay, 'Int64')}`;
  const bounds = spans === undefined ? [] : [anyOf(spans.map((span) => within(span, span >= splitHour ? 1 : hoursOfDay)))];
  const rows = select({
    distinct: true,
    columns: sql`if(${hour} >= ${param(splitHour, 'Int64')}, ${hour}, ${day}) AS span, ${valueOf(listed)} AS value`,
    from: requests([...bounds, ...hasValue(listed)]),
    limit: param(limit, 'UInt64'),
  });
  return statementFor(tenant, rows, 'long');
}

function within(firstHour: number, hours: number): Fragment {
  const isBefore = sql`created_at < ${dateTime64((firstHour + hours) * hourMs)}`;
  return firstHour <= 0 ? isBefore : sql`(created_at >= ${dateTime64(firstHour * hourMs)} AND ${isBefore})`;
}

function anyOf(conditions: readonly Fragment[]): Fragment {
  return sql`(${join(conditions, ' OR ')})`;
}

function valueOf(listed: Listed): Fragment {
  return listed === 'names' ? sql`arrayJoin(mapKeys(properties))` : sql`properties[${param(listed.property, 'String')}]`;
}

/** An empty value is not listed. */
function hasValue(listed: Listed): readonly Fragment[] {
  if (listed === 'names') return [];
  // An index answers the first condition.
  return [sql`mapContains(properties, ${param(listed.property, 'String')})`, sql`${valueOf(listed)} != ''`];
}

/** Distinct values among which a search in the store chooses. */
const maxCandidates = 10_000;

/** The first values that contain a text in any case: for a property with so many values that they are not kept in memory. */
export function searchStatement(tenant: OrganizationId, property: string, term: string): Statement {
  const value = valueOf({ property });
  const matching = term === '' ? [] : [compareColumn(value, { operator: 'contains', value: term })];
  const some = select({
    distinct: true,
    columns: sql`${value} AS value`,
    from: requests([...hasValue({ property }), ...matching]),
    limit: param(maxCandidates, 'UInt64'),
  });
  const query = select({
    columns: sql`value`,
    from: some,
    orderBy: sql`startsWith(lowerUTF8(value), lowerUTF8(${param(term, 'String')})) DESC, value ASC`,
    limit: param(maxFound, 'UInt64'),
  });
  return statementFor(tenant, query, 'long');
}

/** Names of properties that contain a text in any case, for an organisation with so many that they are not kept in memory. */
export function namesStatement(tenant: OrganizationId, limit: number, term: string): Statement {
  const names = select({ distinct: true, columns: sql`${valueOf('names')} AS value`, from: requests() });
  const where = term === '' ? {} : { where: [compareColumn(sql`value`, { operator: 'contains', value: term })] };
  return statementFor(tenant, select({ columns: sql`value`, from: names, ...where, limit: param(limit, 'UInt64') }), 'long');
}

/** The first values that contain a text in any case: those that begin with it first, then by their bytes. */
export function searchedValues(values: Iterable<readonly [value: string, folded: string]>, term: string): readonly string[] {
  const folded = term.toLowerCase();
  const [beginning, others]: [string[], string[]] = [[], []];
  for (const [value, text] of values) {
    const at = indexWithin(text, folded);
    if (at !== -1) (at === 0 ? beginning : others).push(value);
  }
  return [...firstOf(beginning), ...firstOf(others)].slice(0, maxFound);
}

function firstOf(values: readonly string[]): readonly string[] {
  return values.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))).slice(0, maxFound);
}
