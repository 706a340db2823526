import { derivedTexts } from '../../sql/derived-texts.ts';
import type { SortDirection, SortKey } from '../../model/vocabulary/sort.ts';
import { type Join, select } from '../../sql/query.ts';
import { type Fragment, param, type Query, sql } from '../../sql/sql.ts';
import { bodies, requests } from '../../sql/tables.ts';
import { columnName } from '../../sql/identifier.ts';
import { dateTime64 } from '../../sql/time.ts';
import { aliasOf } from '../../model/vocabulary/property-alias.ts';
import { textUnder } from '../filter/sql/compile-text.ts';
import type { SortTerm } from './sort.ts';

/** Where a sort value comes from: a request, its texts in `bodies`, or the other requests of its user. */
type Source = 'requests' | 'bodies' | 'users';

export interface SortColumn {
  /** The compared value; NULL sorts last in both directions. */
  readonly value: Fragment;
  readonly direction: SortDirection;
  readonly source: Source;
  /** Parses a cursor's text of the value. @returns undefined for an invalid text. */
  readonly read: (text: string) => Fragment | undefined;
  /** Whether the value may be NULL, which a comparison must test. */
  readonly nullable: boolean;
  /** A text of any length: a cursor does not carry a long one. */
  readonly longText: boolean;
  /** Where a keyset holds the value: in the row's key, or in its list of values. */
  readonly from: 'arrival' | 'id' | 'values';
}

type ValueOf = Pick<SortColumn, 'value' | 'source' | 'read' | 'longText'>;

const text = (value: Fragment, source: Source = 'requests'): ValueOf => ({
  value,
  source,
  longText: true,
  read: (given) => sql`${param(given, 'String')}`,
});
const integerValue = (value: Fragment, source: Source = 'requests'): ValueOf => ({
  value,
  source,
  longText: false,
  read: (given) => (/^-?\d{1,19}$/.test(given) ? sql`${param(BigInt(given), 'Int64')}` : undefined),
});
const count = (value: Fragment): ValueOf => ({
  value,
  source: 'requests',
  longText: false,
  read: (given) => (/^\d{1,20}$/.test(given) && BigInt(given) < 2n ** 64n ? sql`${param(BigInt(given), 'UInt64')}` : undefined),
});

const valueOfKey: Readonly<Record<Exclude<SortKey, 'created_at'>, ValueOf>> = {
  cache_created_at: integerValue(sql`toUnixTimestamp64Milli(cache_created_at)`),
  latency: count(sql`latency`),
  last_active: integerValue(sql`if(user_id = '', NULL, toUnixTimestamp64Milli(user_last_active))`, 'users'),
  total_tokens: count(sql`total_tokens`),
  completion_tokens: count(sql`completion_tokens`),
  prompt_tokens: count(sql`prompt_tokens`),
  user_id: text(sql`nullIf(user_id, '')`),
  body_model: text(sql`nullIf(toString(response_model), '')`),
  is_cached: count(sql`toUInt8(cached)`),
  request_prompt: text(sql`nullIf(last_user_said, '')`, 'bodies'),
  response_text: text(sql`nullIf(completion, '')`, 'bodies'),
  cost: {
    value: sql`cost`,
    source: 'requests',
    longText: false,
    read: (given) => (/^-?\d{1,26}(?:\.\d{1,12})?$/.test(given) ? sql`${param(given, 'Decimal(38, 12)')}` : undefined),
  },
  time_to_first_token: count(sql`time_to_first_token`),
};

/**
 * The complete order of a page. Time and identifier come last, so that no two rows are equal and pages never overlap. TRICKY: both run in
 * the same direction, or the engine would not read in the order of its primary key.
 */
export function orderOf(terms: readonly SortTerm[]): readonly SortColumn[] {
  const sorted = terms.find(({ key }) => key === 'created_at')?.direction;
  const direction = sorted ?? 'desc';
  return [...terms.map(stepOf), ...(sorted === undefined ? [arrivalStep(direction)] : []), idStep(direction)];
}

export function orderBy(steps: readonly SortColumn[]): readonly Fragment[] {
  return steps.map(({ value, direction, nullable }) => sql`${value} ${directed(direction)}${nullable ? sql` NULLS LAST` : sql``}`);
}

/** Joins for sort values outside `requests`. @param bounds on the time that all rows of the derived table satisfy. */
export function joinsFor(steps: readonly SortColumn[], bounds: readonly Fragment[]): readonly Join[] {
  const needed = new Set(steps.map(({ source }) => source));
  return [...(needed.has('users') ? [usersJoin] : []), ...(needed.has('bodies') ? [bodiesJoin(bounds)] : [])];
}

const usersJoin: Join = {
  query: select({
    columns: sql`user_id, max(created_at) AS user_last_active`,
    from: requests(sql`user_id != ''`),
    groupBy: sql`user_id`,
  }),
  as: 'users',
  using: sql`user_id`,
};

/** TRICKY: the engine passes no bounds from one side of a join to the other, and would read the texts of all time. */
function bodiesJoin(bounds: readonly Fragment[]): Join {
  return { query: textsOf(bounds), as: 'texts', using: sql`created_at, request_id` };
}

/** Sort values of bodies, with their keys. */
export function textsOf(where: readonly Fragment[]): Query {
  return select({
    columns: sql`created_at, request_id, ${derivedTexts.last_user} AS last_user_said, ${derivedTexts.completion} AS completion`,
    from: bodies(where),
  });
}

function stepOf(term: SortTerm): SortColumn {
  const { direction } = term;
  if (term.key === 'created_at') return arrivalStep(direction);
  const value = 'name' in term ? text(namedValue(term.key === 'properties' ? 'properties' : 'inputs', term.name)) : valueOfKey[term.key];
  return { ...value, direction, nullable: term.key !== 'is_cached', from: 'values' };
}

/** The text under a name, or under the name that it aliases; NULL without either. */
export function namedValue(map: 'properties' | 'inputs', name: string): Fragment {
  const alias = map === 'properties' ? aliasOf(name) : undefined;
  const names = alias === undefined ? [name] : [name, alias];
  const found = names.map((one) => textUnder(columnName(map), one));
  return found.reduceRight((otherwise, { present, text: value }) => sql`if(${present}, ${value}, ${otherwise})`, sql`NULL`);
}

function arrivalStep(direction: SortDirection): SortColumn {
  return { ...keyPart, value: sql`created_at`, direction, from: 'arrival', read: readArrival };
}

function idStep(direction: SortDirection): SortColumn {
  return { ...keyPart, value: sql`request_id`, direction, from: 'id', read: readId };
}

const keyPart = { source: 'requests', nullable: false, longText: false } as const;

function readArrival(given: string): Fragment | undefined {
  return /^-?\d{1,16}$/.test(given) ? dateTime64(BigInt(given)) : undefined;
}

function readId(given: string): Fragment | undefined {
  return /^\d{1,39}$/.test(given) && BigInt(given) < 2n ** 128n ? sql`${param(BigInt(given), 'UInt128')}` : undefined;
}

function directed(direction: SortDirection): Fragment {
  return direction === 'asc' ? sql`ASC` : sql`DESC`;
}
