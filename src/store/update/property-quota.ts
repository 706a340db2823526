import { GatelogError } from '../../model/errors.ts';
import { type Fragment, sql } from '../../sql/sql.ts';
import { bytesOfProperties, requestPropertyLimits } from '../../model/vocabulary/limits.ts';

/** The number of a request's properties, and the bytes of their names and values. */
export interface PropertyTotal {
  readonly count: number;
  readonly bytes: number;
}

/** SQL of {@link PropertyTotal.bytes} for a map. */
export function propertyBytesOf(map: Fragment): Fragment {
  return sql`arraySum(arrayMap((name, text) -> length(name) + length(text), mapKeys(${map}), mapValues(${map})))`;
}

/** @param old the request's values of the names in `values`, and perhaps others. */
export function totalAfter(before: PropertyTotal, old: ReadonlyMap<string, string>, values: ReadonlyMap<string, string>): PropertyTotal {
  const replaced = new Map([...values.keys()].flatMap((name) => (old.has(name) ? [[name, old.get(name) ?? '']] : [])));
  return {
    count: before.count + values.size - replaced.size,
    bytes: before.bytes + bytesOfProperties(values) - bytesOfProperties(replaced),
  };
}

/** Whether a change increases a total beyond its maximum. Headers may give a request more, which changes may always reduce. */
export function exceedsQuota(before: PropertyTotal, after: PropertyTotal): boolean {
  const { properties, bytes } = requestPropertyLimits;
  return (after.count > properties && after.count > before.count) || (after.bytes > bytes && after.bytes > before.bytes);
}

/** @param who the requests, as the beginning of a sentence. */
export function quotaError(who: string): GatelogError {
  const { properties, bytes } = requestPropertyLimits;
  return new GatelogError(
    'query_too_large',
    `${who} would have too many or too long properties. A request has at most ${properties} properties, and ${bytes} bytes of their names and values together. Nothing was changed. Send fewer or shorter ones, or replace the values of names that are there.`,
  );
}
