/** A clock that stands still while this process does. */
export interface AwakeClock {
  /** Milliseconds since it was started. */
  readonly now: () => number;
  readonly stop: () => void;
}

const tickMs = 50;
/** More than this between two ticks is not time that anything of ours took: this process was stopped, or the machine was. */
const maxTickMs = 500;

/** Starts a clock for figures about another process, where both may be stopped for a while. */
export function startAwakeClock(): AwakeClock {
  let awakeMs = 0;
  let tickedAt = performance.now();
  const tick = (): void => {
    const now = performance.now();
    awakeMs += Math.min(now - tickedAt, maxTickMs);
    tickedAt = now;
  };
  const timer = setInterval(tick, tickMs);
  timer.unref();
  return {
    now: () => {
      tick();
      return awakeMs;
    },
    stop: () => clearInterval(timer),
  };
}
