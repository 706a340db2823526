import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { array, asyncProperty, assert, nat } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { PayloadReader } from './payload-reader.ts';
import { SeriesReader } from './reader.ts';
import type { FrameLocation } from './spool.ts';
import { openSpoolWriter } from './writer.ts';

const seed = 4711;
const bytesOfPayload = 60_000;
const payloads = 80;
let folder: string;
let frames: FrameLocation[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-payloads-'));
  frames = [];
  const writer = openSpoolWriter({
    folder,
    series: 'series-0001',
    // Several segments, each of more blocks than are kept.
    segmentMaxBytes: 3 * 1024 * 1024,
    segmentMaxMs: 3_600_000,
    sync: 'interval',
    syncIntervalMs: 3_600_000,
    onFailure: (error) => {
      throw error;
    },
    monotonic: systemClock.monotonic,
  });
  for (let number = 0; number < payloads; number += 1) writer.append(writer.newStream(), 1, contentOf(number));
  await writer.close();
  const reader = new SeriesReader(path.join(folder, 'series-0001'), { onFrame: (frame) => frames.push(frame), onDamage: () => undefined });
  reader.read(Number.POSITIVE_INFINITY);
  reader.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Another for each. */
function contentOf(number: number): Buffer {
  return Buffer.alloc(bytesOfPayload, String.fromCodePoint(33 + number));
}

describe('payloads that are read again', () => {
  it('are those that were written, in whatever order and however many at once', async () => {
    expect(frames).toHaveLength(payloads);
    const reader = new PayloadReader();
    const calls = array(array(nat(payloads - 1), { maxLength: 40 }), { minLength: 1, maxLength: 12 });
    await assert(
      asyncProperty(calls, async (wanted) => {
        for (const numbers of wanted) {
          const read = reader.read(
            path.join(folder, 'series-0001'),
            numbers.flatMap((number) => frames[number] ?? []),
          );
          expect(read.map((payload) => payload.length)).toEqual(numbers.map(() => bytesOfPayload));
          // All of a call stay valid until the next one, whatever was let go meanwhile.
          for (const [index, number] of numbers.entries()) expect(read[index]?.equals(contentOf(number))).toBe(true);
        }
      }),
      { seed, numRuns: 30 },
    );
    reader.close();
  });
});
