import type { Hono } from 'hono';
import { type CoreRig, type ExchangeSketch, type IngestRig, SpoolRig, until } from '../../ingest/testing/ingest-harness.ts';
import { StoredOrder } from '../../ingest/batch/stored-order.ts';
import { systemClock } from '../../platform/clock.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import { createApi } from '../app.ts';
import type { ApiPorts } from '../endpoint/ports.ts';
import { Streams, type StreamsOptions } from '../stream/streams.ts';
import { callApi, portsOver } from './api-harness.ts';
import { StreamReader, streamPath } from './event-stream.ts';

/** A core with an API over a spool of its own. */
export class StreamScene {
  readonly rig: IngestRig;
  readonly spool: SpoolRig;
  readonly writer: SpoolWriter;
  readonly order: StoredOrder;
  readonly streams: Streams;
  readonly core: CoreRig;
  readonly ports: ApiPorts;
  readonly api: Hono;

  private constructor(parts: Pick<StreamScene, 'rig' | 'spool' | 'order' | 'streams' | 'core' | 'ports'>) {
    this.rig = parts.rig;
    this.spool = parts.spool;
    this.writer = parts.spool.openWriter();
    this.order = parts.order;
    this.streams = parts.streams;
    this.core = parts.core;
    this.ports = parts.ports;
    this.api = createApi(parts.ports, () => ({}));
  }

  static async open(rig: IngestRig, given: Partial<StreamsOptions> = {}, maxRows = 1000): Promise<StreamScene> {
    const spool = new SpoolRig(rig);
    const order = new StoredOrder((await rig.store.latestStoredNumber()) ?? 0);
    const streams = new Streams({ order, max: 100, aliveMs: 60_000, monotonic: systemClock.monotonic, ...given });
    const core = await spool.openCore({ storedOrder: order, limits: { maxRows, maxBytes: 1e9 } });
    const ports = await portsOver(rig, spool, [], { core });
    const verifyKey: ApiPorts['verifyKey'] = async (keyHash) => {
      const principal = await ports.verifyKey(keyHash);
      return principal && { ...principal, keyHash };
    };
    core.drain.start();
    return new StreamScene({ rig, spool, order, streams, core, ports: { ...ports, verifyKey, streams } });
  }

  call(path: string, headers: Record<string, string> = {}, api = this.api): Promise<Response> {
    return callApi(api, { method: 'GET', path }, { headers });
  }

  async view(
    filter?: unknown,
    parameters: Readonly<Record<string, string>> = {},
    headers: Record<string, string> = {},
  ): Promise<StreamReader> {
    const reader = new StreamReader(await this.call(streamPath(filter, parameters), headers));
    await reader.until(() => reader.lastPosition !== '');
    return reader;
  }

  /** Writes an exchange. @returns its identifier. */
  write(sketch: ExchangeSketch = {}): Promise<string> {
    return this.spool.write(this.writer, sketch);
  }

  async stored(count: number): Promise<void> {
    const text = `SELECT count() AS total FROM requests WHERE org_id = {tenant:UInt128} AND stored_number <= `;
    await until(async () => Number((await this.spool.read<{ total: number }>(text + String(this.order.through)))[0]?.total) >= count);
  }

  async close(): Promise<void> {
    this.streams.stop();
    await this.core.drain.stop(10_000);
  }
}

export const ofTeam = (name: string) => ({ request_response_rmt: { properties: { Team: { equals: name } } } });
export const team = (name: string, more: object = {}): ExchangeSketch => ({
  open: { tags: { properties: [{ name: 'Team', value: name }], ...more } },
});
