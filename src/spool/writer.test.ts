import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { takeLock } from '../platform/process-lock.ts';
import { frameHeaderBytes, segmentHeaderBytes } from './frame.ts';
import { SeriesReader } from './reader.ts';
import { listSegments, listSeries } from './segment.ts';
import { segmentName } from './spool.ts';
import { openSpoolWriter, type SpoolWriter, type SpoolWriterOptions } from './writer.ts';

let spool: string;
const failures: string[] = [];
const open: SpoolWriter[] = [];

beforeEach(() => {
  spool = mkdtempSync(path.join(tmpdir(), 'gatelog-writer-'));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((writer) => writer.close()));
  rmSync(spool, { recursive: true });
  const unexpected = failures.splice(0);
  if (unexpected.length > 0) throw new Error(`the spool failed: ${unexpected.join(', ')}`);
});

function openWriter(changes: Partial<SpoolWriterOptions> = {}): SpoolWriter {
  const writer = openSpoolWriter({
    folder: spool,
    series: 'one',
    segmentMaxBytes: 64 * 1024 * 1024,
    segmentMaxMs: 3_600_000,
    sync: 'interval',
    syncIntervalMs: 10,
    onFailure: (error) => failures.push(error.message),
    monotonic: () => performance.now(),
    ...changes,
  });
  open.push(writer);
  return writer;
}

/** The payloads of every whole frame that is in the files of a series now. */
function payloadsIn(series = 'one'): string[] {
  const payloads: string[] = [];
  const reader = new SeriesReader(path.join(spool, series), {
    onFrame: (_frame, payload) => payloads.push(payload.toString()),
    onDamage: ({ reason }) => failures.push(reason),
  });
  while (reader.read(1024 * 1024) > 0);
  reader.close();
  return payloads;
}

const written = (writer: SpoolWriter, stream = 1): Promise<boolean> => new Promise((resolve) => writer.whenWritten(stream, resolve));
const segmentFile = (number: number, series = 'one'): string => path.join(spool, series, segmentName(number));

function segmentBytes(): number {
  return listSegments(path.join(spool, 'one')).reduce((sum, number) => sum + statSync(segmentFile(number)).size, 0);
}

test.each(['interval', 'always'] as const)(
  'sync %s: whoever waits hears in order, and finds what came before in the files',
  async (sync) => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ append: fc.oneof(fc.nat({ max: 60 }), fc.integer({ min: 16_000, max: 18_000 })) }) },
      { weight: 3, arbitrary: fc.constant('wait' as const) },
      { weight: 1, arbitrary: fc.constant('turn' as const) },
      { weight: 1, arbitrary: fc.constant('burst' as const) },
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 50, max: 40_000 }),
        async (steps, segmentMaxBytes) => {
          run += 1;
          const series = `run-${run}`;
          const writer = openWriter({ series, sync, segmentMaxBytes });
          const heard: { number: number; isWritten: boolean; isThere: boolean }[] = [];
          let appended = 0;
          let waits = 0;
          const append = (size: number): void => {
            const text = `${appended}:`.padEnd(size, 'x');
            writer.append(1, 1, appended % 2 === 0 ? text : Buffer.from(text));
            appended += 1;
          };
          for (const each of steps) {
            if (each === 'turn') await turn();
            else if (each === 'burst') for (let count = 0; count < 300; count += 1) append(16_000);
            else if (each !== 'wait') append(each.append);
            else {
              const [number, before] = [waits, appended];
              waits += 1;
              writer.whenWritten(1, (isWritten) => {
                const isThere = payloadsIn(series).length >= before;
                heard.push({ number, isWritten, isThere });
              });
            }
          }
          await writer.close();
          expect(heard).toEqual(Array.from({ length: waits }, (_, number) => ({ number, isWritten: true, isThere: true })));
          expect(payloadsIn(series).map((payload) => Number.parseInt(payload, 10))).toEqual(
            Array.from({ length: appended }, (_, index) => index),
          );
        },
      ),
      { numRuns: 25 },
    );
  },
);

test('bytes are counted as they are in the files, whatever the text', async () => {
  const writer = openWriter();
  const texts = fc.string({
    unit: fc.oneof(fc.string({ unit: 'binary', maxLength: 1 }), fc.constantFrom('\uD800', 'é', '日', '😀')),
    maxLength: 40,
  });
  for (const text of fc.sample(texts, { numRuns: 100, seed: 7 })) writer.append(1, 1, text);
  writer.append(1, 1, 'é'.repeat(9000));
  writer.append(1, 1, Buffer.alloc(70_000));
  expect(await written(writer)).toBe(true);
  expect(writer.bytes()).toBe(segmentBytes() - segmentHeaderBytes);
});

test('an empty payload is a frame like others', async () => {
  const writer = openWriter();
  for (const payload of ['', new Uint8Array(0), Buffer.alloc(0), 'end']) writer.append(1, 1, payload);
  await written(writer);
  expect(payloadsIn()).toEqual(['', '', '', 'end']);
  expect(writer.bytes()).toBe(4 * frameHeaderBytes + 3);
});

test('a frame that cannot be written as asked is refused and leaves nothing behind', async () => {
  const writer = openWriter();
  expect(() => writer.append(1, 0, 'x')).toThrow(RangeError);
  expect(() => writer.append(1, 1, 'x', -1)).toThrow(RangeError);
  expect(() => writer.append(1, 256, Buffer.alloc(20_000))).toThrow(RangeError);
  writer.append(1, 1, 'good');
  await written(writer);
  expect(payloadsIn()).toEqual(['good']);
});

test('close writes what is queued in its order, tells everybody, and closes once', async () => {
  const writer = openWriter();
  const numbers = Array.from({ length: 300 }, (_, index) => index);
  const heard: number[] = [];
  for (const number of numbers) {
    writer.append(1, 1, Buffer.alloc(15_000, String(number).padEnd(15_000)));
    writer.whenWritten(1, (isWritten) => heard.push(isWritten ? number : -1));
  }
  await Promise.all([writer.close(), writer.close()]);
  expect(heard).toEqual(numbers);
  expect(payloadsIn().map(Number)).toEqual(numbers);
});

test('what comes after close is lost and said to be, and no other file gets it', async () => {
  const writer = openWriter();
  writer.append(1, 1, 'before');
  const closing = writer.close();
  writer.append(1, 1, 'while closing');
  const whileClosing = written(writer);
  await closing;
  const others = Array.from({ length: 8 }, (_, index) => openSync(path.join(spool, `other-${index}`), 'w'));
  writer.append(1, 1, 'after');
  writer.append(1, 1, Buffer.alloc(70_000));
  expect([await whileClosing, await written(writer)]).toEqual([false, false]);
  for (const [index, other] of others.entries()) {
    closeSync(other);
    expect(readFileSync(path.join(spool, `other-${index}`), 'utf8')).toBe('');
  }
  expect(payloadsIn()).toEqual(['before']);
  expect(writer.bytes()).toBe(segmentBytes() - segmentHeaderBytes);
});

test('a queue that is full drops frames, tells those who wait for them and nobody else, and recovers', async () => {
  const writer = openWriter({ queueMaxBytes: 50_000 });
  writer.append(1, 1, 'a'.repeat(30_000));
  const first = written(writer, 1);
  writer.append(2, 1, 'b'.repeat(30_000));
  const second = written(writer, 2);
  const beside = written(writer, 1);
  expect([await first, await second, await beside, await written(writer, 2)]).toEqual([true, false, true, true]);
  expect(failures.splice(0)).toEqual(['more than 50000 bytes wait for the disk']);
  writer.append(3, 1, 'c'.repeat(60_000));
  expect(await written(writer, 3)).toBe(true);
  expect(payloadsIn().map((payload) => payload[0])).toEqual(['a', 'c']);
});

test('a segment that would pass its size is followed by a new one', async () => {
  const writer = openWriter({ segmentMaxBytes: 200 });
  for (let count = 0; count < 10; count += 1) {
    writer.append(1, 1, 'x'.repeat(50));
    await written(writer);
  }
  expect(listSegments(path.join(spool, 'one'))).toEqual([1, 2, 3, 4, 5]);
  for (const number of [1, 2, 3, 4, 5]) expect(statSync(segmentFile(number)).size).toBeLessThanOrEqual(200);
});

test.each([true, false])('a segment is closed at its age; one without frames never is (writer at rest: %s)', async (atRest) => {
  let now = 1000;
  const writer = openWriter({ segmentMaxMs: 60_000, monotonic: () => now, syncIntervalMs: atRest ? 5 : 3_600_000 });
  now += 100_000;
  writer.append(1, 1, 'first');
  await written(writer);
  expect(listSegments(path.join(spool, 'one'))).toEqual([1]);
  now += 59_999;
  writer.append(1, 1, 'second');
  await written(writer);
  now += 60_002;
  if (!atRest) writer.append(1, 1, 'third');
  await vi.waitFor(() => expect(listSegments(path.join(spool, 'one'))).toEqual([1, 2]));
  await written(writer);
  expect(payloadsIn()).toEqual(atRest ? ['first', 'second'] : ['first', 'second', 'third']);
});

test('a series has one writer, and its name is not used again', async () => {
  const writer = openWriter();
  writer.append(1, 1, 'mine');
  expect(() => openWriter()).toThrow(`spool series one is being written by writer of one, process ${process.pid}`);
  expect(await written(writer)).toBe(true);
  await writer.close();
  expect(() => openWriter()).toThrow('spool series one exists already');
  expect(readdirSync(spool)).toEqual(['one']);
  expect(payloadsIn()).toEqual(['mine']);
});

test.each(['.hidden', '', 'a/b', '..', 'lost+found'])('%j cannot name a series', (series) => {
  expect(() => openWriter({ series })).toThrow('cannot name');
});

test('what crashes left is removed by the next writer; what is alive or not ours stays', () => {
  const put = (folder: string, file: string): string => {
    mkdirSync(path.join(spool, folder));
    writeFileSync(path.join(spool, folder, file), '');
    return path.join(spool, folder, file);
  };
  put('.gone-old', segmentName(3));
  put('.new-dead', 'lock');
  mkdirSync(path.join(spool, '.new-deader'));
  const alive = takeLock(put('.new-alive', 'lock'), 'somebody who comes up');
  put('lost+found', '#123');
  put('notes', 'readme');
  put('.git', 'lock');
  writeFileSync(path.join(spool, 'checkpoint.json'), '');
  openWriter();
  expect(readdirSync(spool).toSorted()).toEqual(['.git', '.new-alive', 'checkpoint.json', 'lost+found', 'notes', 'one']);
  expect(listSeries(spool)).toEqual(['one']);
  if ('release' in alive) alive.release();
});

test('a series appears with its lock and its first segment in it', () => {
  openWriter();
  expect(readdirSync(path.join(spool, 'one')).toSorted()).toEqual([segmentName(1), 'lock', 'lock.holder']);
  expect(statSync(segmentFile(1)).size).toBe(segmentHeaderBytes);
});

test('segments are for this user only, the first and the next ones', async () => {
  const writer = openWriter({ segmentMaxBytes: 4096 });
  for (let index = 0; index < 3; index += 1) {
    writer.append(1, 1, 'x'.repeat(3000));
    await written(writer);
  }
  const numbers = listSegments(path.join(spool, 'one'));
  expect(numbers.length).toBeGreaterThan(1);
  expect(numbers.map((number) => statSync(segmentFile(number)).mode & 0o777)).toEqual(numbers.map(() => 0o600));
});

test('a spool folder that cannot be one is said at once', () => {
  writeFileSync(path.join(spool, 'file'), '');
  expect(() => openWriter({ folder: path.join(spool, 'file') })).toThrow('EEXIST');
});
