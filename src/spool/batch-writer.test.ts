import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BatchWriter } from './batch-writer.ts';

let folder = '';
let file = '';
let descriptor = 0;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-write-'));
  file = path.join(folder, 'segment');
  descriptor = openSync(file, 'w');
});
afterEach(() => {
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

/** Writes and says whether it was done by the time the call returned. */
async function wasAtOnce(writes: BatchWriter, text: string): Promise<boolean> {
  let done = false;
  return new Promise((resolve, reject) => {
    let atOnce = false;
    writes.writeAtOnce(descriptor, [Buffer.from(text)], (error) => {
      done = true;
      if (error === null) setImmediate(() => resolve(atOnce));
      else reject(error);
    });
    atOnce = done;
  });
}

describe('a group of frames', () => {
  it('is written before the call returns while the disk is quick', async () => {
    const writes = new BatchWriter(() => 0);
    expect([await wasAtOnce(writes, 'one '), await wasAtOnce(writes, 'two')]).toEqual([true, true]);
    expect(readFileSync(file, 'utf8')).toBe('one two');
  });

  it('is written beside the event loop for ten seconds after a slow write', async () => {
    let now = 0;
    let asked = 0;
    const writes = new BatchWriter(() => {
      asked += 1;
      // The second look at the clock is after the first write.
      return asked === 2 ? 21 : now;
    });
    expect(await wasAtOnce(writes, 'a')).toBe(true);
    expect(await wasAtOnce(writes, 'b')).toBe(false);
    now = 9_999;
    expect(await wasAtOnce(writes, 'c')).toBe(false);
    now = 10_000;
    expect(await wasAtOnce(writes, 'd')).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('abcd');
  });

  it('is written beside the event loop once the writes of a second have taken a share of it', async () => {
    let now = 0;
    const writes = new BatchWriter(() => (now += 7.5));
    const atOnce: boolean[] = [];
    for (let made = 0; made < 100; made += 1) atOnce.push(await wasAtOnce(writes, 'x'));
    const first = atOnce.indexOf(false);
    expect(first).toBeGreaterThan(10);
    expect(first).toBeLessThan(40);
    expect(atOnce.slice(first)).not.toContain(true);
  });

  it('of several buffers, or a large one, is written beside the event loop, in order', async () => {
    const writes = new BatchWriter(() => 0);
    const large = Buffer.alloc(600 * 1024, 'x');
    let returned = false;
    await new Promise<void>((resolve) => {
      writes.writeAtOnce(descriptor, [Buffer.from('a'), Buffer.from('b')], (error) => {
        expect([error, returned]).toEqual([null, true]);
        resolve();
      });
      returned = true;
    });
    expect(await wasAtOnce(writes, large.toString('latin1'))).toBe(false);
    expect(readFileSync(file, 'latin1')).toBe(`ab${large.toString('latin1')}`);
  });

  it('that cannot be written is told with its reason, either way', async () => {
    const readOnly = openSync(file, 'r');
    const writes = new BatchWriter(() => 0);
    const reasons: (string | undefined)[] = [];
    const note = (error: Error | null): number => reasons.push(error === null ? undefined : String(Reflect.get(error, 'code')));
    writes.writeAtOnce(readOnly, [Buffer.from('a')], note);
    expect(reasons).toEqual(['EBADF']);
    await new Promise<void>((resolve) => {
      writes.writeLater(readOnly, [Buffer.from('a')], (error) => {
        note(error);
        resolve();
      });
    });
    closeSync(readOnly);
    expect(reasons).toEqual(['EBADF', 'EBADF']);
  });
});
