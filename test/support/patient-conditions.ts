import { vi } from 'vitest';

/** A condition may take this long on a busy machine; one that never holds fails all the same. */
const patientMs = 60_000;

const { waitFor } = vi;
/** Files that share a process load this module once each. */
const name = 'patientWaitFor';
if (waitFor.name !== name) {
  const patientWaitFor: typeof waitFor = (condition, options) => {
    const { timeout = 0, ...rest } = typeof options === 'number' ? { timeout: options } : (options ?? {});
    return waitFor(condition, { ...rest, timeout: Math.max(patientMs, timeout) });
  };
  vi.waitFor = patientWaitFor;
}
