import { type ConditionNode, conditionsIn, type FilterNode } from '../filter/ast.ts';
import { providerInRecords } from '../../model/providers/providers.ts';
import { select, unionAll } from '../../sql/query.ts';
import { type Fragment, param, type Query, sql } from '../../sql/sql.ts';
import { statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import type { HintProbe } from './probe.ts';
import type { RequestSelection } from '../requests/selection.ts';

/** Conditions whose values are looked up; further ones get no hint. */
const maxConditions = 4;
/** How many of the newest requests are searched. */
export const maxRequests = 100_000;
/** A longer value is no typing error, and comparing it takes time. */
const maxCharacters = 200;

/** A condition on a whole text that a caller may have mistyped. */
interface SoughtValue {
  readonly column: Fragment;
  /** The field's name for callers. */
  readonly label: string;
  readonly value: string;
  /** The value in the form of stored ones. */
  readonly inRecords: string;
  /** Whether values that differ only in case are equal. */
  readonly ignoresCase: boolean;
}

/** Finds a stored value near the filter's: in another case, or with up to two letters changed. */
export function nearValueProbe({ tenant, filter }: Pick<RequestSelection, 'tenant' | 'filter'>): HintProbe | undefined {
  const sought = soughtIn(filter).slice(0, maxConditions);
  if (sought.length === 0) return undefined;
  return {
    statement: statementFor(tenant, unionAll(sought.map(nearest)), 'long'),
    isRemembered: true,
    messageFor: (rows) => {
      for (const { place, value } of rows) {
        const meant = sought[Number(place)];
        if (meant === undefined || isSame(meant, String(value))) continue;
        return `none of the newest ${maxRequests} requests has the ${meant.label} ${JSON.stringify(meant.value)}; there is ${JSON.stringify(String(value))}`;
      }
      return undefined;
    },
  };
}

function isSame({ value, ignoresCase }: SoughtValue, stored: string): boolean {
  return ignoresCase ? value.toLowerCase() === stored.toLowerCase() : value === stored;
}

/** The value itself where it is stored, else the nearest one. */
function nearest({ column, inRecords: value }: SoughtValue, index: number): Query {
  const [folded, length] = [sql`lowerUTF8(${param(value, 'String')})`, param(value.length, 'UInt64')];
  const alike = select({
    distinct: true,
    columns: sql`value`,
    from: newestRequests(sql`${column} AS value`),
    where: [sql`value != ''`, sql`lengthUTF8(value) + 2 >= ${length}`, sql`lengthUTF8(value) <= ${length} + 2`],
  });
  return select({
    columns: sql`${param(index, 'UInt64')} AS place, value, editDistanceUTF8(lowerUTF8(value), ${folded}) AS distance`,
    from: alike,
    where: [sql`distance <= ${param(maxDistance(value), 'UInt64')}`],
    orderBy: sql`value = ${param(value, 'String')} DESC, distance ASC, value ASC`,
    limit: 1,
  });
}

/** The requests that are searched. */
export function newestRequests(columns: Fragment): Query {
  return select({ columns, from: requests(), orderBy: sql`created_at DESC`, limit: param(maxRequests, 'UInt64') });
}

/** Letters that may differ; of a short value every other one would be within two. */
export function maxDistance({ length }: string): number {
  return length <= 2 ? 0 : length <= 5 ? 1 : 2;
}

const columns: Readonly<Record<string, Readonly<Record<string, Fragment>>>> = {
  request_response_rmt: { provider: sql`provider`, model: sql`model`, user_id: sql`user_id` },
  request: { user_id: sql`user_id`, model: sql`request_model` },
  sessions_request_response_rmt: { session_session_id: sql`session_id`, session_session_name: sql`session_name` },
};

function soughtIn(filter: FilterNode): readonly SoughtValue[] {
  return conditionsIn(filter).flatMap((node) => {
    if (node.family !== 'text' || node.operator !== 'equals' || node.value === '' || node.value.length > maxCharacters) return [];
    const column = columnOf(node);
    const isProvider = node.group === 'request_response_rmt' && node.field === 'provider';
    // Some providers have other names in records: `gemini` is `GOOGLE` there.
    const inRecords = (isProvider ? providerInRecords(node.value) : undefined) ?? node.value;
    return column === undefined ? [] : [{ ...column, value: node.value, inRecords, ignoresCase: isProvider }];
  });
}

function columnOf({ group, field, name }: ConditionNode): Pick<SoughtValue, 'column' | 'label'> | undefined {
  if (field === 'properties' && name !== undefined) {
    return { column: sql`properties[${param(name, 'String')}]`, label: `property ${JSON.stringify(name)}` };
  }
  const column = columns[group]?.[field];
  return column === undefined ? undefined : { column, label: field };
}
