import type { Clock } from '../../platform/clock.ts';

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

/** A clock that stands still until a test moves it, and the alarms set by it. */
export class ManualClock implements Clock {
  private time: number;
  private readonly alarms = new Set<Alarm>();

  constructor(now = Date.parse('2026-03-01T12:00:00Z')) {
    this.time = now;
  }

  readonly now = (): number => this.time;
  readonly monotonic = (): number => this.time;

  readonly alarm = (ms: number, ring: () => void): (() => void) => {
    const alarm = { at: this.time + ms, ring };
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  };

  /** Unix milliseconds; undefined while no alarm is set. */
  get nextAlarm(): number | undefined {
    const times = [...this.alarms].map(({ at }) => at);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Moves to a time and rings what is due by then. */
  moveTo(at: number): void {
    this.time = Math.max(this.time, at);
    for (const alarm of this.alarms) {
      if (alarm.at > this.time) continue;
      this.alarms.delete(alarm);
      alarm.ring();
    }
  }
}
