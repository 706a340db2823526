import type { Answer, CallOptions, Reply } from './connection.ts';

/** A page of a list. */
export interface Page<Item> extends Answer<readonly Item[]> {
  /** There may be more: given to the next query as `cursor`, it goes on behind this page. */
  readonly nextCursor: string | undefined;
  /** How many match, pages aside; only when it was asked for. */
  readonly totalCount: number | undefined;
}

export interface PageOptions extends CallOptions {
  /** Asks for `totalCount` too, which takes longer. */
  readonly includeCount?: boolean | undefined;
}

/** Options of a list that is paged by an offset. */
export interface OffsetOptions extends CallOptions {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Asks for the number of all that match. */
export function countHeaders({ includeCount, headers, ...options }: PageOptions): CallOptions {
  return { ...options, headers: { ...headers, ...(includeCount === true ? { 'svc-include-count': 'true' } : {}) } };
}

/** What a call answers, without its headers. */
export function answerOf<Data>({ data, warnings, hint }: Answer<Data>): Answer<Data> {
  return { data, warnings, hint };
}

export function pageOf<Item>(reply: Reply<readonly Item[]>): Page<Item> {
  return { ...answerOf(reply), ...placeOf(reply.headers) };
}

export function placeOf(headers: Headers): Pick<Page<unknown>, 'nextCursor' | 'totalCount'> {
  return { nextCursor: headers.get('svc-next-cursor') ?? undefined, totalCount: countIn(headers) };
}

export function countIn(headers: Headers): number | undefined {
  const count = headers.get('svc-total-count');
  return count === null ? undefined : Number(count);
}

/** All pages, each asked for when it is wanted. @param first the cursor to begin behind. */
export async function* pagesOf<OnePage extends { readonly nextCursor: string | undefined }>(
  ask: (cursor: string | undefined) => Promise<OnePage>,
  first?: string,
): AsyncGenerator<OnePage, void, undefined> {
  let cursor = first;
  do {
    const page = await ask(cursor);
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** All items of pages that are counted by an offset; the last page is not full. */
export async function* itemsByOffset<Item>(
  ask: (place: { readonly offset: number; readonly limit: number }) => Promise<readonly Item[]>,
  { offset = 0, limit }: { readonly offset: number | undefined; readonly limit: number },
): AsyncGenerator<Item, void, undefined> {
  for (let at = offset; ; at += limit) {
    const items = await ask({ offset: at, limit });
    yield* items;
    if (items.length < limit) return;
  }
}

export async function* itemsOf<Item>(pages: AsyncIterable<{ readonly data: readonly Item[] }>): AsyncGenerator<Item, void, undefined> {
  for await (const { data } of pages) yield* data;
}
