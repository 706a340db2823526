import { displayColumns, requestColumns } from '../../model/record/columns.ts';
import { columnName } from '../../sql/identifier.ts';
import { type Fragment, join, sql } from '../../sql/sql.ts';

/** The value of the column `display`. @param replaced values of columns that the same statement sets. */
export function displayValue(replaced: ReadonlyMap<string, Fragment> = new Map()): Fragment {
  const values = displayColumns.map((name) => {
    const value = replaced.get(name) ?? columnName(name);
    return requestColumns[name].type === 'time' ? sql`toUnixTimestamp64Milli(${value})` : value;
  });
  return sql`toJSONString(tuple(${join(values, ', ')}))`;
}
