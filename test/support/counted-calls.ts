import { eventually } from './eventually.ts';

/**
 * The number of calls that the metrics count as not, or not surely, recorded, once they count this many calls in all. A worker reports
 * both counters at once, so they are consistent.
 */
export async function unrecordedOnceCounted(api: string, calls: number): Promise<number> {
  return eventually(`the metrics to have ${calls} calls`, async () => {
    const page = await (await fetch(`${api}/metrics`)).text();
    return sumOf(page, 'gatelog_gateway_calls_total') === calls ? sumOf(page, 'gatelog_gateway_unrecorded_total') : undefined;
  });
}

/** A counter, summed over labels and processes. */
function sumOf(page: string, name: string): number {
  const values = [...page.matchAll(/^(\w+)\{[^}]*\} (\S+)$/gm)].filter(([, series]) => series === name);
  return values.reduce((sum, [, , value]) => sum + Number(value), 0);
}
