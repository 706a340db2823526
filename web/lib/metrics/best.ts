import { type AskedMetric, scoreOf } from '../../../src/model/vocabulary/metrics.ts';
import type { Dimension } from './dimensions.ts';
import { type Group, groupId } from './groups.ts';

/** Dimensions whose values are tried against one another: of one prompt, its versions. */
const tried: ReadonlySet<Dimension> = new Set<Dimension>(['prompt_version']);

/** What is better of a metric; undefined where more or less is neither, such as a number of requests. */
function betterOf(metric: AskedMetric): 'less' | 'more' | undefined {
  if (scoreOf(metric) !== undefined || metric === 'prompt_cache_read_rate') return 'more';
  return metric === 'error_rate' || metric === 'avg_cost' || /_(?:latency|time_to_first_byte|time_to_first_token)$/.test(metric)
    ? 'less'
    : undefined;
}

/** Of each metric the groups, by their identifiers, that are the best of those with which they are compared. */
export type Best = ReadonlyMap<AskedMetric, ReadonlySet<string>>;

/** Groups are compared where they differ in the last dimension alone, and it is one that is tried. Of equal ones none is the best. */
export function bestOf(groups: readonly Group[], by: readonly Dimension[], metrics: readonly AskedMetric[]): Best {
  const last = by.at(-1);
  if (last === undefined || !tried.has(last)) return new Map();
  const compared = new Map<string, Group[]>();
  for (const group of groups) {
    const others = groupId(group.key.slice(0, -1));
    compared.set(others, [...(compared.get(others) ?? []), group]);
  }
  return new Map(metrics.map((metric) => [metric, new Set([...compared.values()].flatMap((some) => bestIn(some, metric)))]));
}

function bestIn(groups: readonly Group[], metric: AskedMetric): readonly string[] {
  const better = betterOf(metric);
  const known = groups.flatMap(({ key, figures }) => {
    const value = figures[metric];
    return typeof value === 'number' ? [{ id: groupId(key), value }] : [];
  });
  const [first, second] = known.toSorted((one, other) => (better === 'less' ? one.value - other.value : other.value - one.value));
  return better === undefined || first === undefined || second === undefined || first.value === second.value ? [] : [first.id];
}
