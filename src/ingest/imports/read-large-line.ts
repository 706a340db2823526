import { ItemFault } from './fields.ts';
import { fieldsOfLine, type LineFields } from './read-item.ts';

/** A line as a thread has read it. */
export type LargeLine = { readonly fields: LineFields } | { readonly field: string; readonly reason: string };

/** @throws what is no fault of the line. */
export function readLargeLine(line: Buffer): LargeLine {
  try {
    return { fields: fieldsOfLine(line) };
  } catch (error) {
    if (!(error instanceof ItemFault)) throw error;
    return { field: error.field, reason: error.message };
  }
}

/** @throws ItemFault that the thread met. */
export function unpackLine(large: LargeLine): LineFields {
  if ('fields' in large) return large.fields;
  throw new ItemFault(large.field, large.reason);
}
