/** A value of a query parameter: what the client of a server takes as well. */
export type ParameterValue = string | number | bigint | boolean | readonly ParameterValue[];

/** A query with its parameters, in the form of the client. */
export interface BoundQuery {
  readonly query: string;
  readonly query_params?: Record<string, unknown>;
}

/**
 * A query with its parameters.
 * TRICKY: chdb lets queries that bind parameters run one at a time in the whole process, so that one slow read would hold up all others and
 * every update. For the embedded engine the parameters are therefore set in front of the query, on its own connection. They stay set there; every query sets all of its own.
 */
export function boundQuery(query: string, params: Readonly<Record<string, unknown>>, embedded: boolean): BoundQuery {
  if (!embedded) return { query, query_params: params };
  const set = Object.entries(params).map(
    ([name, value]) => `param_${checkedName(name)} = '${escaped(parameterText(value as ParameterValue), inLiteral)}'`,
  );
  return { query: set.length === 0 ? query : `SET ${set.join(', ')}; ${query}` };
}

/** TRICKY: the engine reads a parameter twice: as an SQL literal, and then as the value of its type, in which backslashes escape again. */
function parameterText(value: ParameterValue): string {
  if (typeof value === 'string') return escaped(value, inText);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return isList(value) ? `[${value.map(elementText).join(',')}]` : String(value);
}

function elementText(value: ParameterValue): string {
  return typeof value === 'string' ? `'${escaped(value, inLiteral)}'` : parameterText(value);
}

function isList(value: ParameterValue): value is readonly ParameterValue[] {
  return Array.isArray(value);
}

const inText: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\0', '\\0'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
const inLiteral: ReadonlyMap<string, string> = new Map([...inText, ["'", "\\'"]]);

function escaped(text: string, by: ReadonlyMap<string, string>): string {
  return text.toWellFormed().replaceAll(/[\\'\0\b\f\n\r\t]/g, (character) => by.get(character) ?? character);
}

function checkedName(name: string): string {
  if (!/^\w+$/.test(name)) throw new TypeError(`${name} is no name of a parameter`);
  return name;
}
