import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Observation } from '../../model/observation.ts';
import { releaseLibraryAtRest, type LibraryMemory } from './library-pages.ts';

const mebibyte = 1024 * 1024;
const second = 1000;
const platform = process.platform;

let end: () => void = () => undefined;
let observed: Observation[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  observed = [];
});
afterEach(() => {
  end();
  vi.useRealTimers();
  setPlatform(platform);
});

function setPlatform(value: string): void {
  Object.defineProperty(process, 'platform', { value });
}

function start(memory: Partial<LibraryMemory>): void {
  const given: LibraryMemory = {
    busyShare: () => 0,
    fileBytes: () => 200 * mebibyte,
    allBytes: () => 600 * mebibyte,
    release: async () => undefined,
    ...memory,
  };
  end = releaseLibraryAtRest('libengine.so', (observation) => observed.push(observation), given);
}

describe.runIf(platform === 'linux')('on Linux, because no other system has this function', () => {
  it('releases the pages after some seconds of rest, and no more as long as few come back', async () => {
    const release = vi.fn<() => Promise<void>>(async () => undefined);
    let fileBytes = 200 * mebibyte;
    start({ release, fileBytes: () => fileBytes });
    await vi.advanceTimersByTimeAsync(2 * second);
    expect(release).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(1 * second);
    expect(release).toHaveBeenCalledTimes(1);
    fileBytes += 15 * mebibyte;
    await vi.advanceTimersByTimeAsync(60 * second);
    expect(release).toHaveBeenCalledTimes(1);
    fileBytes += mebibyte;
    await vi.advanceTimersByTimeAsync(second);
    expect(release).toHaveBeenCalledTimes(2);
  });

  it('releases them at most every ten seconds', async () => {
    let fileBytes = 0;
    const release = vi.fn<() => Promise<void>>(async () => undefined);
    start({ release, fileBytes: () => (fileBytes += 100 * mebibyte) });
    await vi.advanceTimersByTimeAsync(60 * second);
    expect(release).toHaveBeenCalledTimes(6);
  });

  it('leaves a process alone that works', async () => {
    const release = vi.fn<() => Promise<void>>(async () => undefined);
    start({ release, busyShare: () => 0.2 });
    await vi.advanceTimersByTimeAsync(60 * second);
    expect(release).not.toHaveBeenCalled();
  });

  it('releases them beside work as well when the process has much memory', async () => {
    let fileBytes = 0;
    const release = vi.fn<() => Promise<void>>(async () => undefined);
    start({ release, busyShare: () => 1, allBytes: () => 800 * mebibyte, fileBytes: () => (fileBytes += 100 * mebibyte) });
    await vi.advanceTimersByTimeAsync(60 * second);
    expect(release).toHaveBeenCalledTimes(6);
  });

  it('goes on as if it had little where the system does not tell, as without free descriptors', async () => {
    const release = vi.fn<() => Promise<void>>(async () => undefined);
    start({
      release,
      busyShare: () => 1,
      allBytes: () => {
        throw new Error('EMFILE');
      },
    });
    await vi.advanceTimersByTimeAsync(60 * second);
    expect(release).not.toHaveBeenCalled();
  });

  it('says once that the system refuses', async () => {
    let fileBytes = 0;
    start({
      fileBytes: () => (fileBytes += 100 * mebibyte),
      release: async () => {
        throw new Error('the system refused it with error number 22');
      },
    });
    await vi.advanceTimersByTimeAsync(60 * second);
    const reason = 'pages of libengine.so stay in memory at rest: the system refused it with error number 22';
    expect(observed).toEqual([{ kind: 'memory_kept', reason }]);
  });

  it('says once that the system does not tell how much is in memory', async () => {
    start({
      fileBytes: () => {
        throw new Error('unknown');
      },
    });
    await vi.advanceTimersByTimeAsync(60 * second);
    expect(observed).toEqual([{ kind: 'memory_kept', reason: 'pages of libengine.so stay in memory at rest: unknown' }]);
  });

  it('ends', () => {
    start({});
    end();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('does nothing elsewhere, and says so', () => {
  setPlatform('darwin');
  start({});
  expect(vi.getTimerCount()).toBe(0);
  expect(observed).toEqual([
    { kind: 'memory_kept', reason: 'pages of libengine.so stay in memory at rest: darwin has no function that gives them back' },
  ]);
});
