import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { type RecordBuilderThread, startRecordBuilderThread } from './thread.ts';
import { type Interpretation, RecordBuilderCrashed, type InterpretTask } from './record-builder.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-thread-'));
const threads: RecordBuilderThread[] = [];
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A thread whose program stands in for the compiled one: the folder of a task says what to do. */
function start(jobMs?: number): RecordBuilderThread {
  const file = path.join(folder, 'worker.mjs');
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads';
     let spent = 0;
     parentPort.on('message', ({ id, tasks, spent: pieces }) => {
       if (pieces !== undefined) {
         spent += pieces.length;
         return;
       }
       const all = [...tasks.settingsOf].map((place) => tasks.settings[place].seriesFolder);
       const folders = all.slice(0, all.includes('stop') ? all.indexOf('stop') : all.length);
       for (const folder of folders) {
         if (folder === 'die') process.exit(1);
         if (folder === 'throw') throw new Error('out of memory');
         if (folder === 'throw null') throw null;
         if (folder === 'hang') for (;;);
       }
       // A row says how many pieces of memory the thread got back so far.
       const isRow = (folder) => folder === 'row';
       const instead = new Map(folders.flatMap((failure, index) => (isRow(failure) ? [] : [[index, { failure }]])));
       const beside = new Map(folders.flatMap((folder, index) => (isRow(folder) ? [[index, { redactionFailure: String(spent) }]] : [])));
       const spans = new Float64Array(9 * folders.length);
       const results = { count: folders.length, memory: [new SharedArrayBuffer(8)], spans, endedAt: new Float64Array(folders.length), beside, instead };
       parentPort.postMessage({ id, results });
     });
     parentPort.postMessage({ ready: true });`,
  );
  const thread = startRecordBuilderThread(settings, pathToFileURL(file), jobMs);
  threads.push(thread);
  return thread;
}

const settings = { searchMaxBytes: 1024, agentSessions: true, keptRowBytes: 1024, pricesFile: undefined, threatCheckFile: undefined };

const organizationId = '01890000-0000-7000-8000-000000000001' as OrganizationId;

const task = (seriesFolder: string): InterpretTask => ({
  settings: { seriesFolder, organizationId, declaredNames: undefined, redactionRules: undefined, organizationPrices: [] },
  frames: [],
  changes: [],
});

describe('the record builder', () => {
  test('answers jobs that overlap', async () => {
    const { interpret } = start();
    const jobs = ['a', 'b', 'c'].map((name) => interpret([task(name)], 0));
    const done = await Promise.all(jobs);
    expect(done.map(({ results }) => results)).toEqual([[{ failure: 'a' }], [{ failure: 'b' }], [{ failure: 'c' }]]);
  });

  test.each(['die', 'throw', 'throw null'])('that cannot take a job (%s) says so, and another takes the next', async (how) => {
    const { interpret } = start();
    await expect(interpret([task('fine'), task(how)], 0)).rejects.toBeInstanceOf(RecordBuilderCrashed);
    expect(await interpret([task('next')], 0)).toMatchObject({ results: [{ failure: 'next' }] });
  });

  test('that comes to no end is given up', async () => {
    const { interpret } = start(3000);
    await expect(interpret([task('hang')], 0)).rejects.toThrow('no result after 3000 ms');
    expect(await interpret([task('next')], 0)).toMatchObject({ results: [{ failure: 'next' }] });
  });

  test('that does not even start is no fault of the exchange', async () => {
    const thread = startRecordBuilderThread(settings, pathToFileURL(path.join(folder, 'missing.mjs')));
    threads.push(thread);
    const error = await thread.interpret([task('a')], 0).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(RecordBuilderCrashed);
  });

  test('gets the memory of rows back that are not looked at any more, once, and that of no other thread', async () => {
    const { interpret } = start();
    const rows = (): Promise<Interpretation> => interpret([task('row')], 0);
    const [first, second, kept] = [await rows(), await rows(), await rows()];
    for (const interpretation of [first, second, first]) interpretation[Symbol.dispose]();
    expect(await rows()).toMatchObject({ results: [{ redactionFailure: '2' }] });
    await expect(interpret([task('die')], 0)).rejects.toBeInstanceOf(RecordBuilderCrashed);
    kept[Symbol.dispose]();
    expect(await rows()).toMatchObject({ results: [{ redactionFailure: '0' }] });
  });

  test('that comes through a part of a batch gives the results of that part', async () => {
    const { interpret } = start();
    const part = await interpret([task('row'), task('a'), task('stop'), task('b')], 0);
    expect(part.results).toMatchObject([{ redactionFailure: '0' }, { failure: 'a' }]);
    part[Symbol.dispose]();
    expect(await interpret([task('row')], 0)).toMatchObject({ results: [{ redactionFailure: '1' }] });
  });

  test('that is closed fails what it had', async () => {
    const thread = start();
    const job = thread.interpret([task('hang')], 0).catch((thrown: unknown) => thrown);
    await thread.close();
    expect(await job).toMatchObject({ message: 'the record builder was closed' });
  });
});
