import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SeededRandom } from '../../test/support/seeded-random.ts';
import { eventually } from '../../test/support/eventually.ts';
import { watchDisk, WatchedDisk } from './testing/simulated-disk.ts';
import type { SpoolWriter } from './writer.ts';

let disk: WatchedDisk | undefined;
const unwatch = watchDisk(() => disk);
afterAll(unwatch);
// Loaded now, as they take functions of node:fs apart.
const { openSpoolWriter } = await import('./writer.ts');
const { SeriesReader } = await import('./reader.ts');
const { listSeries } = await import('./segment.ts');
const { openCheckpointFile } = await import('./checkpoint.ts');
const { ensureFolder } = await import('../platform/files.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-power-'));
  mkdirSync(path.join(folder, 'disk'));
  disk = new WatchedDisk(path.join(folder, 'disk'));
});
afterEach(() => {
  vi.useRealTimers();
  disk = undefined;
  rmSync(folder, { recursive: true });
});

const seeds = Array.from({ length: 10 }, (_, index) => index + 1);

const syncIntervalMs = 5;

function openWriter(sync: 'always' | 'interval'): SpoolWriter {
  return openSpoolWriter({
    folder: path.join(folder, 'disk', 'spool'),
    series: 'one',
    segmentMaxBytes: 3000,
    segmentMaxMs: 3_600_000,
    sync,
    syncIntervalMs,
    onFailure: (error) => {
      throw error;
    },
    monotonic: () => performance.now(),
  });
}

/** A life of a writer, with a power loss after each of its confirmations. */
async function live(
  sync: 'always' | 'interval',
  random: SeededRandom,
  afterGroup: (confirmed: number, written: number) => void,
): Promise<void> {
  const writer = openWriter(sync);
  for (let stream = 0; stream < 40;) {
    for (let count = 1 + random.below(4); count > 0; count -= 1) writer.append((stream += 1), 1, payloadOf(stream));
    const last = stream;
    await new Promise<void>((resolve) => {
      writer.whenWritten(last, (written) => {
        expect(written).toBe(true);
        afterGroup(last, stream);
        resolve();
      });
    });
  }
  await writer.close();
}

function payloadOf(stream: number): Buffer {
  return Buffer.alloc(20 + ((stream * 37) % 700), `${stream} `);
}

/** What can be read after a power loss now; anything that was not written is an error. */
function readAfterLoss(random: SeededRandom, name: string): number[] {
  const target = path.join(folder, name);
  disk?.cutPower(target, random);
  const streams: number[] = [];
  const spool = path.join(target, 'spool');
  for (const series of readable(spool)) {
    const reader = new SeriesReader(path.join(spool, series), {
      onFrame: (frame, payload) => {
        expect(payload.equals(payloadOf(frame.stream))).toBe(true);
        streams.push(frame.stream);
      },
      onDamage: () => undefined,
    });
    reader.checkWriterGone();
    while (!reader.isEnded()) reader.read(100_000);
    reader.close();
  }
  expect(streams).toEqual([...new Set(streams)].toSorted((left, right) => left - right));
  return streams;
}

function readable(spool: string): string[] {
  try {
    return listSeries(spool);
  } catch {
    return [];
  }
}

/** The power loss that takes all that was not synced. */
class WorstLuck extends SeededRandom {
  override below(): number {
    return 0;
  }
}

/** Appends some frames, in several groups. @returns the last of them, once all are written. */
async function appendSome(writer: SpoolWriter, from: number, random: SeededRandom): Promise<number> {
  let last = from;
  for (let groups = 1 + random.below(4); groups > 0; groups -= 1) {
    for (let count = 1 + random.below(4); count > 0; count -= 1) writer.append((last += 1), 1, payloadOf(last));
    const stream = last;
    const isWritten = await new Promise<boolean>((resolve) => {
      writer.whenWritten(stream, resolve);
    });
    expect(isWritten).toBe(true);
  }
  return last;
}

/** Frames that were confirmed and are missing after any of the losses. */
async function lostOf(sync: 'always' | 'interval', seed: number): Promise<number> {
  const random = new SeededRandom(seed);
  let [losses, missing] = [0, 0];
  await live(sync, random, (confirmed) => {
    losses += 1;
    const streams = new Set(readAfterLoss(random, `after-${losses}`));
    for (let stream = 1; stream <= confirmed; stream += 1) if (!streams.has(stream)) missing += 1;
  });
  return missing;
}

describe('power loss of the spool', () => {
  test.each(seeds)('what was synced is read, and nothing is read that was not written: always, seed %i', async (seed) => {
    expect(await lostOf('always', seed)).toBe(0);
  });

  test.each(seeds.slice(0, 4))(
    'nothing is read that was not written, and once the writer is closed all of it is: interval, seed %i',
    async (seed) => {
      await lostOf('interval', seed);
      expect(readAfterLoss(new SeededRandom(seed), 'at-last').length).toBeGreaterThanOrEqual(40);
    },
  );

  test.each(seeds)(
    'what was written before a timed sync is read, and at most what came after it is lost: interval, seed %i',
    async (seed) => {
      // Only the sync's own timer stands still: it comes when this test says.
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const random = new SeededRandom(seed);
      const writer = openWriter('interval');
      let losses = 0;
      const readAfter = (luck: SeededRandom): readonly number[] => {
        losses += 1;
        return readAfterLoss(luck, `after-${losses}`);
      };
      for (let round = 0, written = 0; round < 5; round += 1) {
        const synced = await appendSome(writer, written, random);
        vi.advanceTimersByTime(syncIntervalMs);
        await eventually('the timed sync', () => (readAfter(new WorstLuck(seed)).length === synced ? true : undefined), 10_000);
        written = await appendSome(writer, synced, random);
        expect(readAfter(random).slice(0, synced)).toEqual(Array.from({ length: synced }, (_, index) => index + 1));
      }
      await writer.close();
    },
  );

  test.each(['file', 'folder'] as const)('the model notices when a sync of a %s is forgotten', async (forgotten) => {
    if (disk !== undefined) disk.forgets = forgotten;
    let missing = 0;
    for (const seed of seeds.slice(0, 3)) {
      rmSync(path.join(folder, 'disk'), { recursive: true });
      mkdirSync(path.join(folder, 'disk'));
      disk = new WatchedDisk(path.join(folder, 'disk'));
      disk.forgets = forgotten;
      missing += await lostOf('always', seed);
    }
    expect(missing).toBeGreaterThan(0);
  });
});

test.each(seeds)('a checkpoint after a power loss is the last that was saved, seed %i', (seed) => {
  const random = new SeededRandom(seed);
  const spool = path.join(folder, 'disk', 'spool');
  ensureFolder(spool);
  const file = openCheckpointFile(spool);
  for (let batch = 1; batch <= 10; batch += 1) {
    file.save({ lastBatch: batch, accepted: {} });
    const target = path.join(folder, `after-${batch}`);
    disk?.cutPower(target, random);
    expect(openCheckpointFile(path.join(target, 'spool')).load().lastBatch).toBe(batch);
  }
});
