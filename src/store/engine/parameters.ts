import { escapeLiteral, escapeText } from '../../sql/literal.ts';

/** A query parameter's value, in types that a server's client accepts too. */
export type ParameterValue = string | number | bigint | boolean | readonly ParameterValue[];

export type QuerySettings = Readonly<Record<string, string | number>>;

export interface BoundQuery {
  readonly query: string;
  readonly query_params?: Record<string, unknown>;
  readonly clickhouse_settings?: QuerySettings;
}

export interface Binding {
  readonly params: Readonly<Record<string, unknown>>;
  readonly settings?: QuerySettings;
}

/**
 * A query with its parameters and settings.
 * TRICKY: in the whole process chdb runs only one query at a time that binds parameters, so one slow read would delay all others and every
 * update. For the embedded engine `SET` statements in front of the query, on its own connection, set the parameters instead. The settings
 * come first, as they limit the length of the rest, and all in one statement, as each costs some tenths of a millisecond. Both stay set on
 * the connection: every query sets all its own parameters, and a query without settings gets those of the query before it. Within a lane
 * they may differ in `max_query_size` only. `EmbeddedConnection` replaces a connection that holds many.
 * @throws TypeError when a parameter of the query is missing: the query would run with the value of an earlier one, perhaps another
 * tenant's.
 */
export function boundQuery(query: string, { params, settings = {} }: Binding, embedded: boolean): BoundQuery {
  assertGiven(query, params);
  if (!embedded) return { query, query_params: params, clickhouse_settings: settings };
  const set = Object.entries(settings).map(([name, value]) => `${checkedName(name)} = '${escapeLiteral(String(value))}'`);
  const bound = Object.entries(params).map(
    ([name, value]) => `param_${checkedName(name)} = '${escapeLiteral(parameterText(value as ParameterValue))}'`,
  );
  return { query: `${setStatement(set)}${setStatement(bound)}${query}` };
}

/** The parameters of a query as a server takes them beside it. @throws TypeError when one is missing. */
export function parameterTexts(query: string, params: Binding['params']): ReadonlyMap<string, string> {
  assertGiven(query, params);
  return new Map(Object.entries(params).map(([name, value]) => [checkedName(name), parameterText(value as ParameterValue)]));
}

/** TRICKY: values are never in the text of a query, so every `{name:Type}` in it is a parameter. */
function assertGiven(query: string, params: Binding['params']): void {
  for (const [, name = ''] of query.matchAll(/\{(\w+):\s*\w/g)) {
    if (!Object.hasOwn(params, name)) throw new TypeError(`The query names the parameter ${name}, which is not given.`);
  }
}

function setStatement(assignments: readonly string[]): string {
  return assignments.length === 0 ? '' : `SET ${assignments.join(', ')}; `;
}

/** TRICKY: the engine parses a parameter twice: as an SQL literal, and then as a value of its type, where backslashes escape again. */
function parameterText(value: ParameterValue): string {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return isList(value) ? `[${value.map(elementText).join(',')}]` : String(value);
}

function elementText(value: ParameterValue): string {
  return typeof value === 'string' ? `'${escapeLiteral(value)}'` : parameterText(value);
}

function isList(value: ParameterValue): value is readonly ParameterValue[] {
  return Array.isArray(value);
}

function checkedName(name: string): string {
  if (!/^\w+$/.test(name)) throw new TypeError(`${name} is not a valid parameter name`);
  return name;
}
