import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCheckpointFile } from '../../src/spool/checkpoint.ts';
import { openSpoolWriter, type SpoolWriter } from '../../src/spool/writer.ts';
import { SpoolGauge } from './spool-gauge.ts';

describe('the gauge of a spool', () => {
  let folder: string;
  let writer: SpoolWriter;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gatelog-gauge-'));
    writer = openSpoolWriter({
      folder,
      series: 'series-1',
      segmentMaxBytes: 4096,
      segmentMaxMs: 60_000,
      sync: 'interval',
      syncIntervalMs: 1000,
      onFailure: (error) => expect.fail(error.message),
      monotonic: () => performance.now(),
    });
  });

  afterEach(async () => {
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const append = (bytes: number): Promise<void> =>
    new Promise((resolve) => {
      const stream = writer.newStream();
      writer.append(stream, 1, Buffer.alloc(bytes));
      writer.whenWritten(stream, () => resolve());
    });

  it('tells what was written since it looked first, and that all of it waits', async () => {
    await append(100);
    const gauge = new SpoolGauge(folder);
    const before = gauge.read();
    await append(1000);
    const after = gauge.read();
    expect(before.writtenBytes).toBe(0);
    expect(after.writtenBytes).toBe(1000 + 28);
    expect(after.waitingBytes - before.waitingBytes).toBe(1000 + 28);
  });

  it('counts what stands behind the accepted place, over several segments', async () => {
    const gauge = new SpoolGauge(folder);
    for (let index = 0; index < 10; index += 1) await append(1000);
    const { waitingBytes } = gauge.read();
    openCheckpointFile(folder).save({ lastBatch: 1, accepted: { 'series-1': { segment: 1, offset: 16 + 1028 } } });
    expect(gauge.read().waitingBytes).toBe(waitingBytes - 16 - 1028);
    openCheckpointFile(folder).save({ lastBatch: 2, accepted: { 'series-1': { segment: 99, offset: 0 } } });
    expect(gauge.read().waitingBytes).toBe(0);
  });
});
