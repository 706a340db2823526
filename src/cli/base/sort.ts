import { nearestName } from '../../model/nearest-name.ts';
import { quoted } from '../../model/text.ts';
import { UsageError } from './dependencies.ts';

export interface SortKeys {
  readonly keys: readonly string[];
  /** Other names of them. */
  readonly short?: Readonly<Record<string, string>>;
  /** Keys of names: `properties` for `properties.Team`. */
  readonly maps?: Readonly<Record<string, string>>;
}

type Direction = 'asc' | 'desc';

/** `cost,time:asc` as the API takes it. @throws UsageError that names the nearest key. */
export function sortOf(text: string | undefined, { keys, short = {}, maps = {} }: SortKeys): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  const sort: Record<string, Direction | Record<string, Direction>> = {};
  for (const term of text.split(',').map((each) => each.trim())) {
    const [, name = '', direction = 'desc'] = /^(.*?)(?::(asc|desc))?$/.exec(term) ?? [];
    const dot = name.indexOf('.');
    const map = maps[name.slice(0, Math.max(0, dot))];
    if (map !== undefined) {
      sort[map] = { ...(sort[map] as object), [name.slice(dot + 1)]: direction as Direction };
      continue;
    }
    const key = short[name] ?? name;
    if (!keys.includes(key)) throw new UsageError(unknownKey(term, name, [...Object.keys(short), ...keys]));
    sort[key] = direction as Direction;
  }
  return sort;
}

function unknownKey(term: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `--sort takes ${[...new Set(known)].join(', ')}, each with :asc or :desc (the default) behind it; got ${quoted(term)}.${meant}`;
}
