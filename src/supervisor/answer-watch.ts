import type { ChildProcess } from 'node:child_process';

const lookMs = 1000;
/** What starts may work in one piece, as the engine does when it opens its folder: so many times the silence of one that is ready. */
const startingSilences = 10;

/** Bounds of a child, milliseconds. */
export interface AnswerLimits {
  /** One that is ready says something at least so often. */
  readonly silenceMaxMs: number;
  /** It is ready after so long. */
  readonly startMaxMs: number;
}

/** Watches one child. */
export interface HealthProbe {
  /** From now on it has no excuse. */
  readonly isReady: () => void;
}

/**
 * Watches that a child answers, for as long as it lives. TRICKY: time is counted in looks and not by a clock, so that when this process itself, or the
 * machine, stood still nobody else pays for it: what a child said meanwhile is read before the look after next.
 * @param onSilent called at most once, with how long it was waited for.
 */
export function watchAnswers(
  child: ChildProcess,
  { silenceMaxMs, startMaxMs }: AnswerLimits,
  onSilent: (silentMs: number) => void,
): HealthProbe {
  let isReady = false;
  let silentMs = 0;
  let startingMs = 0;
  const timer = setInterval(() => {
    silentMs += lookMs;
    startingMs += isReady ? 0 : lookMs;
    const longest = isReady ? silenceMaxMs : silenceMaxMs * startingSilences;
    if (silentMs <= longest && startingMs <= startMaxMs) return;
    clearInterval(timer);
    onSilent(Math.max(silentMs, startingMs));
  }, lookMs);
  timer.unref();
  child.on('message', () => {
    silentMs = 0;
  });
  child.once('exit', () => clearInterval(timer));
  return {
    isReady: () => {
      isReady = true;
    },
  };
}
