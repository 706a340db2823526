import { createRequire } from 'node:module';
import type * as PublicList from '@pydantic/genai-prices';

const load = createRequire(import.meta.url);
let loaded: typeof PublicList | undefined;

/** The list could not be read: of what it would price nothing is known, and a later try may succeed. */
export class PriceListUnavailable extends Error {}

/**
 * The library with the public list, which takes 40 ms and some megabytes. TRICKY: who serves calls loads it when it starts. Without a free
 * descriptor Node finds no package, and remembers that for as long as the process runs. @throws PriceListUnavailable such as while its package is replaced.
 */
export function publicList(): typeof PublicList {
  try {
    loaded ??= load('@pydantic/genai-prices') as typeof PublicList;
  } catch (cause) {
    throw new PriceListUnavailable('The public price list could not be loaded.', { cause });
  }
  return loaded;
}
