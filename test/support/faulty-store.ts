import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The outcome of each operation on the store. */
export type StoreFault =
  | { readonly kind: 'none' }
  /** The connection is refused, as when no server runs. */
  | { readonly kind: 'refuses' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** The operation is done, but its response is lost. */
  | { readonly kind: 'loses answers' };

/** The program with a store that fails on demand, as `npm run soak` compiles it. */
export const faultyStoreProgram = path.resolve('.cache/experiments/test/support/faulty-store-main.js');

/** Sets the fault for all later operations. */
export function setStoreFault(file: string, fault: StoreFault): void {
  writeFileSync(`${file}.new`, JSON.stringify(fault));
  renameSync(`${file}.new`, file);
}
