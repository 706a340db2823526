/** Numbers of `GET /metrics`, by the whole name of their series. */
export type Numbers = ReadonlyMap<string, number>;

/** What the service itself says about its waits; it is asked without a key. */
export async function numbersOf(api: string): Promise<Numbers> {
  const text = await (await fetch(`${api}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** Where the time of a stretch went: one line each for processors, event loops, the store's lanes and the API's calls. */
export function waitLines(before: Numbers, after: Numbers): readonly string[] {
  const grown = new Map([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]));
  const histograms = histogramsOf(grown);
  const lines = (metric: string, label: string): string =>
    [...histograms]
      .filter(([name, { count }]) => name.startsWith(`${metric}{`) && count > 0)
      .map(([name, histogram]) => `${labelOf(name, label)} ${shown(histogram)}`)
      .join(', ');
  const cpu = [...grown]
    .filter(([name]) => name.startsWith('gatelog_process_cpu_seconds_total'))
    .map(([name, seconds]) => `${labelOf(name, 'process')} ${seconds.toFixed(1)} s`);
  return [
    `processors: ${cpu.join(', ')}`,
    `event loops, the longest delay of each second: ${lines('gatelog_process_event_loop_delay_seconds', 'process')}`,
    `waits for the store: ${lines('gatelog_store_wait_seconds', 'lane')}`,
    `calls of the API: ${lines('gatelog_api_request_seconds', 'endpoint')}`,
  ];
}

interface Histogram {
  count: number;
  /** Cumulative counts by their upper bound in seconds, ascending. */
  readonly buckets: (readonly [bound: number, count: number])[];
}

function histogramsOf(grown: Numbers): ReadonlyMap<string, Histogram> {
  const histograms = new Map<string, Histogram>();
  for (const [name, count] of grown) {
    const [, metric, labels = ''] = /^(\w+)_bucket\{(.*)\}$/.exec(name) ?? [];
    const [, bound] = /(?:^|,)le="([^"]+)"/.exec(labels) ?? [];
    if (metric === undefined || bound === undefined) continue;
    const own = `${metric}{${labels.replace(/,?le="[^"]+"/, '')}}`;
    const histogram = histograms.get(own) ?? { count: 0, buckets: [] };
    histogram.buckets.push([bound === '+Inf' ? Infinity : Number(bound), count]);
    histogram.count = Math.max(histogram.count, count);
    histograms.set(own, histogram);
  }
  for (const { buckets } of histograms.values()) buckets.sort(([left], [right]) => left - right);
  return histograms;
}

/** How many, and the bounds that half of them and all but a hundredth stayed below. */
function shown({ count, buckets }: Histogram): string {
  const below = (share: number): string => {
    const bound = buckets.find(([, sum]) => sum >= count * share)?.[0] ?? Infinity;
    return Number.isFinite(bound) ? `≤ ${Math.round(bound * 1000)} ms` : 'above all bounds';
  };
  return `${count} × p50 ${below(0.5)} p99 ${below(0.99)}`;
}

function labelOf(name: string, label: string): string {
  return new RegExp(`${label}="([^"]*)"`).exec(name)?.[1] ?? name;
}
