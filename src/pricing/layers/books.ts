import type { PriceLine } from '../../model/pricing/price-line.ts';
import { type BookFile, type PriceBook, priceBookFrom } from '../price-book.ts';
import { corrections } from './corrections.ts';
import { correctedList, layeredBook } from './layered-book.ts';
import { bookOfLines } from './line-book.ts';

/** The operator's file: providers as genai-prices has them, or lines. Plain data, because it is sent to a thread. */
export type OperatorFile = BookFile | { readonly lines: readonly PriceLine[] };

/** The list prices where the operator has none: our corrections, then the public list. */
export const bookWithoutOperator: PriceBook = correctedList(bookOfLines('corrections', corrections), priceBookFrom(undefined));

/**
 * The list prices: what the operator has imported, the operator's file, our corrections, the public list. @param imported is asked at each
 * look-up, as an import holds without a restart.
 */
export function listedBook(file: OperatorFile | undefined, imported: () => PriceBook | undefined): PriceBook {
  const below = file === undefined ? [bookWithoutOperator] : [bookOfFile(file), bookWithoutOperator];
  let layered: { readonly of: PriceBook; readonly books: readonly PriceBook[] } | undefined;
  return layeredBook(() => {
    const own = imported();
    if (own === undefined) return below;
    if (layered?.of !== own) layered = { of: own, books: [own, ...below] };
    return layered.books;
  });
}

function bookOfFile(file: OperatorFile): PriceBook {
  return 'lines' in file ? bookOfLines('prices-file', file.lines) : priceBookFrom(file);
}

/** A book of what the operator has imported; undefined without any. */
export function importedBook(lines: readonly PriceLine[]): PriceBook | undefined {
  return lines.length === 0 ? undefined : bookOfLines('prices-file', lines);
}
