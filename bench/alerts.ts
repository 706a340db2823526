import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AlertDefinitions } from '../src/alerts/definitions.ts';
import { Evaluator } from '../src/alerts/evaluator.ts';
import { openMigratedMetadata } from '../src/metadata/migrate.ts';
import type { Uuid } from '../src/model/ids.ts';
import { openEvents } from '../src/events/database/database.ts';
import { systemClock } from '../src/platform/clock.ts';
import { batchesOf } from '../src/query/alerts/statement.ts';
import { rangesAt } from '../src/query/alerts/windows.ts';
import type { Connections } from '../src/store/engine/connections.ts';
import { openConnections } from '../src/store/engine/open-connections.ts';
import { makeInsertRows } from '../src/store/insert/insert.ts';
import { newRowWriters, rowsOf } from '../src/store/insert/rows.ts';
import { makeRunStatement } from '../src/store/read/run-statement.ts';
import { migrateStore } from '../src/store/schema/migrate.ts';
import { type RuleKind, ruleKinds } from './alerts/rules.ts';
import { describeMachine } from './measure/machine.ts';
import { progress, untilMerged } from './query/fill.ts';
import { recordAt, tenant } from './query/records.ts';
import { openOurs } from './query/sides.ts';
import { shownMs, timesOf } from './query/times.ts';

/** Measures a thousand rules over a million records of a day, and the newest ten requests beside them. */

const helpText = `Measures how long a thousand rules take to be evaluated, and what somebody who looks at the newest requests notices of it.

Usage: npm run bench -- alerts [options]

  --records N   stored records of one day (default 1000000); a tenth as many of the nine days before it are beside them
  --rounds N    evaluations of all rules (default 20), after two that are thrown away
  --help        this text

The rules are measured one evaluation after the other, without a pause, which is harder than every ten seconds. Exit code 0: measured; 1: it failed.`;

const dayMs = 86_400_000;
const daysBefore = 9;
const end = Date.UTC(2026, 6, 1);
const batchRows = 5000;
const intervalMs = 10_000;
const aims = { roundMs: 5000, timesIdle: 2 } as const;

/** Spreads records over a day, and a tenth as many over the days before it. Only the newest have bodies. */
async function fill(connections: Connections, records: number): Promise<void> {
  const insert = makeInsertRows(connections);
  const before = Math.floor(records / 10);
  const all = before + records;
  const timeOf = (number: number): number =>
    number < before
      ? end - (1 + daysBefore) * dayMs + Math.floor((number * daysBefore * dayMs) / before)
      : end - dayMs + Math.floor(((number - before) * dayMs) / records);
  for (let first = 0; first < all; first += batchRows) {
    const batch = Array.from({ length: Math.min(batchRows, all - first) }, (_, index) => ({
      ...recordAt(first + index, all, tenant),
      createdAt: timeOf(first + index),
    }));
    const writers = newRowWriters();
    const rows = batch.map((record) => rowsOf(record, record.createdAt, { writers }));
    if (first + 2 * batchRows >= all) {
      await insert(
        'bodies',
        rows.map(({ bodies }) => bodies),
        `${first}-bodies`,
      );
    }
    await insert(
      'requests',
      rows.map(({ request }) => request),
      `${first}-requests`,
    );
    if ((first / batchRows) % 20 === 19) progress(`stored ${first + batch.length} of ${all}`);
  }
}

/** Asks for the newest ten again and again while work runs. @returns milliseconds of each answer. */
async function newestDuring(connections: Connections, work: () => Promise<void>): Promise<readonly number[]> {
  const ours = openOurs(connections);
  const samples: number[] = [];
  const ended = { is: false };
  const asking = (async () => {
    while (!ended.is) {
      const since = performance.now();
      await ours.answer({ filter: {}, limit: 10 });
      samples.push(performance.now() - since);
      // As one who clicks; the other work goes on meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  await work();
  ended.is = true;
  await asking;
  return samples;
}

interface Scene {
  readonly name: string;
  readonly evaluator: Evaluator;
  readonly statements: number;
  readonly rules: number;
}

async function openScene(
  folder: string,
  connections: Connections,
  kinds: readonly RuleKind[],
  name: string,
): Promise<Scene & { readonly close: () => Promise<void> }> {
  const metadata = await openMigratedMetadata(folder, 'core', () => end);
  const definitions = await AlertDefinitions.open(metadata);
  let made = 0;
  for (const { name: kind, rules } of kinds) {
    for (const [index, rule] of rules.entries()) {
      made += 1;
      const id = `01970000-0000-7000-8000-${made.toString(16).padStart(12, '0')}` as Uuid;
      const named = { ...rule, name: `${kind} ${index}` };
      await definitions.add({
        id,
        organizationId: tenant,
        rule: named,
        channels: [],
        limitPolicy: null,
        offered: false,
        createdAt: end,
        changedAt: end,
      });
    }
  }
  const events = await openEvents(folder, () => end);
  const evaluator = new Evaluator({
    definitions,
    run: makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 2 ** 31 }),
    events,
    clock: systemClock,
    intervalMs,
    groupsMaxBytes: 32 * 1024 * 1024,
    linkOf: () => '',
    subscribers: () => [],
    outbox: { wake: () => undefined },
    observe: (observation) => progress(JSON.stringify(observation)),
    onRound: ({ failed }) => {
      if (failed > 0) throw new Error(`${failed} evaluations failed.`);
    },
  });
  const plans = [...definitions.all()].map((alert) => evaluator.readyOf(alert).plan);
  const statements = batchesOf(plans.map((plan) => ({ plan, ranges: rangesAt(plan, end) }))).length;
  return {
    name,
    evaluator,
    statements,
    rules: made,
    close: async () => {
      await metadata.close();
      await events.close();
    },
  };
}

/** @returns a line of the table. */
async function measure({ name, evaluator, statements, rules }: Scene, connections: Connections, rounds: number): Promise<string> {
  const times: number[] = [];
  const idle = timesOf(await newestDuring(connections, () => new Promise((resolve) => setTimeout(resolve, 5000))));
  const beside = await newestDuring(connections, async () => {
    for (let round = -2; round < rounds; round += 1) {
      const since = performance.now();
      // The records of the day stay within the windows.
      await evaluator.evaluateAt(end + (round - rounds) * intervalMs);
      if (round >= 0) times.push(performance.now() - since);
    }
  });
  const [round, besideTimes] = [timesOf(times), timesOf(beside)];
  const line = `| ${name} | ${rules} | ${statements} | ${(round.p50 / 1000).toFixed(2)} | ${(Math.max(...times) / 1000).toFixed(2)} | ${shownMs(idle.p95)} | ${shownMs(besideTimes.p95)} | ${(besideTimes.p95 / idle.p95).toFixed(2)} |`;
  progress(line);
  return line;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { records: { type: 'string' }, rounds: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help === true) {
    process.stdout.write(`${helpText}\n`);
    return;
  }
  const [records, rounds] = [Number(values.records ?? 1_000_000), Number(values.rounds ?? 20)];
  const machine = describeMachine(process.cwd());
  const folder = mkdtempSync(join(tmpdir(), 'gatelog-bench-alerts-'));
  const connections = openConnections({ folder: join(folder, 'store') });
  try {
    await migrateStore(connections, () => undefined);
    await fill(connections, records);
    progress('waiting for merges');
    await untilMerged(connections);
    const lines = [
      `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
      `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
      `${records} records of one day, a tenth as many of the ${daysBefore} days before; ${rounds} evaluations of all rules`,
      '',
      '| rules | how many | statements | evaluation p50 s | longest s | newest 10 p95 ms, idle | beside it | times |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ];
    const scenes = [...ruleKinds.map((kind) => [kind.name, [kind]] as const), ['all of these', ruleKinds] as const];
    for (const [index, [name, kinds]] of scenes.entries()) {
      const scene = await openScene(join(folder, String(index)), connections, kinds, name);
      lines.push(await measure(scene, connections, rounds));
      await scene.close();
    }
    lines.push('', `Aims: an evaluation of all ${aims.roundMs / 1000} s at most, newest 10 at most ${aims.timesIdle} times as long.`);
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
