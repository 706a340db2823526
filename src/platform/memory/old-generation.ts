import { setFlagsFromString } from 'node:v8';

/**
 * What lives on may grow by half, in bytes, between two collections of it. By default V8 lets a heap of some 100 MB become four times as
 * large before it looks.
 */
export const heapGrowth = '--heap-growing-percent=50';

/**
 * Keeps the heaps of all threads of this process close to what they use. TRICKY: not before it has started, because V8 compiles modules of
 * Node anew under flags other than those with which Node was built.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(heapGrowth);
}
