import type { ImportedPrices } from '../../metadata/operator-prices.ts';
import { messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import { StaleCache } from '../../platform/stale-cache.ts';
import { importedBook } from '../layers/books.ts';
import type { PriceBook } from '../price-book.ts';

export interface ImportedPricesOptions {
  /** Throws when the prices cannot be read. */
  readonly lookUp: () => ImportedPrices;
  readonly monotonic: () => number;
  readonly observe: Observe;
}

/** What the operator has imported, cached for two seconds. */
export interface HeldImport {
  readonly current: () => ImportedPrices;
  /** The prices as a book; undefined without any. */
  readonly book: () => PriceBook | undefined;
  /** Makes a change by this process visible at once. */
  readonly forget: () => void;
}

const nothing: ImportedPrices = { version: 0, lines: [] };

/** While the prices cannot be read, the last ones known hold. */
export function holdImportedPrices({ lookUp, monotonic, observe }: ImportedPricesOptions): HeldImport {
  const cache = new StaleCache<'prices', ImportedPrices>({
    read: lookUp,
    monotonic,
    freshMs: 2000,
    staleMaxMs: Number.POSITIVE_INFINITY,
    onFailure: (error) => observe({ kind: 'prices_failed', reason: messageOf(error) }),
  });
  let last: { readonly version: number; readonly book: PriceBook | undefined } = { version: 0, book: undefined };
  const current = (): ImportedPrices => {
    try {
      return cache.get('prices');
    } catch {
      return nothing;
    }
  };
  return {
    current,
    book: () => {
      const { version, lines } = current();
      if (version !== last.version) last = { version, book: importedBook(lines) };
      return last.book;
    },
    forget: () => cache.forget('prices'),
  };
}
