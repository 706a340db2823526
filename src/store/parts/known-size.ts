import { setTimeout as wait } from 'node:timers/promises';
import type { Connections } from '../engine/connections.ts';

/** What the tables of the store are made of. */
export interface StoreSize {
  /** Active parts. */
  readonly parts: number;
  /** Merges and mutations that run. */
  readonly merges: number;
  /** Of the active parts, on the disk. */
  readonly bytes: number;
}

type SizeRow = Readonly<Record<keyof StoreSize, number | string>>;

/** The engine goes through all parts for an answer: it is asked at most so often, and only when somebody wants to know. */
const maxAgeMs = 30_000;
/** A caller waits this long for the engine's answer. */
const waitMs = 300;

const sizeQuery = `SELECT count() AS parts, sum(bytes_on_disk) AS bytes,
  (SELECT count() FROM system.merges WHERE database = currentDatabase()) AS merges
  FROM system.parts WHERE database = currentDatabase() AND active`;

/** The size of the store, as of at most half a minute ago. */
export class KnownSize {
  private readonly ask: () => Promise<StoreSize>;
  private readonly monotonic: () => number;
  private known: { readonly size: StoreSize; readonly at: number } | undefined;
  private asking: Promise<void> | undefined;
  private askedAt = -Infinity;

  /** @param ask asks the store; may reject. @param monotonic milliseconds. */
  constructor(ask: () => Promise<StoreSize>, monotonic: () => number) {
    this.ask = ask;
    this.monotonic = monotonic;
  }

  /** @returns undefined while the store does not say. */
  async read(): Promise<StoreSize | undefined> {
    if (this.asking === undefined && this.monotonic() - this.askedAt >= maxAgeMs) {
      this.askedAt = this.monotonic();
      this.asking = this.renew();
    }
    if (this.asking !== undefined) await Promise.race([this.asking, wait(waitMs, undefined, { ref: false })]);
    const { known } = this;
    return known === undefined || this.monotonic() - known.at >= 2 * maxAgeMs ? undefined : known.size;
  }

  private async renew(): Promise<void> {
    try {
      const size = await this.ask();
      this.known = { size, at: this.monotonic() };
    } catch {
      this.known = undefined;
    } finally {
      this.asking = undefined;
    }
  }
}

export function makeKnownSize(connections: Connections, monotonic: () => number = () => performance.now()): KnownSize {
  return new KnownSize(async () => {
    const [row] = await connections.run('control', async (client) =>
      (await client.query({ query: sizeQuery, format: 'JSONEachRow' })).json<SizeRow>(),
    );
    return { parts: Number(row?.parts), merges: Number(row?.merges), bytes: Number(row?.bytes) };
  }, monotonic);
}
