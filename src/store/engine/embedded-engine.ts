import { availableParallelism } from 'node:os';
import { Session } from 'chdb';

/** The file of the engine on Linux. */
export const engineLibrary = 'libchdb.so';

const MiB = 1024 * 1024;

/**
 * Upper bounds of the engine's caches. By default it takes up to 5 GiB for each kind of marks and keys and 4 GiB for text indexes, however
 * small the machine is.
 */
export const cacheBytes = {
  mark_cache_size: 512 * MiB,
  index_mark_cache_size: 128 * MiB,
  primary_index_cache_size: 512 * MiB,
  text_index_tokens_cache_size: 128 * MiB,
  text_index_header_cache_size: 128 * MiB,
  text_index_postings_cache_size: 512 * MiB,
} as const;

/**
 * Merges and mutations that run at once. By default 32 may, each of which has buffers for the columns of every part that it reads. The
 * last places are for smaller merges: see `src/store/schema/migrations/0019-column-by-column.ts`.
 */
const merges = {
  background_pool_size: Math.max(4, availableParallelism()),
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
 * connection.
 */
export function startEmbeddedEngine(folder: string): () => void {
  const connectionArgs = Object.entries({ ...cacheBytes, ...merges, ...lookForWork }).map(([name, value]) => `--${name}=${value}`);
  const session = new Session(folder, { connectionArgs });
  return () => session.close();
}
