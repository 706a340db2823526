import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openConnections } from '../src/store/engine/open-connections.ts';
import { migrateStore } from '../src/store/schema/migrate.ts';
import { describeMachine } from './measure/machine.ts';
import { compareMetrics } from './metrics/compare.ts';
import { measureValues } from './metrics/values.ts';
import { fill, progress, untilMerged } from './query/fill.ts';

/** Compares metrics with SQL written by hand, on one store in one run. */

const helpText = `Measures metrics beside hand-written SQL that has a table of its own, and values of a property as one types, on a store of its own.

Usage: npm run bench -- metrics [options]

  --records N   stored records (default 1000000), a million to thirty days
  --calls N     measured calls of each question and side (default 40), after a third as many that are thrown away
  --help        this text

HTTP is not measured. Exit code 0: measured; 1: it failed, or the two sides gave different answers.`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { records: { type: 'string' }, calls: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help === true) {
    process.stdout.write(`${helpText}\n`);
    return;
  }
  const [records, calls] = [Number(values.records ?? 1_000_000), Number(values.calls ?? 40)];
  const machine = describeMachine(process.cwd());
  const folder = mkdtempSync(join(tmpdir(), 'gatelog-bench-metrics-'));
  const connections = openConnections({ folder });
  try {
    await migrateStore(connections, () => undefined);
    await fill(connections, records, false);
    progress('waiting for merges');
    await untilMerged(connections);
    const lines = [
      `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
      `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
      `${records} records of the organisation that asks, ${Math.floor(records / 10)} of another; ${calls} calls of each question and side`,
      '',
      ...(await compareMetrics(connections, { records, calls })),
      '',
      ...(await measureValues(connections, { records, calls })),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    await connections.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
});
