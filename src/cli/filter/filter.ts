import { and, type Filter, type UserFilter, where } from '../../client/client.ts';
import { isJsonObject, parseJson, quoted } from '../../model/text.ts';
import { UsageError } from '../base/dependencies.ts';
import { conditionOf } from './condition.ts';

/** The ways to say which requests, which all hold together. */
export interface FilterOptions {
  /** JSON of a filter, or `all`. */
  readonly filter?: string;
  readonly where?: readonly string[];
  /** `NAME=VALUE`. */
  readonly property?: readonly string[];
}

/** The filter that options make together. @throws UsageError for one that cannot be understood; the service checks the JSON. */
export function filterOf(options: FilterOptions): Filter {
  // Only queries of users take conditions on users; the service says so.
  return userFilterOf(options) as Filter;
}

/** The same, also with conditions on the totals of users. */
export function userFilterOf({ filter, where: conditions = [], property = [] }: FilterOptions): UserFilter {
  return and(filter !== undefined && jsonFilter(filter), ...conditions.map(conditionOf), ...property.map(propertyOf));
}

function jsonFilter(text: string): UserFilter {
  const given = text === 'all' ? 'all' : parseJson(text);
  if (given === 'all' || isJsonObject(given)) return given as UserFilter;
  throw new UsageError(
    '--filter is neither "all" nor JSON; in a shell JSON stands in single quotes: --filter \'{"request_response_rmt": …}\'. A short form: --where \'status>=400\'.',
  );
}

function propertyOf(text: string): Filter {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--property takes NAME=VALUE, such as --property Team=search; got ${quoted(text)}.`);
  return where(`properties.${text.slice(0, at)}`, 'equals', text.slice(at + 1));
}
