/** Resolution: 100 ns below 204.8 µs, then 0.1 %, up to 214 s. */
const stepsPerMicrosecond = 10;
const subBucketBits = 10;
const maximumSteps = 2 ** 31 - 1;
const bucketCount = 22 * 2 ** subBucketBits;

export interface LatencySummary {
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly maximumMicros: number;
}

/** Counts latencies in buckets that widen with the value, so that memory and work per value are constant. */
export class LatencyHistogram {
  private readonly counts = new Uint32Array(bucketCount);
  private total = 0;
  private maximumMicros = 0;

  record(milliseconds: number): void {
    const micros = milliseconds * 1000;
    const steps = Math.min(maximumSteps, Math.max(0, Math.round(micros * stepsPerMicrosecond)));
    const shift = Math.max(0, 31 - Math.clz32(steps) - subBucketBits);
    const bucket = (shift << subBucketBits) + (steps >>> shift);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.total += 1;
    if (micros > this.maximumMicros) this.maximumMicros = micros;
  }

  /** The smallest bucket value that at least `fraction` (0 to 1) of the values do not exceed, in microseconds; 0 without values. */
  quantileMicros(fraction: number): number {
    const wanted = Math.ceil(this.total * fraction);
    let seen = 0;
    for (let bucket = 0; bucket < bucketCount; bucket += 1) {
      seen += this.counts[bucket] ?? 0;
      if (seen >= wanted && seen > 0) return Math.min(bucketMicros(bucket), this.maximumMicros);
    }
    return 0;
  }

  summary(): LatencySummary {
    return { p50Micros: this.quantileMicros(0.5), p99Micros: this.quantileMicros(0.99), maximumMicros: this.maximumMicros };
  }
}

function bucketMicros(bucket: number): number {
  const shift = Math.max(0, (bucket >>> subBucketBits) - 1);
  return ((bucket - (shift << subBucketBits)) * 2 ** shift) / stepsPerMicrosecond;
}
