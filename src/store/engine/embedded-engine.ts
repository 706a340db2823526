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
 * Starts the engine in this process on a folder, where it is not running yet. The first connection decides on its settings, so this one
 * precedes all others and stays for as long as they do. @throws when another process holds the folder. @returns a function that ends this
 * connection.
 */
export function startEmbeddedEngine(folder: string): () => void {
  const connectionArgs = Object.entries(cacheBytes).map(([name, bytes]) => `--${name}=${bytes}`);
  const session = new Session(folder, { connectionArgs });
  return () => session.close();
}
