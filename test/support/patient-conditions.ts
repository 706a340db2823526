import { vi } from 'vitest';

/** A condition may take this long on a busy machine; one that never holds fails all the same. */
const patientMs = 60_000;

const { waitFor } = vi;
vi.waitFor = (condition, options = patientMs) =>
  waitFor(condition, typeof options === 'number' ? options : { timeout: patientMs, ...options });
