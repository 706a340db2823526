import { createRequire } from 'node:module';
import type * as PublicList from '@pydantic/genai-prices';

const load = createRequire(import.meta.url);
let loaded: typeof PublicList | undefined;

/**
 * The library with the public list. It is loaded for the first price, because it takes 40 ms and some megabytes in each process, and a start
 * and most gateway workers need no price.
 */
export function publicList(): typeof PublicList {
  loaded ??= load('@pydantic/genai-prices') as typeof PublicList;
  return loaded;
}
