import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Meter } from '../../platform/metrics/meter.ts';
import type { WriteCallback } from '../../spool/write-batch.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import { IncomingRequest } from '../http/incoming-request.ts';
import { gatewayFamilies, GatewayMeter } from '../observation/metrics.ts';
import { recorderOn } from '../testing/recorder-harness.ts';
import { Relay } from '../relay/relay.ts';
import { UnpackingTime } from '../relay/unpacking-time.ts';

/** A writer that has written nothing until it says so. */
class LateWriter implements SpoolWriter {
  readonly series = 'one';
  private readonly waiting: WriteCallback[] = [];

  newStream(): number {
    return 1;
  }
  append(): void {
    // Nobody reads it.
  }
  whenWritten(_stream: number, settled: WriteCallback): void {
    this.waiting.push(settled);
  }
  bytes(): number {
    return 0;
  }
  async close(): Promise<void> {
    // Nothing is open.
  }
  writeAll(): void {
    for (const settled of this.waiting.splice(0)) settled(true);
  }
}

it('chunks that wait for the spool leave in their order, and each costs the same however many wait', async () => {
  const count = 200_000;
  const writer = new LateWriter();
  const recorder = recorderOn(writer, 1024);
  const response = new ServerResponse(new IncomingRequest(new Socket()));
  const delivered: number[] = [];
  response.write = (chunk: Buffer) => delivered.push(chunk.readUInt32LE()) > 0;
  const meter = new GatewayMeter(new Meter(gatewayFamilies));
  const relay = new Relay({
    response,
    recorder,
    meter,
    method: 'POST',
    responseHeaders: [],
    hidesUsage: false,
    clientStallMs: 1000,
    provider: 'openai',
    target: undefined,
    publicUrl: undefined,
    unpacking: new UnpackingTime(() => 0).of('a'),
  });
  recorder.begin();
  relay.start(200, ['content-type', 'text/event-stream', 'content-encoding', 'gzip'], '');
  for (let index = 0; index < count; index += 1) {
    const chunk = Buffer.alloc(4);
    chunk.writeUInt32LE(index);
    relay.data(chunk);
  }
  // The gate asks the spool for what it holds after everything from one read.
  await Promise.resolve();
  const moved = itemsMoved(() => writer.writeAll());
  expect(delivered).toEqual(Array.from({ length: count }, (_, index) => index));
  expect(moved).toBeLessThan(4 * count);
});

/** How many items of lists are moved to other places, or out, while something runs: what its time depends on. */
function itemsMoved(run: () => void): number {
  let moved = 0;
  const prototype: { shift: unknown; splice: unknown } = Array.prototype;
  const { shift, splice } = Array.prototype;
  prototype.shift = function (this: unknown[]): unknown {
    moved += this.length;
    return shift.call(this) as unknown;
  };
  prototype.splice = function (this: unknown[], ...places: [number, number]): unknown[] {
    moved += this.length;
    return splice.apply(this, places) as unknown[];
  };
  try {
    run();
  } finally {
    Object.assign(prototype, { shift, splice });
  }
  return moved;
}
