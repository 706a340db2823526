import { eventually } from './eventually.ts';

/**
 * How many calls the metrics count as not, or not surely, on record, as soon as they have this many calls in all. A worker tells both numbers at once, so
 * they belong together.
 */
export async function unrecordedOnceCounted(api: string, calls: number): Promise<number> {
  return eventually(`the metrics to have ${calls} calls`, async () => {
    const page = await (await fetch(`${api}/metrics`)).text();
    return sumOf(page, 'gatelog_gateway_calls_total') === calls ? sumOf(page, 'gatelog_gateway_unrecorded_total') : undefined;
  });
}

/** A counter, its labels and processes added up. */
function sumOf(page: string, name: string): number {
  const values = [...page.matchAll(/^(\w+)\{[^}]*\} (\S+)$/gm)].filter(([, series]) => series === name);
  return values.reduce((sum, [, , value]) => sum + Number(value), 0);
}
