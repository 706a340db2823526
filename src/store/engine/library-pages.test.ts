import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { byLength } from '../../../test/support/test-length.ts';
import type { Observation } from '../../model/observation.ts';
import { releaseLibrary, releaseLibraryAtRest } from '../../platform/memory/library-pages.ts';
import { isPlainFile, mappingsOf } from '../../platform/memory/mappings.ts';
import { makeInsertLines, openStoreRig, requestLine, type StoreRig } from '../testing/store-harness.ts';
import { engineLibrary } from './embedded-engine.ts';

const megabyte = 1e6;
let rig: StoreRig;
let stored = 0;

beforeAll(async () => {
  rig = await openStoreRig();
});

afterAll(async () => {
  await rig.close();
});

/** Bytes of the engine's code and constants in memory. */
function resident(): number {
  const mappings = mappingsOf(readFileSync('/proc/self/smaps', 'latin1'), engineLibrary);
  return mappings.filter((mapping) => isPlainFile(mapping)).reduce((sum, mapping) => sum + mapping.resident, 0);
}

async function store(): Promise<void> {
  stored += 1;
  await makeInsertLines(rig.connections)('requests', requestLine({ status: 200 }).line, `t-${stored}`);
}

async function count(): Promise<number> {
  const [row] = await rig.run<{ found: number | string }>('SELECT count() AS found FROM requests WHERE status = 200');
  return Number(row?.found);
}

describe.runIf(process.platform === 'linux')('on Linux, because no other system has this function', () => {
  it('the engine gives its pages back and goes on', async () => {
    await store();
    expect(await count()).toBe(stored);
    const before = resident();
    expect(before).toBeGreaterThan(80 * megabyte);
    await releaseLibrary(engineLibrary);
    expect(resident()).toBeLessThan(before - 60 * megabyte);
    await store();
    expect(await count()).toBe(stored);
  });

  it('queries and inserts that run meanwhile go on', async () => {
    const times = byLength(8, 20);
    const progress = { turns: 0, releases: 0 };
    const isGoingOn = (): boolean => progress.turns < times || progress.releases < times;
    const releases = (async (): Promise<void> => {
      for (; isGoingOn(); progress.releases += 1) await releaseLibrary(engineLibrary);
    })();
    for (; isGoingOn(); progress.turns += 1) {
      await store();
      expect(await Promise.all([count(), count(), count()])).toEqual([stored, stored, stored]);
    }
    await releases;
  });

  it('a process at rest gives them back by itself, and again after it has worked', async () => {
    const observed: Observation[] = [];
    const end = releaseLibraryAtRest(engineLibrary, (observation) => observed.push(observation));
    try {
      for (let times = 0; times < 2; times += 1) {
        await count();
        const before = resident();
        expect(before).toBeGreaterThan(30 * megabyte);
        await vi.waitFor(() => expect(resident()).toBeLessThan(before - 20 * megabyte), { timeout: 120_000, interval: 500 });
      }
    } finally {
      end();
    }
    expect(observed).toEqual([]);
  });
});
