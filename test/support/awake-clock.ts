/** A clock that stops while this process is stopped. */
export interface AwakeClock {
  readonly now: () => number;
  readonly stop: () => void;
}

const tickMs = 50;
/** A longer gap between two ticks means that this process or the machine was stopped. */
const maxTickMs = 500;

/** Measures the time of another process when both may be stopped meanwhile. */
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
