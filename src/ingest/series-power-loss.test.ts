import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { SeededRandom } from '../../test/support/seeded-random.ts';
import { watchDisk, WatchedDisk } from '../spool/testing/simulated-disk.ts';

let disk: WatchedDisk | undefined;
const unwatch = watchDisk(() => disk);
afterAll(unwatch);
// Loaded now, as they take functions of node:fs apart.
const { createSeries } = await import('../spool/series.ts');
const { createSegment } = await import('../spool/segment.ts');
const { frameHeaderBytes, writeFrameHeader: writeFrameHead } = await import('../spool/frame.ts');
const { SeriesReader } = await import('../spool/reader.ts');
const { writeFully } = await import('../platform/files.ts');
const { SeriesTail } = await import('./series/tail.ts');
const { ExchangeIndex } = await import('./series/exchange.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-power-'));
  mkdirSync(path.join(folder, 'disk'));
  disk = new WatchedDisk(path.join(folder, 'disk'));
});
afterEach(() => {
  disk = undefined;
  rmSync(folder, { recursive: true });
});

function frameOf(stream: number): Buffer {
  const payload = Buffer.from(`frame ${stream}`);
  const frame = Buffer.alloc(frameHeaderBytes + payload.length);
  payload.copy(frame, frameHeaderBytes);
  writeFrameHead(frame, 0, { kind: 1, stamp: 0, stream }, payload);
  return frame;
}

function streamsAfterLoss(name: string): number[] {
  const target = path.join(folder, name);
  // Nothing stays but what was synced.
  disk?.cutPower(target, new WorstLuck(1));
  const streams: number[] = [];
  const reader = new SeriesReader(path.join(target, 'spool', 'one'), {
    onFrame: ({ stream }) => streams.push(stream),
    onDamage: () => undefined,
  });
  while (reader.read(100_000) > 0);
  reader.close();
  return streams;
}

class WorstLuck extends SeededRandom {
  override below(): number {
    return 0;
  }
}

test('what the ingest has read and synced is there after a power loss, also in segments whose writer has not synced their names', async () => {
  const spoolFolder = path.join(folder, 'disk', 'spool');
  const { folder: series, lock, descriptor } = createSeries(spoolFolder, 'one');
  const tail = new SeriesTail({
    spoolFolder,
    series: 'one',
    accepted: { segment: 0, offset: 0 },
    frozenTo: undefined,
    inFlight: new ExchangeIndex(),
    observe: () => undefined,
  });
  let open = descriptor;
  const streams: number[] = [];
  for (let round = 1; round <= 6; round += 1) {
    if (round % 2 === 0) open = createSegment(series, round);
    streams.push(round);
    writeFully(open, frameOf(round));
    while (tail.read(100_000) > 0);
    await tail.syncRead();
    expect(streamsAfterLoss(`after-${round}`)).toEqual(streams);
  }
  tail.close();
  lock.release();
});
