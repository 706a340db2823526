import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { frameHeaderBytes, maxPayloadBytes, makeSegmentHeader, segmentHeaderBytes, writeFrameHeader } from './frame.ts';
import { readPayloads } from './payload-reader.ts';
import { type Corruption, deleteSegmentsBefore, deleteSeries, SeriesReader } from './reader.ts';
import { type FrameLocation, segmentName } from './spool.ts';
import { openSpoolWriter, type SpoolWriter, type SpoolWriterOptions } from './writer.ts';

interface ReadFrame extends FrameLocation {
  readonly payload: string;
}

interface Reading {
  readonly frames: ReadFrame[];
  readonly damages: Corruption[];
  readonly reader: SeriesReader;
}

let spool: string;
beforeEach(() => {
  spool = mkdtempSync(path.join(tmpdir(), 'gatelog-reader-'));
});
afterEach(() => {
  rmSync(spool, { recursive: true });
});

function openWriter(series: string, changes: Partial<SpoolWriterOptions> = {}): SpoolWriter {
  return openSpoolWriter({
    folder: spool,
    series,
    segmentMaxBytes: 64 * 1024 * 1024,
    segmentMaxMs: 3_600_000,
    sync: 'interval',
    syncIntervalMs: 1000,
    onFailure: (error) => {
      throw error;
    },
    monotonic: () => performance.now(),
    ...changes,
  });
}

function openReader(series: string): Reading {
  const frames: ReadFrame[] = [];
  const damages: Corruption[] = [];
  const reader = new SeriesReader(path.join(spool, series), {
    onFrame: (frame, payload) => frames.push({ ...frame, payload: payload.toString('latin1') }),
    onDamage: (damage) => damages.push(damage),
  });
  return { frames, damages, reader };
}

/** Everything a series without a writer holds. */
function readAll(series: string): Reading {
  const reading = openReader(series);
  reading.reader.checkWriterGone();
  for (let turns = 0; !reading.reader.isEnded() && turns < 1000; turns += 1) reading.reader.read(1024 * 1024);
  expect(reading.reader.isEnded()).toBe(true);
  return reading;
}

const written = (writer: SpoolWriter, stream = 1): Promise<boolean> => new Promise((resolve) => writer.whenWritten(stream, resolve));
const segmentFile = (series: string, number: number): string => path.join(spool, series, segmentName(number));
const descriptors = (): number => readdirSync('/dev/fd').length;

/** A finished series of one segment. @returns its bytes and its frames. */
async function writeSeries(series: string, payloads: readonly string[]): Promise<{ bytes: Buffer; frames: ReadFrame[] }> {
  const writer = openWriter(series);
  for (const [index, payload] of payloads.entries()) writer.append(index + 1, 1 + (index % 5), Buffer.from(payload, 'latin1'), index);
  await writer.close();
  return { bytes: readFileSync(segmentFile(series, 1)), frames: readAll(series).frames };
}

function ends(frame: FrameLocation): number {
  return frame.offset + frameHeaderBytes + frame.length;
}

/** What was passed over and what was handed out make up the whole file. */
function expectAllAccountedFor({ frames, damages }: Reading, fileBytes: number): void {
  const handedOut = frames.reduce((sum, frame) => sum + frameHeaderBytes + frame.length, 0);
  const skipped = damages.reduce((sum, damage) => sum + damage.skippedBytes, 0);
  const headerWasSkipped = damages.some(({ reason, offset }) => offset === 0 && reason.includes('segment header'));
  expect(handedOut + skipped + (headerWasSkipped ? 0 : Math.min(segmentHeaderBytes, fileBytes - skipped))).toBe(fileBytes);
}

const varied = ['first', '', 'x'.repeat(150), '\0\0\0\0', 'é'.repeat(40), 'last'];

test('truncation at any byte: the frames before it come, the torn one does not, and it is reported', async () => {
  const { bytes, frames } = await writeSeries('cut', varied);
  for (let length = 0; length < bytes.length; length += 1) {
    writeFileSync(segmentFile('cut', 1), bytes.subarray(0, length));
    const reading = readAll('cut');
    expect(reading.frames).toEqual(frames.filter((frame) => ends(frame) <= length));
    const isTorn = length !== 0 && length !== segmentHeaderBytes && !frames.some((frame) => ends(frame) === length);
    expect(reading.damages.map(({ reason }) => reason)).toEqual(isTorn ? ['the last frame is torn'] : []);
    expectAllAccountedFor(reading, length);
  }
});

test('a flip of any bit: every other frame comes, the damaged one does not, and it is reported with its place', async () => {
  const { bytes, frames } = await writeSeries('flip', ['first', '', 'x'.repeat(12), '\0\0\0\0', 'last']);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const damaged = Buffer.from(bytes);
    const at = bit >> 3;
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(segmentFile('flip', 1), damaged);
    const reading = readAll('flip');
    const hit = frames.find((frame) => frame.offset <= at && at < ends(frame));
    expect(reading.frames).toEqual(frames.filter((frame) => frame !== hit));
    expect(reading.damages).toMatchObject([{ segment: 1, offset: hit?.offset ?? 0 }]);
    expectAllAccountedFor(reading, bytes.length);
  }
});

test('random damage of any extent: no frame comes that was not written, and every untouched one does', async () => {
  const { bytes, frames } = await writeSeries('maul', [...varied, 'y'.repeat(5000), ...varied]);
  const hits = fc.array(fc.record({ at: fc.nat({ max: bytes.length - 1 }), junk: fc.uint8Array({ minLength: 1, maxLength: 64 }) }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(hits, (all) => {
      const damaged = Buffer.from(bytes);
      for (const { at, junk } of all) damaged.set(junk.subarray(0, bytes.length - at), at);
      writeFileSync(segmentFile('maul', 1), damaged);
      const isTouched = (frame: FrameLocation): boolean =>
        !damaged.subarray(frame.offset, ends(frame)).equals(bytes.subarray(frame.offset, ends(frame)));
      const reading = readAll('maul');
      expect(reading.frames).toEqual(frames.filter((frame) => !isTouched(frame)));
    }),
    { numRuns: 150 },
  );
});

test('a body that looks like frames is not read as frames, neither torn nor damaged', async () => {
  const forged = Buffer.alloc(frameHeaderBytes + 4, 'evil');
  writeFrameHeader(forged, 0, { kind: 1, stamp: 0, stream: 99 }, Buffer.from('evil'));
  const { bytes, frames } = await writeSeries('forged', ['good', forged.toString('latin1').repeat(20), 'end']);
  writeFileSync(segmentFile('forged', 1), bytes.subarray(0, bytes.length - 60));
  expect(readAll('forged').frames).toEqual(frames.slice(0, 1));
  const damaged = Buffer.from(bytes);
  const at = (frames[1]?.offset ?? 0) + frameHeaderBytes;
  damaged[at] = (damaged[at] ?? 0) ^ 1;
  writeFileSync(segmentFile('forged', 1), damaged);
  expect(readAll('forged').frames).toEqual([frames[0], frames[2]]);
});

test('megabytes of damage that look like the beginnings of frames are passed over in linear time', async () => {
  const { bytes, frames } = await writeSeries('slow', ['good']);
  // Every fourth byte starts a header with a possible length of nearly a mebibyte and a possible kind.
  const word = Buffer.alloc(4);
  word.writeUInt32LE(200);
  const nearly = Buffer.alloc(4);
  nearly.writeUInt32LE(maxPayloadBytes - 1);
  const bait = Buffer.concat([nearly, nearly, word, word]);
  writeFileSync(segmentFile('slow', 1), Buffer.concat([bytes, Buffer.alloc(6 * 1024 * 1024, bait), bytes.subarray(segmentHeaderBytes)]));
  const before = process.cpuUsage();
  const reading = readAll('slow');
  expect(reading.frames.map(({ payload }) => payload)).toEqual([...frames, ...frames].map(({ payload }) => payload));
  expect(reading.damages).toHaveLength(1);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
});

test('damage at the end of a segment is reported in that segment, and reading goes on in the next', async () => {
  const writer = openWriter('two', { segmentMaxBytes: 64 });
  for (const payload of ['a'.repeat(40), 'b'.repeat(40)]) {
    writer.append(1, 1, payload);
    await written(writer);
  }
  await writer.close();
  const first = readFileSync(segmentFile('two', 1));
  first[first.length - 1] = 0;
  writeFileSync(segmentFile('two', 1), first);
  const reading = readAll('two');
  expect(reading.frames).toMatchObject([{ segment: 2, payload: 'b'.repeat(40) }]);
  expect(reading.damages).toMatchObject([{ segment: 1, offset: segmentHeaderBytes, skippedBytes: frameHeaderBytes + 40 }]);
});

test('an empty segment, and one whose header did not reach the disk, do not stop the line', async () => {
  const { frames } = await writeSeries('bare', ['kept']);
  writeFileSync(segmentFile('bare', 2), '');
  writeFileSync(segmentFile('bare', 3), 'GLSP');
  writeFileSync(segmentFile('bare', 4), Buffer.alloc(300));
  const reading = readAll('bare');
  expect(reading.frames).toEqual(frames);
  expect(reading.damages.map(({ segment }) => segment)).toEqual([3, 4, 4]);
});

test('a segment of a newer program is left alone, with all that comes after it', async () => {
  const { frames } = await writeSeries('newer', ['kept']);
  writeFileSync(segmentFile('newer', 2), makeSegmentHeader(3));
  const reading = openReader('newer');
  reading.reader.checkWriterGone();
  for (let turn = 0; turn < 3; turn += 1) reading.reader.read(1024);
  expect(reading.frames).toEqual(frames);
  expect(reading.damages).toMatchObject([{ segment: 2, reason: expect.stringContaining('version 3') as string }]);
  expect(reading.reader.isEnded()).toBe(false);
  expect(reading.reader.position()).toEqual({ segment: 2, offset: 0 });
  reading.reader.close();
});

test('a frame that comes in pieces is handed out once it is whole', async () => {
  const { bytes, frames } = await writeSeries('slowly', ['first', 'x'.repeat(300)]);
  truncateSync(segmentFile('slowly', 1), 0);
  const { reader, frames: read, damages } = openReader('slowly');
  for (let at = 0; at < bytes.length; at += 7) {
    appendFileSync(segmentFile('slowly', 1), bytes.subarray(at, at + 7));
    reader.read(1024);
    expect(read).toEqual(frames.filter((frame) => ends(frame) <= at + 7));
  }
  expect(damages).toEqual([]);
  reader.close();
});

test('a frame whose receiver throws is not handed out again', async () => {
  await writeSeries('throws', ['one', 'two', 'three']);
  const seen: string[] = [];
  const reader = new SeriesReader(path.join(spool, 'throws'), {
    onFrame: (_frame, payload) => {
      seen.push(payload.toString());
      if (seen.length === 2) throw new Error('no');
    },
    onDamage: () => undefined,
  });
  expect(() => reader.read(1024)).toThrow('no');
  reader.read(1024);
  expect(seen).toEqual(['one', 'two', 'three']);
  reader.close();
});

test('a segment that cannot be opened now is read later', async () => {
  await writeSeries('shut', ['kept']);
  const { reader, frames } = openReader('shut');
  const file = segmentFile('shut', 1);
  const bytes = readFileSync(file);
  rmSync(file);
  symlinkSync(`${file}.nowhere`, file);
  expect(() => reader.read(1024)).toThrow('ENOENT');
  rmSync(file);
  writeFileSync(file, bytes);
  reader.read(1024);
  expect(frames).toHaveLength(1);
  reader.close();
});

test('a reader follows a live writer through its rotations: every frame once and in order, at any sizes', async () => {
  const frame = fc.oneof(
    { weight: 8, arbitrary: fc.nat({ max: 300 }) },
    { weight: 2, arbitrary: fc.nat({ max: 40_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, maxPayloadBytes, maxPayloadBytes + 1) },
  );
  const shape = fc.record({
    groups: fc.array(fc.array(frame, { maxLength: 12 }), { minLength: 1, maxLength: 12 }),
    segmentMaxBytes: fc.integer({ min: 50, max: 60_000 }),
    readBytes: fc.integer({ min: 1, max: 100_000 }),
    text: fc.boolean(),
  });
  const before = descriptors();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(shape, async ({ groups, segmentMaxBytes, readBytes, text }) => {
      run += 1;
      const series = `live-${run}`;
      const writer = openWriter(series, { segmentMaxBytes });
      const { reader, frames, damages } = openReader(series);
      const expected = groups
        .flat()
        .flatMap((size, index) => pieces(size).map((length) => ({ stream: index + 1, kind: 1 + (index % 5), stamp: index, length })));
      let stream = 0;
      for (const group of groups) {
        for (const size of group) {
          const payload = letters(stream, size);
          writer.append(stream + 1, 1 + (stream % 5), text ? payload : Buffer.from(payload), stream);
          stream += 1;
        }
        if (stream % 3 === 0) await written(writer);
        reader.read(readBytes);
      }
      await writer.close();
      expect(reader.checkWriterGone()).toBe(true);
      while (!reader.isEnded()) reader.read(readBytes);
      expect(damages).toEqual([]);
      expect(frames).toMatchObject(expected);
      expect(frames.length).toBe(expected.length);
      for (const each of frames) expect(each.payload === letters(each.stamp, each.length)).toBe(true);
      const payloads = readPayloads(path.join(spool, series), frames);
      expect(payloads.every((payload, index) => payload.toString('latin1') === frames[index]?.payload)).toBe(true);
      deleteSeries(path.join(spool, series));
    }),
    { numRuns: 40 },
  );
  expect(readdirSync(spool)).toEqual([]);
  // Other tests share the process, and may close files meanwhile.
  expect(descriptors()).toBeLessThanOrEqual(before);
});

test('payloads are read again only as they were written', async () => {
  const { bytes, frames } = await writeSeries('again', ['one', 'two']);
  const folder = path.join(spool, 'again');
  expect(readPayloads(folder, frames.toReversed()).map(String)).toEqual(['two', 'one']);
  bytes[bytes.length - 1] = 0;
  writeFileSync(segmentFile('again', 1), bytes);
  const before = descriptors();
  expect(() => readPayloads(folder, frames)).toThrow('not as it was');
  truncateSync(segmentFile('again', 1), bytes.length - 1);
  expect(() => readPayloads(folder, frames)).toThrow('not as it was');
  deleteSegmentsBefore(folder, 2);
  expect(() => readPayloads(folder, frames)).toThrow('ENOENT');
  // Other tests share the process, and may close files meanwhile.
  expect(descriptors()).toBeLessThanOrEqual(before);
});

test('only segments below the given one are deleted', async () => {
  await writeSeries('old', ['one']);
  for (const number of [2, 3]) writeFileSync(segmentFile('old', number), '');
  deleteSegmentsBefore(path.join(spool, 'old'), 3);
  expect(readdirSync(path.join(spool, 'old')).filter((name) => name.endsWith('.seg'))).toEqual([segmentName(3)]);
  deleteSeries(path.join(spool, 'old'));
  deleteSeries(path.join(spool, 'old'));
  expect(readdirSync(spool)).toEqual([]);
});

/** What a payload is split into: only the last piece is shorter than a frame may be. */
function pieces(size: number): number[] {
  if (size < maxPayloadBytes) return [size];
  return [maxPayloadBytes, size - maxPayloadBytes];
}

function letters(seed: number, size: number): string {
  return String.fromCodePoint(97 + (seed % 26)).repeat(size);
}
