import type { CommandDependencies } from './dependencies.ts';

export interface ListPage<Item> {
  readonly data: readonly Item[];
  readonly nextCursor: string | undefined;
  readonly warnings: readonly string[];
  readonly hint: string | undefined;
}

export interface Listing<Item> {
  /** Asks for a page; `limit` is its size. */
  readonly ask: (place: { readonly cursor: string | undefined; readonly limit: number }) => Promise<ListPage<Item>>;
  /** Items of the whole list, at most. */
  readonly limit: number;
  /** Items of a page, at most. */
  readonly pageLimit: number;
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** What the items are, for people: requests. */
  readonly noun: string;
}

/** Reads a list page by page up to its limit, and says what about it may surprise. */
export async function writeList<Item>({ hint }: Pick<CommandDependencies, 'hint'>, listing: Listing<Item>): Promise<void> {
  const { ask, limit, pageLimit, write, noun } = listing;
  const told = new Set<string>();
  let done = 0;
  let cursor: string | undefined;
  do {
    const page = await ask({ cursor, limit: Math.min(pageLimit, limit - done) });
    for (const sentence of [...page.warnings, page.hint].filter((each) => each !== undefined)) {
      if (!told.has(sentence)) hint(sentence);
      told.add(sentence);
    }
    await write(page.data);
    done += page.data.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined && done < limit);
  if (done === 0) hint(`No ${noun} match.`);
  else if (cursor !== undefined) hint(`More ${noun} match than the ${done.toLocaleString('en')} shown; --limit shows more.`);
}
