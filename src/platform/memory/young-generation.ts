import { setFlagsFromString } from 'node:v8';

const flag = '--min-semi-space-size';

/**
 * V8 collects the garbage of calls every 16 MiB from the first call on. TRICKY: by default V8 shrinks the young generation to 1 MiB after
 * idle seconds and grows it only when much survives, which is never so for calls: the first seconds of a burst would cost up to half as
 * much again.
 */
export const youngGeneration = `${flag}=16`;

/**
 * Lets Node load its own modules from the compiled form that it carries. TRICKY: V8 takes that only under the flags under which it was
 * made, and compiles everything again otherwise. The size has been read when the heap was made, so its flag may go.
 */
export function acceptCompiledModules(): void {
  setFlagsFromString(`${flag}=0`);
}
