import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What becomes of each piece of work at the store. */
export type StoreFault =
  | { readonly kind: 'none' }
  /** As a server that is not there. */
  | { readonly kind: 'refuses' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** It is done, and nobody hears of it. */
  | { readonly kind: 'loses answers' };

/** The program whose store fails on demand. */
export const faultyStoreProgram = path.resolve('test/support/faulty-store-main.mjs');

/** Says what happens at the store from now on. */
export function setStoreFault(file: string, fault: StoreFault): void {
  writeFileSync(`${file}.new`, JSON.stringify(fault));
  renameSync(`${file}.new`, file);
}
