import { type Fragment, sql } from '../../../sql/sql.ts';

/** The JSON text of an array of texts as JSON.stringify writes it. */
export function jsonOfTexts(column: Fragment): Fragment {
  return sql`if(empty(${column}), '[]', ${asStringified(column)})`;
}

/**
 * The JSON text of a map of texts to numbers as JSON.stringify writes an object. Names stand in the order of their
 * bytes, since in the map they stand as changes have left them.
 */
export function jsonOfNumbers(column: Fragment): Fragment {
  const entry = sql`concat(${asStringified(sql`name`)}, ':', ${numberText(sql`number`)})`;
  const sorted = sql`mapSort(${column})`;
  const entries = sql`arrayMap((name, number) -> ${entry}, mapKeys(${sorted}), mapValues(${sorted}))`;
  return sql`if(empty(${column}), '{}', concat('{', arrayStringConcat(${entries}, ','), '}'))`;
}

/**
 * TRICKY: the engine escapes `/` and the line and paragraph separators, which JSON.stringify leaves, and writes the digits of an escape in
 * upper case. The text is taken apart into escapes and what stands between them, so that a backslash of the value begins no escape.
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
