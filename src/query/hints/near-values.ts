import { type ConditionNode, conditionsIn, type FilterNode } from '../filter/ast.ts';
import { providerInRecords } from '../../model/vocabulary/providers.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { ownTable, statementFor } from '../../sql/statement.ts';
import type { HintProbe } from './question.ts';
import type { RequestQueryStatement } from '../requests/question.ts';

/** Conditions whose values are looked up; a filter with more gets its hint from these. */
const maxConditions = 4;
/** Values are looked for among so many of the newest requests. */
const maxRequests = 100_000;
/** A longer value is nobody's slip of the finger, and comparing it takes time. */
const maxCharacters = 200;

/** A condition on a whole text that a caller may have mistyped. */
interface SoughtValue {
  readonly column: Fragment;
  /** What callers call the column. */
  readonly label: string;
  readonly value: string;
  /** What records would have for it; stored values are compared with that. */
  readonly inRecords: string;
  /** Values that differ in case alone are the same. */
  readonly ignoresCase: boolean;
}

/** A stored value that is nearly the one that a filter asks for: in another case, or with up to two other letters. */
export function nearValueQuestion({ tenant, filter }: Pick<RequestQueryStatement, 'tenant' | 'filter'>): HintProbe | undefined {
  const sought = soughtIn(filter).slice(0, maxConditions);
  if (sought.length === 0) return undefined;
  const text = sought.map((one, index) => sql`(${nearest(one, index)})`).reduce((all, one) => sql`${all} UNION ALL ${one}`);
  return {
    statement: statementFor(tenant, text, 'long'),
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
function nearest({ column, inRecords: value }: SoughtValue, index: number): Fragment {
  const [folded, length] = [sql`lowerUTF8(${param(value, 'String')})`, param(value.length, 'UInt64')];
  const newest = sql`SELECT ${column} AS value FROM ${ownTable('requests')} ORDER BY created_at DESC LIMIT ${param(maxRequests, 'UInt64')}`;
  const alike = sql`SELECT DISTINCT value FROM (${newest}) WHERE value != '' AND lengthUTF8(value) + 2 >= ${length} AND lengthUTF8(value) <= ${length} + 2`;
  return sql`SELECT ${param(index, 'UInt64')} AS place, value, editDistanceUTF8(lowerUTF8(value), ${folded}) AS distance FROM (${alike}) WHERE distance <= ${param(maxDistance(value), 'UInt64')} ORDER BY value = ${param(value, 'String')} DESC, distance ASC, value ASC LIMIT 1`;
}

/** Letters that may differ: of a short value every other one is within two. */
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
    // Callers know some providers by names that records do not have: `gemini` is `GOOGLE` there.
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
