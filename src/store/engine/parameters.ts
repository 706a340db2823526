import { escapeLiteral, escapeText } from '../../sql/literal.ts';

/** A query parameter's value, in types that a server's client takes as well. */
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
 * TRICKY: chdb lets queries that bind parameters run one at a time in the whole process, so that one slow read would hold up all others and
 * every update. For the embedded engine the parameters are therefore set in front of the query, on its own connection. Settings come first, as they
 * say how long the rest may be, and all in one statement, as each costs some tenths of a millisecond. Both stay set there: every query sets all
 * parameters of its own, and a query that sends no settings has those of the one before it. In one lane they may differ in `max_query_size` alone.
 * A connection with many of them is given up, see `EmbeddedConnection`.
 * @throws TypeError when the query names a parameter that is not given: it would run with the value of the query before it, another tenant's maybe.
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

/** TRICKY: values are never in a query's text, so every parameter in it is one. */
function assertGiven(query: string, params: Binding['params']): void {
  for (const [, name = ''] of query.matchAll(/\{(\w+):\s*\w/g)) {
    if (!Object.hasOwn(params, name)) throw new TypeError(`The query names the parameter ${name}, which is not given.`);
  }
}

function setStatement(assignments: readonly string[]): string {
  return assignments.length === 0 ? '' : `SET ${assignments.join(', ')}; `;
}

/** TRICKY: the engine parses a parameter twice: as an SQL literal, and then as its type's value, in which backslashes escape again. */
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
