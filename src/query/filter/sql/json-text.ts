import { type Fragment, sql } from '../../../sql/sql.ts';

/** JSON of an array of texts as JSON.stringify writes it. */
export function jsonOfTexts(column: Fragment): Fragment {
  return sql`if(empty(${column}), '[]', ${asStringified(column)})`;
}

/** JSON of a map of texts to numbers as JSON.stringify writes it. Names are sorted by bytes, because changes reorder the map. */
export function jsonOfNumbers(column: Fragment): Fragment {
  const entry = sql`concat(${asStringified(sql`name`)}, ':', ${numberText(sql`number`)})`;
  const sorted = sql`mapSort(${column})`;
  const entries = sql`arrayMap((name, number) -> ${entry}, mapKeys(${sorted}), mapValues(${sorted}))`;
  return sql`if(empty(${column}), '{}', concat('{', arrayStringConcat(${entries}, ','), '}'))`;
}

/**
 * TRICKY: the engine escapes `/` and the line and paragraph separators, which JSON.stringify does not, and writes hexadecimal digits in
 * upper case. The text is split into escapes and the parts between them, so that a backslash of the value starts no escape.
 */
function asStringified(value: Fragment): Fragment {
  const escapes = sql`'/', token = '\\\\u2028', '\\xE2\\x80\\xA8', token = '\\\\u2029', '\\xE2\\x80\\xA9', startsWith(token, '\\\\u'), lower(token)`;
  const tokens = sql`extractAll(toJSONString(${value}), '\\\\\\\\u[0-9A-F]{4}|\\\\\\\\.|[^\\\\\\\\]+')`;
  return sql`arrayStringConcat(arrayMap(token -> multiIf(token = '\\\\/', ${escapes}, token), ${tokens}))`;
}

/** TRICKY: where the engine writes `1e21` and `-0`, JSON.stringify writes `1e+21` and `0`. */
function numberText(number: Fragment): Fragment {
  return sql`multiIf(${number} = 0, '0', abs(${number}) >= 1e21, replaceOne(toString(${number}), 'e', 'e+'), toString(${number}))`;
}
