import { bodyFault, type Result, success } from '../../model/fault.ts';
import { isJsonObject, wellFormed } from '../../model/text.ts';
import { overlongName } from '../../model/vocabulary/limits.ts';
import {
  type NamedSortKey,
  namedSortKeys,
  type SortDirection,
  sortDirections,
  type SortKey,
  sortKeys,
} from '../../model/vocabulary/sort.ts';
import { codeList, didYouMean, code, preview } from '../filter/preview.ts';

/** A sort key with its direction; `name` is the property's or input's. */
export type SortTerm =
  | { readonly key: SortKey; readonly direction: SortDirection }
  | { readonly key: NamedSortKey; readonly name: string; readonly direction: SortDirection };

/** Keys in order of precedence, or random. */
export type Sort = readonly SortTerm[] | 'random';

/** Maximum keys: each is compared for every row. */
const maxTerms = 10;

const newestFirst: readonly SortTerm[] = [{ key: 'created_at', direction: 'desc' }];

/** Parses `sort` of a request query: keys in the order written. Absent or empty means newest first. */
export function parseSort(sort: unknown): Result<Sort> {
  if (sort === undefined) return success(newestFirst);
  if (!isJsonObject(sort)) return bodyFault(['sort'], `\`sort\` takes an object such as {"created_at": "desc"}; got ${preview(sort)}.`);
  const { random, ...keys } = sort;
  if (random !== undefined && typeof random !== 'boolean') {
    return bodyFault(['sort', 'random'], `\`random\` takes true or false; got ${preview(random)}.`);
  }
  const terms: SortTerm[] = [];
  for (const [key, value] of Object.entries(keys)) {
    const read = isNamedKey(key) ? readNames(key, value) : readTerm(key, value);
    if (!read.ok) return read;
    terms.push(...read.value);
  }
  if (random === true) {
    return terms.length === 0 ? success('random') : bodyFault(['sort'], '`random` stands alone: leave the other keys out.');
  }
  if (terms.length > maxTerms) return bodyFault(['sort'], `A sort has at most ${maxTerms} keys; this one has ${terms.length}.`);
  return success(terms.length === 0 ? newestFirst : terms);
}

function readTerm(key: string, value: unknown): Result<readonly SortTerm[]> {
  if (!isSortKey(key)) {
    const known = [...Object.keys(sortKeys), 'random', ...Object.keys(namedSortKeys)];
    return bodyFault(['sort', key], `Unknown sort key ${code(key)}.${didYouMean(key, known)} Known keys: ${codeList(known)}.`);
  }
  const direction = readDirection([key], value);
  return direction.ok ? success([{ key, direction: direction.value }]) : direction;
}

function readNames(key: NamedSortKey, names: unknown): Result<readonly SortTerm[]> {
  if (!isJsonObject(names) || Object.keys(names).length === 0) {
    return bodyFault(['sort', key], `${code(key)} takes names with directions, such as {"Team": "asc"}; got ${preview(names)}.`);
  }
  const terms: SortTerm[] = [];
  for (const [name, value] of Object.entries(names)) {
    const overlong = overlongName(key, name);
    if (overlong !== undefined) return bodyFault(['sort', key, name], overlong);
    const direction = readDirection([key, name], value);
    if (!direction.ok) return direction;
    terms.push({ key, name: wellFormed(name), direction: direction.value });
  }
  return success(terms);
}

/** @param path of the value in `sort`. */
export function readDirection(path: readonly [string, ...string[]], value: unknown): Result<SortDirection> {
  const direction = sortDirections.find((one) => one === value);
  if (direction !== undefined) return success(direction);
  return bodyFault(['sort', ...path], `${code(path.at(-1) ?? '')} is sorted "asc" or "desc"; got ${preview(value)}.`);
}

function isSortKey(key: string): key is SortKey {
  return Object.hasOwn(sortKeys, key);
}

function isNamedKey(key: string): key is NamedSortKey {
  return Object.hasOwn(namedSortKeys, key);
}
