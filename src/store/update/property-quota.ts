import { GatelogError } from '../../model/errors.ts';
import { type Fragment, sql } from '../../sql/sql.ts';
import { bytesOfProperties, requestPropertyLimits } from '../../model/vocabulary/limits.ts';

/** How many properties a request has, and the bytes of their names and values. */
export interface PropertyTotal {
  readonly count: number;
  readonly bytes: number;
}

/** SQL of {@link PropertyTotal.bytes} for a map. */
export function propertyBytesOf(map: Fragment): Fragment {
  return sql`arraySum(arrayMap((name, text) -> length(name) + length(text), mapKeys(${map}), mapValues(${map})))`;
}

/** @param old what the request has under the names of `values`; others may stand there too. */
export function totalAfter(before: PropertyTotal, old: ReadonlyMap<string, string>, values: ReadonlyMap<string, string>): PropertyTotal {
  const replaced = new Map([...values.keys()].flatMap((name) => (old.has(name) ? [[name, old.get(name) ?? '']] : [])));
  return {
    count: before.count + values.size - replaced.size,
    bytes: before.bytes + bytesOfProperties(values) - bytesOfProperties(replaced),
  };
}

/** Whether a change makes more of what is too much. What a request has from its own headers may always be made less. */
export function exceedsQuota(before: PropertyTotal, after: PropertyTotal): boolean {
  const { properties, bytes } = requestPropertyLimits;
  return (after.count > properties && after.count > before.count) || (after.bytes > bytes && after.bytes > before.bytes);
}

/** The refusal of a change after which requests would have too much. @param who the requests, as a sentence names them first. */
export function quotaError(who: string): GatelogError {
  const { properties, bytes } = requestPropertyLimits;
  return new GatelogError(
    'query_too_large',
    `${who} would have too many or too long properties. A request has at most ${properties} properties, and ${bytes} bytes of their names and values together. Nothing was changed. Send fewer or shorter ones, or replace the values of names that are there.`,
  );
}
