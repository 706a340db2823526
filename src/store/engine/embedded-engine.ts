import { Session } from 'chdb';
import { usableCores } from '../../platform/cgroup.ts';

/** The file of the engine on Linux. */
export const engineLibrary = 'libchdb.so';

const MiB = 1024 * 1024;

/** Of the bytes of all caches. */
const fifteenthsOfCaches = {
  mark_cache_size: 4,
  index_mark_cache_size: 1,
  primary_index_cache_size: 4,
  text_index_tokens_cache_size: 1,
  text_index_header_cache_size: 1,
  text_index_postings_cache_size: 4,
} as const;
const defaultCacheBytes = 1920 * MiB;

/**
 * Upper bounds of the engine's caches. By default it takes up to 5 GiB for each kind of marks and keys and 4 GiB for text indexes, however
 * small the machine is. @param bytes of all of them.
 */
export function cacheSizes(bytes: number = defaultCacheBytes): Readonly<Record<keyof typeof fifteenthsOfCaches, number>> {
  const sizes = Object.entries(fifteenthsOfCaches).map(([name, count]) => [name, Math.floor((bytes * count) / 15)]);
  return Object.fromEntries(sizes) as Record<keyof typeof fifteenthsOfCaches, number>;
}

/**
 * Merges and mutations that run at once. By default 32 may, each of which has buffers for the columns of every part that it reads. The
 * last places are for smaller merges: see `src/store/schema/migrations/0019-column-by-column.ts`.
 */
const merges = {
  background_pool_size: Math.max(4, usableCores()),
  background_merges_mutations_concurrency_ratio: 1,
} as const;

/**
 * A mutation that finds the engine's threads asleep would wait until they look for work again, up to a second later by chance: the default
 * is a random part of 1. A change of one row took 140 ms in the mean and up to 930; without it 46 and 150.
 */
const lookForWork = { background_processing_pool_task_sleep_seconds_when_no_work_random_part: 0 } as const;

/**
 * Starts the engine in this process on a folder, where it is not running yet. The first connection decides on its settings, so this one
 * precedes all others and stays for as long as they do. @throws when another process holds the folder. @returns a function that ends this
 * connection. @param cacheBytes of all caches of indexes.
 */
export function startEmbeddedEngine(folder: string, cacheBytes?: number): () => void {
  const connectionArgs = Object.entries({ ...cacheSizes(cacheBytes), ...merges, ...lookForWork }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  const session = new Session(folder, { connectionArgs });
  return () => session.close();
}
