import type { ChildProcess } from 'node:child_process';

const checkMs = 1000;
/** A starting process may be silent for this multiple of the limit: the engine opens its folder in one piece. */
const startingSilences = 10;

/** Limits of a child, milliseconds. */
export interface LivenessLimits {
  /** Maximum silence of a ready child. */
  readonly silenceMaxMs: number;
  /** Maximum time to become ready. */
  readonly startMaxMs: number;
}

/**
 * Watches that a child responds, for as long as it lives. TRICKY: time is counted in checks and not by a clock: when this process or the
 * machine stood still, the child's messages are read before the next check. @param onSilent called at most once, with the length of the
 * silence. @returns a function to call once the child is ready, which ends the allowance of the start.
 */
export function watchLiveness(
  child: ChildProcess,
  { silenceMaxMs, startMaxMs }: LivenessLimits,
  onSilent: (silentMs: number) => void,
): () => void {
  let isReady = false;
  let silentMs = 0;
  let startingMs = 0;
  const timer = setInterval(() => {
    silentMs += checkMs;
    startingMs += isReady ? 0 : checkMs;
    const longest = isReady ? silenceMaxMs : silenceMaxMs * startingSilences;
    if (silentMs <= longest && startingMs <= startMaxMs) return;
    clearInterval(timer);
    onSilent(Math.max(silentMs, startingMs));
  }, checkMs);
  timer.unref();
  child.on('message', () => {
    silentMs = 0;
  });
  child.once('exit', () => clearInterval(timer));
  return () => {
    isReady = true;
  };
}
