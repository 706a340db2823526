import type { RequestRecord } from '../../src/model/record/request-record.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { openConnections } from '../../src/store/engine/open-connections.ts';
import { startEngineThreads } from '../../src/store/engine/engine-threads.ts';
import { before } from './store-v10.ts';
import type { TimedAnswer, Command, Inserted, Opened, CommandOutcome, Results, Work } from './command.ts';
import { now } from './now.ts';
import { batchesOf } from './traffic/records.ts';
import { scenarios } from './traffic/scenarios.ts';
import type { OpenSide, Question } from './side.ts';
import { mergeCounts, mergeWhole, settle, storedBytes } from './tables.ts';

/** One store in a process of its own, since a process can open one, and since what a process takes of the CPU is then its store's alone. */
class SideStore {
  private readonly connections: Connections;
  private readonly side: OpenSide;
  private readonly batches: (readonly RequestRecord[])[];
  /** When the first insert began. */
  private startCpuMs: number | undefined;

  private constructor(connections: Connections, side: OpenSide, batches: (readonly RequestRecord[])[]) {
    this.connections = connections;
    this.side = side;
    this.batches = batches;
  }

  static async open({ side, scenario: name, calls, batchRows, folder }: Extract<Command, { kind: 'open' }>): Promise<SideStore> {
    const scenario = scenarios.find((one) => one.name === name);
    if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
    const connections = openConnections({ folder });
    await startEngineThreads(connections);
    const open = await { before, now }[side].open(connections);
    return new SideStore(connections, open, batchesOf(scenario, calls, batchRows));
  }

  opened(): Opened {
    return { batches: this.batches.length };
  }

  /** @param number of the batch, which is let go of. */
  async insert(number: number): Promise<Inserted> {
    const records = this.batches[number];
    if (records === undefined) throw new Error(`There is no batch ${number}.`);
    this.batches[number] = [];
    const cpuMs = usedCpuMs();
    this.startCpuMs ??= cpuMs;
    const start = performance.now();
    await this.side.insert(records, `batch-${number}`);
    return { rows: records.length, ms: performance.now() - start, cpuMs: usedCpuMs() - cpuMs };
  }

  /** Everything since the first insert. */
  async settle(): Promise<Work> {
    await settle(this.connections);
    return { cpuMs: usedCpuMs() - (this.startCpuMs ?? 0), merges: await mergeCounts(this.connections) };
  }

  async merge(): Promise<Work> {
    const [cpuMs, counts] = [usedCpuMs(), await mergeCounts(this.connections)];
    await mergeWhole(this.connections);
    const after = await mergeCounts(this.connections);
    const merges = {
      mergedRows: after.mergedRows - counts.mergedRows,
      mergedBytes: after.mergedBytes - counts.mergedBytes,
      mergeMs: after.mergeMs - counts.mergeMs,
    };
    return { cpuMs: usedCpuMs() - cpuMs, merges };
  }

  stored(): Promise<Results['stored']> {
    return storedBytes(this.connections);
  }

  async ask(question: Question): Promise<TimedAnswer> {
    const start = performance.now();
    const { ids, characters } = await this.side.ask(question);
    return { ms: performance.now() - start, ids, characters };
  }
}

function usedCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let store: SideStore | undefined;

async function run(command: Command): Promise<Results[Command['kind']]> {
  if (command.kind === 'open') {
    store = await SideStore.open(command);
    return store.opened();
  }
  if (store === undefined) throw new Error('The store is not open.');
  switch (command.kind) {
    case 'insert':
      return store.insert(command.batch);
    case 'settle':
      return store.settle();
    case 'merge':
      return store.merge();
    case 'stored':
      return store.stored();
    case 'ask':
      return store.ask(command.question);
  }
}

function respond(message: CommandOutcome): void {
  process.send?.(message);
}

process.on('message', (command: Command) => {
  void run(command).then(
    (result) => respond({ result }),
    (cause: unknown) => respond({ failure: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }),
  );
});
process.on('disconnect', () => process.exit(0));
