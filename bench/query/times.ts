export interface Times {
  readonly p50: number;
  readonly p95: number;
}

export function timesOf(samples: readonly number[]): Times {
  const sorted = samples.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95) };
}

export function shownMs(ms: number): string {
  return ms.toFixed(1);
}
