import { Buffer } from 'node:buffer';
import type { SortDirection } from '../../model/vocabulary/sort.ts';
import { aliasOf } from '../../model/vocabulary/property-alias.ts';
import { type FilterRecord, type Quantity, totalTokensOf } from '../filter/record.ts';

/** A record with what can be sorted by and not filtered by. */
export interface SortableRecord extends FilterRecord {
  readonly cacheCreatedAt: number | null;
  readonly lastUserText: string;
}

/** One key of a sort; `name` is the property's or the input's, under `properties` and `values`. */
export interface OrderTerm {
  readonly key: string;
  readonly name?: string;
  readonly direction: SortDirection;
}

/** What a record is sorted by: text goes by its bytes, null is absent. */
type OrderValue = string | Quantity | boolean | null;

type ReadOrder = (record: SortableRecord, all: readonly SortableRecord[]) => OrderValue;

/** Every sort key of the contract that takes a direction, by what the contract means by it. */
const plainKeys: Readonly<Record<string, ReadOrder>> = {
  created_at: ({ createdAt }) => createdAt,
  cache_created_at: ({ cacheCreatedAt }) => cacheCreatedAt,
  latency: ({ latencyMs }) => latencyMs,
  last_active: ({ userId }, all) =>
    userId === '' ? null : Math.max(...all.filter((other) => other.userId === userId).map(({ createdAt }) => createdAt)),
  total_tokens: totalTokensOf,
  completion_tokens: ({ usage }) => usage.completionTokens,
  prompt_tokens: ({ usage }) => usage.promptTokens,
  user_id: ({ userId }) => present(userId),
  body_model: ({ responseModel }) => present(responseModel),
  is_cached: ({ cached }) => cached,
  request_prompt: ({ lastUserText }) => present(lastUserText),
  response_text: ({ completionText }) => present(completionText),
  cost: ({ cost }) => cost,
  time_to_first_token: ({ timeToFirstTokenMs }) => timeToFirstTokenMs,
};

/** Sort keys that take an object of names. An empty value is there, and names that stand for a property's in a filter do so here. */
const namedKeys: Readonly<Record<string, (record: SortableRecord, name: string) => OrderValue>> = {
  properties: ({ properties }, name) => properties.get(name) ?? properties.get(aliasOf(name) ?? name) ?? null,
  values: ({ inputs }, name) => inputs.get(name) ?? null,
};

/**
 * Records in the order of a sort: its keys as written, absent values last in both directions, then by arrival and identifier, the newest first
 * unless the arrival is sorted ascending.
 * @param all the whole of the organisation, which some keys look at.
 */
export function inOrder<Found extends SortableRecord>(
  found: readonly Found[],
  terms: readonly OrderTerm[],
  all: readonly SortableRecord[],
): readonly Found[] {
  const arrival = terms.find(({ key }) => key === 'created_at')?.direction ?? 'desc';
  const ordered = [...terms.map((term) => [readerOf(term, all), term.direction] as const), [plainKeys['created_at'], arrival] as const];
  const byKeys = ordered.map(([read, direction]) => {
    const values = new Map<SortableRecord, OrderValue>(found.map((record) => [record, read?.(record, all) ?? null]));
    return (left: Found, right: Found) => orderOf(values.get(left) ?? null, values.get(right) ?? null, direction);
  });
  const ties = (left: Found, right: Found): number => orderOf(left.requestId, right.requestId, arrival);
  return found.toSorted((left, right) => {
    for (const compare of [...byKeys, ties]) {
      const order = compare(left, right);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function readerOf({ key, name }: OrderTerm, all: readonly SortableRecord[]): ReadOrder {
  const named = namedKeys[key];
  if (named !== undefined && name !== undefined) return (record) => named(record, name);
  const plain = plainKeys[key];
  if (plain === undefined) throw new TypeError(`The sort key ${key} has no order of reference.`);
  const remembered = new Map<string, OrderValue>();
  if (key !== 'last_active') return plain;
  return (record) => {
    const known = remembered.get(record.userId);
    if (known !== undefined) return known;
    const value = plain(record, all);
    remembered.set(record.userId, value);
    return value;
  };
}

function orderOf(left: OrderValue, right: OrderValue, direction: SortDirection): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const ascending =
    typeof left === 'string' && typeof right === 'string'
      ? Buffer.compare(Buffer.from(left), Buffer.from(right))
      : left < right
        ? -1
        : Number(left > right);
  return direction === 'asc' ? ascending : -ascending;
}

function present(text: string): string | null {
  return text === '' ? null : text;
}
