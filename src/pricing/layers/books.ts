import { type BookProviders, type PriceBook, priceBookFrom } from '../price-book.ts';
import { corrections } from './corrections.ts';
import { layeredBook } from './layered-book.ts';
import { bookOfLines } from './line-book.ts';

const publicList = priceBookFrom(undefined);
const correctionsBook = bookOfLines('corrections', corrections);

/** The list prices where the operator has none: our corrections, then the public list. */
export const bookWithoutOperator: PriceBook = layeredBook(() => [correctionsBook, publicList]);

/** The list prices: the operator's, then our corrections, then the public list. @param file providers of the operator's file. */
export function listedBook(file: BookProviders | undefined): PriceBook {
  if (file === undefined) return bookWithoutOperator;
  const fileBook = priceBookFrom(file);
  return layeredBook(() => [fileBook, correctionsBook, publicList]);
}
