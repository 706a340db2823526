import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatelogError } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import type { InsertRows } from '../../store/insert/insert.ts';
import type { Drain } from '../drain.ts';
import { type IngestRig, openRig, SpoolRig, written } from '../testing/ingest-harness.ts';
import type { RequestChanges } from './request-changes.ts';
import { byLength } from '../../../test/support/test-length.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

/** What may happen next. `pause` lets other work run for so many turns of the event loop; `restart` stops the ingest at once. */
const steps = array(
  record({ kind: constantFrom('open', 'end', 'put', 'put', 'put', 'pause', 'restart', 'away', 'back'), which: nat(50) }),
  { minLength: 5, maxLength: 40 },
);

interface ExchangeInFlight {
  readonly id: RequestId;
  readonly stream: number;
  ended: boolean;
}

/** One random life of a spool: exchanges come and end, changes race the drain, the ingest restarts and the store goes away. */
class Life {
  readonly spool = new SpoolRig(rig);
  readonly expected = new Map<RequestId, Map<string, string>>();
  private readonly writer: SpoolWriter = this.spool.openWriter(4096);
  private readonly exchanges: ExchangeInFlight[] = [];
  private readonly puts: Promise<void>[] = [];
  private storeIsAway = false;
  private core: { drain: Drain; changer: RequestChanges } | undefined;
  private count = 0;

  async step(kind: string, which: number): Promise<void> {
    if (kind === 'open') await this.open();
    else if (kind === 'end') await this.end(this.exchanges[which % Math.max(1, this.exchanges.length)]);
    else if (kind === 'put') this.put(this.exchanges[which % Math.max(1, this.exchanges.length)]);
    else if (kind === 'restart') await this.restart();
    else if (kind === 'pause') for (let turn = 0; turn < which; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    else this.storeIsAway = kind === 'away';
  }

  async finish(): Promise<void> {
    this.storeIsAway = false;
    for (const exchange of this.exchanges) await this.end(exchange);
    await Promise.all(this.puts);
    await this.core?.drain.stop(10_000);
    await this.spool.killWriter(this.writer);
  }

  private async open(): Promise<void> {
    const stream = this.writer.newStream();
    const id = this.spool.writeOpen(this.writer, stream, { tags: { properties: [{ name: 'first', value: 'tag' }] } });
    await written(this.writer);
    this.exchanges.push({ id, stream, ended: false });
    this.expected.set(id, new Map([['first', 'tag']]));
  }

  private async end(exchange: ExchangeInFlight | undefined): Promise<void> {
    if (exchange === undefined || exchange.ended) return;
    exchange.ended = true;
    this.spool.writeRest(this.writer, exchange.stream, {});
    await written(this.writer);
  }

  private put(exchange: ExchangeInFlight | undefined): void {
    if (exchange === undefined || this.core === undefined) return;
    this.count += 1;
    const name = `name-${this.count}`;
    const { core } = this;
    const settled = core.changer.change(this.spool.principal, exchange.id, { kind: 'property', values: new Map([[name, name]]) }).then(
      () => {
        // An ingest that was stopped meanwhile has closed its connections: its answer reaches nobody.
        if (core === this.core) this.expected.get(exchange.id)?.set(name, name);
      },
      (error: unknown) => {
        if (core === this.core && !(error instanceof GatelogError && error.code === 'store_unavailable')) throw error;
      },
    );
    this.puts.push(settled);
  }

  private async restart(): Promise<void> {
    const last = this.core;
    this.core = undefined;
    await last?.drain.stop(0);
    const insert: InsertRows = async (table, rows, token) => {
      if (this.storeIsAway) throw new GatelogError('store_unavailable', 'away');
      await rig.store.insert(table, rows, token);
    };
    this.core = await this.spool.openCore({ insert, limits: { maxRows: 3, maxBytes: 1e6 } });
    Object.assign((this.core.changer as unknown as { ports: object }).ports, { storeWaitMs: 1000 });
    this.core.drain.start();
  }
}

test('every acknowledged change is there in the end, with one entry in the history, and every record once', async () => {
  const property = asyncProperty(steps, async (sequence) => {
    const life = new Life();
    await life.step('restart', 0);
    for (const { kind, which } of sequence) await life.step(kind, which);
    await life.finish();
    const rows = await life.spool.rows();
    const found = new Map(rows.map((row) => [row.id, row.properties]));
    expect(rows).toHaveLength(life.expected.size);
    for (const [id, properties] of life.expected) expect(found.get(id)).toMatchObject(Object.fromEntries(properties));
    const history = await life.spool.read<{ name: string }>('SELECT name FROM changes WHERE org_id = {tenant:UInt128}');
    const names = history.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const acknowledged = [...life.expected.values()].flatMap((properties) => [...properties.keys()]).filter((name) => name !== 'first');
    expect(names).toEqual(expect.arrayContaining(acknowledged));
  });
  // A failure prints its seed and path.
  await assert(property, { numRuns: byLength(8, 20), seed: 20_260_731, endOnFailure: true });
});
