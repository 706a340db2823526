import { ItemFault } from './fields.ts';
import { factsOfLine, type LineFacts } from './read-item.ts';

/** A line as a thread has read it. */
export type LargeLine = { readonly facts: LineFacts } | { readonly field: string; readonly reason: string };

/** @throws what is no fault of the line. */
export function readLargeLine(line: Buffer): LargeLine {
  try {
    return { facts: factsOfLine(line) };
  } catch (error) {
    if (!(error instanceof ItemFault)) throw error;
    return { field: error.field, reason: error.message };
  }
}

/** @throws ItemFault that the thread met. */
export function unpackLine(large: LargeLine): LineFacts {
  if ('facts' in large) return large.facts;
  throw new ItemFault(large.field, large.reason);
}
