import { StoredValues } from '../../src/api/parts/stored-values.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { RowChanges } from '../../src/store/read/row-changes.ts';
import { makeRunStatement } from '../../src/store/read/run-statement.ts';
import { arrivalOf, tenant } from '../query/records.ts';
import { shownMs, timesOf } from '../query/times.ts';

/** Somebody types a value of a property: one search a key. */
const typed = ['t', 'te', 'tea', 'team', 'team-', 'team-4', 'team-42'];
const aimMs = 50;

/** Before each key: nothing; a new record of the newest hour; a new process, which has read no values yet. */
const situations = ['nothing new', 'newest hour changed', 'first search of a process'] as const;

/** Values of a property as one types. @returns lines of a table. @throws Error when a search finds other values than it must. */
export async function measureValues(
  connections: Connections,
  { records, calls }: { readonly records: number; readonly calls: number },
): Promise<string[]> {
  const run = makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 2 ** 30 });
  const changes = new RowChanges();
  const latest = arrivalOf(records - 1);
  const fresh = (): StoredValues => new StoredValues({ run, changes, now: () => latest });
  const kept = fresh();
  const lines = ['| values of a property as one types | p50 ms | p95 ms | aim for p95 ms |', '| --- | ---: | ---: | ---: |'];
  for (const situation of situations) {
    const samples: number[] = [];
    for (let call = -Math.ceil(calls / 3); call < calls; call += 1) {
      for (const term of typed) {
        if (situation === 'newest hour changed') changes.markRow(tenant, latest);
        const values = situation === 'first search of a process' ? fresh() : kept;
        const start = performance.now();
        const found = await values.search(tenant, 'Team', term);
        if (call >= 0) samples.push(performance.now() - start);
        if (!found.includes('team-42') && term.startsWith('team-4')) throw new Error(`A search for ${term} does not find team-42.`);
      }
    }
    const { p50, p95 } = timesOf(samples);
    lines.push(`| ${situation} | ${shownMs(p50)} | ${shownMs(p95)} | ${situation === 'first search of a process' ? '–' : aimMs} |`);
  }
  return lines;
}
