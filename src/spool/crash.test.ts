import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { frameHeaderBytes, makeSegmentHeader, writeFrameHeader } from './frame.ts';
import { type Corruption, deleteSegmentsBefore, SeriesReader } from './reader.ts';
import { listSeries } from './segment.ts';
import { segmentName } from './spool.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = path.join(root, '.cache', `spool-crash-${process.pid}`);
let spool: string;
const children: ChildProcess[] = [];

/** The child processes run this very source, not whatever was built last. */
beforeAll(() => {
  mkdirSync(built, { recursive: true });
  const options = ['--ignoreConfig', '--noCheck', '--rootDir', 'src', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const compilation = spawnSync(
    process.execPath,
    [compiler, ...options, '--rewriteRelativeImportExtensions', '--outDir', built, 'src/spool/writer.ts'],
    { cwd: root },
  );
  if (compilation.status !== 0) throw new Error(String(compilation.stdout));
});

afterAll(() => rmSync(built, { recursive: true }));

beforeEach(() => {
  spool = mkdtempSync(path.join(tmpdir(), 'gatelog-crash-'));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(spool, { recursive: true });
});

const prelude = `
import { writeSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { openSpoolWriter } from ${JSON.stringify(pathToFileURL(path.join(built, 'spool', 'writer.js')).href)};
const failures = [];
const settings = { folder: process.env.SPOOL, series: 'one', segmentMaxBytes: 20_000, segmentMaxMs: 3_600_000, sync: 'interval', syncIntervalMs: 20,
  onFailure: (error) => failures.push(error.code ?? error.message), monotonic: () => performance.now() };
const open = (changes = {}) => openSpoolWriter({ ...settings, ...changes });
const say = (value) => writeSync(1, JSON.stringify(value) + '\\n');
const written = (writer, stream = 1) => new Promise((resolve) => writer.whenWritten(stream, resolve));
`;

interface Child {
  readonly said: unknown[];
  readonly exited: Promise<void>;
  readonly isRunning: () => boolean;
  readonly kill: () => Promise<void>;
}

/** Runs a script beside the built spool. What it says comes as lines of JSON. */
function run(script: string, shell = ''): Child {
  const command = `${shell} exec "$0" --input-type=module -e "$1"`;
  const child = spawn('bash', ['-c', command, process.execPath, prelude + script], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SPOOL: spool },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const said: unknown[] = [];
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    said.push(...lines.map((line) => JSON.parse(line) as unknown));
  });
  const exited = new Promise<void>((resolve) => {
    child.on('close', () => resolve());
  });
  const kill = (): Promise<void> => {
    child.kill('SIGKILL');
    return exited;
  };
  return { said, exited, isRunning: () => child.exitCode === null && child.signalCode === null, kill };
}

interface Reading {
  readonly numbers: number[];
  readonly damages: Corruption[];
  readonly reader: SeriesReader;
}

function openReader(series = 'one'): Reading {
  const numbers: number[] = [];
  const damages: Corruption[] = [];
  const reader = new SeriesReader(path.join(spool, series), {
    onFrame: (frame, payload) => {
      expect(Number.parseInt(payload.toString('latin1', 0, 12), 10)).toBe(frame.stream);
      numbers.push(frame.stream);
    },
    onDamage: (damage) => damages.push(damage),
  });
  return { numbers, damages, reader };
}

function readToEnd({ reader }: Reading): void {
  expect(reader.checkWriterGone()).toBe(true);
  while (!reader.isEnded()) reader.read(100_000);
  reader.close();
}

const counted = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const lastOf = (said: readonly unknown[]): number => (said.at(-1) as number | undefined) ?? 0;

test.each([
  ['interval', 200],
  ['interval', 1500],
  ['always', 300],
] as const)('writer killed under load, sync %s, after %i groups: what was confirmed is read once and in order', async (sync, groups) => {
  const child = run(`
    const writer = open({ sync: '${sync}' });
    let stream = 0;
    const load = () => {
      for (let count = 1 + (stream % 7); count > 0; count -= 1) {
        stream += 1;
        writer.append(stream, 1, String(stream).padEnd(stream % 50 === 0 ? 30_000 : 20 + (stream % 400)));
      }
      const sofar = stream;
      writer.whenWritten(stream, (isWritten) => { if (isWritten) say(sofar); });
      setImmediate(load);
    };
    load();
  `);
  await vi.waitFor(() => expect(listSeries(spool)).toEqual(['one']), { timeout: 60_000 });
  const live = openReader();
  await vi.waitFor(
    () => {
      live.reader.read(1_000_000);
      expect(live.reader.checkWriterGone()).toBe(false);
      expect(child.said.length).toBeGreaterThan(groups);
    },
    { timeout: 60_000, interval: 1 },
  );
  await child.kill();
  readToEnd(live);
  const cold = openReader();
  readToEnd(cold);
  expect(live.numbers).toEqual(cold.numbers);
  expect(cold.numbers).toEqual(counted(cold.numbers.length));
  expect(cold.numbers.length).toBeGreaterThanOrEqual(lastOf(child.said));
  expect(cold.damages.every(({ reason }) => reason === 'the last frame is torn')).toBe(true);
});

test('a segment that gets its last frame and its successor while the reader looks for the successor is read to its end', async () => {
  // A child that does nothing but append and rename hits the instant between the two looks of the reader many times.
  const segments = 300;
  const prepared = path.join(spool, 'prepared');
  const folder = path.join(spool, 'one');
  for (const each of [prepared, folder]) mkdirSync(each);
  for (const number of counted(segments)) {
    const place = number === 1 ? folder : prepared;
    writeFileSync(path.join(place, segmentName(number)), Buffer.concat([makeSegmentHeader(), frameOf(2 * number - 1)]));
    writeFileSync(path.join(prepared, `${number}`), frameOf(2 * number));
  }
  const child = run(`
    const { openSync, readFileSync, renameSync } = await import('node:fs');
    const name = (number) => '/' + String(number).padStart(10, '0') + '.seg';
    for (let number = 1; number <= ${segments}; number += 1) {
      const descriptor = openSync(settings.folder + '/one' + name(number), 'a');
      const last = readFileSync(settings.folder + '/prepared/' + number);
      const until = performance.now() + (number % 16) / 20;
      while (performance.now() < until);
      writeSync(descriptor, last);
      if (number < ${segments}) renameSync(settings.folder + '/prepared' + name(number + 1), settings.folder + '/one' + name(number + 1));
    }
  `);
  const live = openReader();
  while (child.isRunning()) {
    for (let count = 0; count < 50; count += 1) live.reader.read(1_000_000);
    deleteSegmentsBefore(folder, live.reader.position().segment);
    await turn();
  }
  readToEnd(live);
  expect(live.numbers).toEqual(counted(2 * segments));
  expect(live.damages).toEqual([]);
});

function frameOf(number: number): Buffer {
  const payload = Buffer.from(String(number).padEnd(12));
  const head = Buffer.alloc(frameHeaderBytes);
  writeFrameHeader(head, 0, { kind: 1, stamp: 0, stream: number }, payload);
  return Buffer.concat([head, payload]);
}

test.each(['interval', 'always'])(
  'write that fails half-way, sync %s: the torn frame is passed over, its callers are told, and writing goes on',
  async (sync) => {
    // Files may grow to 64 KiB: every group that crosses it is written in part.
    const child = run(
      `
    const writer = open({ sync: '${sync}', segmentMaxBytes: 1_000_000 });
    const confirmed = [];
    const lost = [];
    for (let stream = 1; stream <= 60; stream += 1) {
      writer.append(stream, 1, Buffer.alloc(stream % 2 === 0 ? 9000 : 17_000, String(stream).padEnd(12)));
      (await written(writer, stream) ? confirmed : lost).push(stream);
    }
    await writer.close();
    say({ confirmed, lost, failures });
  `,
      'ulimit -f 64;',
    );
    await child.exited;
    const { confirmed, lost, failures } = child.said[0] as { confirmed: number[]; lost: number[]; failures: string[] };
    expect(lost.length).toBeGreaterThan(5);
    expect(confirmed.length).toBeGreaterThan(30);
    expect(failures[0]).toBe('EFBIG');
    const reading = openReader();
    readToEnd(reading);
    expect(reading.numbers).toEqual(confirmed);
    expect(reading.damages.length).toBeGreaterThan(5);
    expect(reading.damages.every(({ reason }) => reason === 'the last frame is torn')).toBe(true);
  },
);

test('of a group that is written in part exactly those streams are told whose frames are not whole on the disk', async () => {
  // Groups of ten frames each, until one crosses the 64 KiB to which a file may grow; large frames are buffers of their own.
  const child = run(
    `
    const writer = open({ segmentMaxBytes: 1_000_000 });
    const confirmed = [];
    const partial = [];
    let stream = 0;
    for (let group = 0; group < 40; group += 1) {
      const told = [];
      for (let count = 0; count < 10; count += 1) {
        stream += 1;
        const own = stream;
        writer.append(own, 1, String(own).padEnd(own % 9 === 0 ? 17_000 : 500 + (own % 3000)));
        told.push(written(writer, own).then((isWritten) => { if (isWritten) confirmed.push(own); return isWritten; }));
      }
      const outcomes = await Promise.all(told);
      if (outcomes.includes(true) && outcomes.includes(false)) partial.push(group);
    }
    await writer.close();
    say({ confirmed, partial });
  `,
    'ulimit -f 64;',
  );
  await child.exited;
  const { confirmed, partial } = child.said[0] as { confirmed: number[]; partial: number[] };
  expect(partial.length).toBeGreaterThan(3);
  const reading = openReader();
  readToEnd(reading);
  expect(reading.numbers).toEqual(confirmed);
});

test('who waited for the first frames of a stream is told that they are there when later ones of the same group are lost', async () => {
  const child = run(
    `
    const writer = open({ segmentMaxBytes: 1_000_000 });
    writer.append(1, 1, '1           ');
    const first = written(writer);
    for (let count = 0; count < 6; count += 1) writer.append(1, 1, Buffer.alloc(15_000, '1           '));
    const last = written(writer);
    say([await first, await last]);
    await writer.close();
  `,
    'ulimit -f 64;',
  );
  await child.exited;
  expect(child.said).toEqual([[true, false]]);
  const reading = openReader();
  readToEnd(reading);
  expect(reading.numbers).toEqual([1, 1, 1, 1, 1]);
});

test('a failed group is told to all who have frames in it, also where they wait in groups behind it, and to nobody else', async () => {
  const child = run(
    `
    const writer = open({ segmentMaxBytes: 10_000_000 });
    writer.append(1, 1, Buffer.alloc(60_000, '1           '));
    const first = written(writer);
    await first;
    // A mebibyte makes a group: the first fails, the second with its three frames is small enough for a new segment.
    for (let count = 0; count < 72; count += 1) writer.append(2, 1, Buffer.alloc(15_000, '2           '));
    const second = written(writer, 2);
    writer.append(3, 1, '3           ');
    const third = written(writer, 3);
    const outcomes = [await first, await second, await third];
    writer.append(4, 1, '4           ');
    outcomes.push(await written(writer, 4));
    await writer.close();
    say(outcomes);
  `,
    'ulimit -f 64;',
  );
  await child.exited;
  expect(child.said).toEqual([[true, false, true, true]]);
  const reading = openReader();
  readToEnd(reading);
  expect(reading.numbers.at(0)).toBe(1);
  expect(reading.numbers.slice(-2)).toEqual([3, 4]);
});

test('disk full at the start: the writer comes up, reports the loss, leaves nothing half-made, and records once there is room', async () => {
  const child = run(
    `
    const writer = open();
    const wait = async (stream) => { writer.append(stream, 1, String(stream).padEnd(12)); return written(writer, stream); };
    say(await wait(1));
    say(failures);
    spawnSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited']);
    let stream = 1;
    do stream += 1; while (!(await wait(stream)));
    say(stream);
    await writer.close();
  `,
    'ulimit -S -f 0;',
  );
  await vi.waitFor(() => expect(child.said.length).toBeGreaterThanOrEqual(2), { timeout: 60_000 });
  expect(child.said.slice(0, 2)).toEqual([false, ['EFBIG']]);
  await child.exited;
  expect(readdirSync(spool)).toEqual(['one']);
  const reading = openReader();
  readToEnd(reading);
  expect(reading.numbers).toEqual([child.said[2]]);
});

const makeMany = (name: string): string => `
  for (let number = 1; number <= 12; number += 1) {
    const writer = open({ series: '${name}-' + number });
    writer.append(1, 1, '1           ');
    await writer.close();
  }
  say(failures);
`;

test('writers that come up at once, each removing leftovers, do not remove each other', async () => {
  const [left, right] = [run(makeMany('left')), run(makeMany('right'))];
  await Promise.all([left.exited, right.exited]);
  expect([left.said, right.said]).toEqual([[[]], [[]]]);
  expect(readdirSync(spool)).toHaveLength(24);
  for (const series of listSeries(spool)) {
    const reading = openReader(series);
    readToEnd(reading);
    expect(reading.numbers).toEqual([1]);
  }
});

test('a writer that holds a series refuses another process, and its death frees the series for the reader', async () => {
  const holder = run(`open(); say('open'); setInterval(() => undefined, 1000);`);
  await vi.waitFor(() => expect(holder.said).toEqual(['open']), { timeout: 60_000 });
  const second = run(`try { open(); } catch (error) { say(error.message); }`);
  await second.exited;
  expect(second.said).toEqual([expect.stringMatching(/^spool series one is being written by writer of one, process \d+$/)]);
  const { reader } = openReader();
  expect(reader.checkWriterGone()).toBe(false);
  reader.read(1000);
  expect(reader.isEnded()).toBe(false);
  await holder.kill();
  expect(reader.checkWriterGone()).toBe(true);
  reader.read(1000);
  expect(reader.isEnded()).toBe(true);
});

test('a caller that throws when it is told does not keep the word from the others', async () => {
  const child = run(`
    process.on('uncaughtException', (error) => say(error.message));
    const writer = open();
    writer.append(1, 1, '1           ');
    writer.whenWritten(1, () => { throw new Error('mine'); });
    writer.whenWritten(1, (isWritten) => say(isWritten));
    await written(writer);
    await writer.close();
  `);
  await child.exited;
  expect(child.said).toEqual([true, 'mine']);
});
