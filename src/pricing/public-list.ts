import { createRequire } from 'node:module';
import type * as PublicList from '@pydantic/genai-prices';

const load = createRequire(import.meta.url);
let loaded: typeof PublicList | undefined;

/**
 * The library with the public list, which takes 40 ms and some megabytes, and the supervisor never needs. TRICKY: every process and thread
 * that prices loads it when it starts. Without a free descriptor Node finds no package, and remembers that for as long as the process runs.
 */
export function publicList(): typeof PublicList {
  loaded ??= load('@pydantic/genai-prices') as typeof PublicList;
  return loaded;
}
