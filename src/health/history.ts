import type { HealthHistory as ShownHistory } from '../contract/health.ts';
import { histogramOf, quantileOf, sumOf } from '../platform/metrics/figures.ts';
import type { ProcessNumbers } from '../platform/metrics/exposition.ts';

/** Time between two points. */
export const historyStepMs = 10_000;
/** An hour. */
export const historyPoints = 360;

const highQuantile = 0.95;
const msPerSecond = 1000;

type Point = { readonly [Name in Exclude<keyof ShownHistory, 'step_ms'>]: ShownHistory[Name][number] };

/** What counters said when the last point was made. */
interface Counted {
  /** Milliseconds of a clock that nobody sets. */
  readonly at: number;
  readonly calls: number;
  readonly delays: readonly number[];
  readonly overheads: readonly number[];
}

/** Figures of the last hour, in memory alone: it starts over with the core. */
export class HealthHistory {
  private readonly points: Point[] = [];
  private last: Counted | undefined;

  /** @param now Unix milliseconds. @param at milliseconds of a clock that nobody sets. */
  add(numbers: readonly ProcessNumbers[], now: number, at: number): void {
    const delays = histogramOf(numbers, 'gatelog_visible_delay_seconds');
    const overheads = histogramOf(numbers, 'gatelog_gateway_overhead_seconds');
    const calls = sumOf(numbers, 'gatelog_gateway_calls_total') ?? 0;
    const { last } = this;
    this.last = { at, calls, delays: delays.counts, overheads: overheads.counts };
    this.points.push({
      at: new Date(now).toISOString(),
      // A worker that starts over counts on from its last word; a core without any word of the workers counts none.
      requests_per_second: last === undefined || at <= last.at ? null : Math.max(0, ((calls - last.calls) * msPerSecond) / (at - last.at)),
      visible_delay_p95_ms: last === undefined ? null : milliseconds(quantileOf(delays, last.delays, highQuantile)),
      gateway_latency_p95_ms: last === undefined ? null : milliseconds(quantileOf(overheads, last.overheads, highQuantile)),
      spool_bytes: sumOf(numbers, 'gatelog_spool_bytes') ?? null,
      memory_bytes: sumOf(numbers, 'gatelog_process_resident_memory_bytes') ?? null,
    });
    if (this.points.length > historyPoints) this.points.shift();
  }

  shown(): ShownHistory {
    const column = <Name extends keyof Point>(name: Name): Point[Name][] => this.points.map((point) => point[name]);
    return {
      step_ms: historyStepMs,
      at: column('at'),
      requests_per_second: column('requests_per_second'),
      visible_delay_p95_ms: column('visible_delay_p95_ms'),
      gateway_latency_p95_ms: column('gateway_latency_p95_ms'),
      spool_bytes: column('spool_bytes'),
      memory_bytes: column('memory_bytes'),
    };
  }
}

function milliseconds(seconds: number | null): number | null {
  return seconds === null ? null : seconds * msPerSecond;
}
