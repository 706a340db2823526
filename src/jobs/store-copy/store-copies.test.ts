import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IngestRig, makeGate, openRig, until } from '../../ingest/testing/ingest-harness.ts';
import { readRecordStore } from '../../metadata/record-store.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observation } from '../../model/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import { openStore, type Store } from '../../store/store.ts';
import { makeEmptyStore } from '../../store/testing/empty-store.ts';
import { type Front, startFront } from '../../store/testing/store-location.ts';
import type { CopyState } from './copy-state.ts';
import { type CopyOrder, StoreCopies } from './store-copies.ts';

let rig: IngestRig;
let parent: string;
let front: Front;
let observed: Observation[];
const options = { queryTimeoutMs: 30_000, queryMemoryBytes: 512 * 1024 * 1024 };

beforeEach(async () => {
  parent = mkdtempSync(path.join(tmpdir(), 'gatelog-copies-'));
  mkdirSync(path.join(parent, 'servers'));
  await makeEmptyStore(path.join(parent, 'servers'));
  rig = await openRig();
  front = await startFront(path.join(parent, 'servers'));
  observed = [];
});
afterEach(async () => {
  await rig.close();
  await front.close();
  rmSync(parent, { recursive: true });
});

function openCopies(store = rig.store): StoreCopies {
  const { database } = rig;
  return new StoreCopies({
    store,
    database,
    observe: (observation) => void observed.push(observation),
    clock: systemClock,
    location: 'embedded',
    folder: path.join(parent, 'rows'),
    hasFreeSpace: () => true,
    whilePaused: (work) => work(),
  });
}

const openTarget = async () => ({ store: openServers(), prepare: async () => undefined });

/** A copy to the servers. */
function orderTo(given: Partial<CopyOrder> = {}): CopyOrder {
  return { location: 'servers', isSwitching: false, maxHeldMs: 10_000, open: openTarget, ...given };
}

const openServers = (): Store => openStore({ servers: { urls: front.urls, cluster: undefined } }, options);

const organizationId = '00000000-0000-7000-8000-00000000000a' as OrganizationId;
let tags = 0;

async function write(store: Store = rig.store): Promise<void> {
  tags += 1;
  const tag = { organizationId, sessionId: `session ${tags}`, tag: 'kept', keyId: 'key', acceptedAt: Date.now(), number: tags };
  await store.setSessionTag(tag);
}

async function ended(copies: StoreCopies): Promise<CopyState> {
  await until(() => copies.state.state !== 'copying');
  return copies.state;
}

describe('a copy', () => {
  it('that was stopped leaves the records where they are, and the next one goes on', async () => {
    await write();
    const copies = openCopies();
    const gate = makeGate();
    const open = async () => {
      await gate.passed;
      return openTarget();
    };
    copies.start(orderTo({ open, isSwitching: true }));
    const stopped = copies.cancel();
    gate.open();
    expect(await stopped).toBe(true);
    expect(copies.state).toEqual({ state: 'failed', location: 'servers', reason: 'It was stopped.', mayTryAgain: false });
    expect(await copies.cancel()).toBe(false);
    await write();
    copies.start(orderTo());
    expect(await ended(copies)).toMatchObject({ state: 'equal' });
  });

  it('that runs is ordered again without a second one, and another one is refused with what to do', async () => {
    const copies = openCopies();
    const gate = makeGate();
    let opened = 0;
    const open = async () => {
      opened += 1;
      await gate.passed;
      return openTarget();
    };
    copies.start(orderTo({ open }));
    copies.start(orderTo({ open }));
    expect(() => copies.start(orderTo({ open, isSwitching: true }))).toThrow(
      'Records are being copied to ClickHouse at servers. Wait for the end, or stop it with --stop.',
    );
    expect(() => copies.start(orderTo({ open, maxHeldMs: 20_000 }))).toThrow('stop it with --stop');
    gate.open();
    await ended(copies);
    expect(opened).toBe(1);
  });

  it('is not begun while a file of the store is damaged', async () => {
    const damage = { ...rig.store.damage, parts: () => [{ table: 'requests', part: '202611_1_1_0' }] };
    const copies = openCopies({ ...rig.store, damage } as unknown as Store);
    copies.start(orderTo());
    expect(await ended(copies)).toMatchObject({
      state: 'failed',
      mayTryAgain: false,
      reason: expect.stringContaining('is damaged') as string,
    });
    const servers = openServers();
    expect(await servers.copy.identities.read()).toMatchObject({ copyOf: [], id: undefined });
    await servers.close();
  });

  it('is refused into a store that has later changes', async () => {
    const copies = openCopies();
    await write();
    copies.start(orderTo());
    expect(await ended(copies)).toMatchObject({ state: 'equal' });
    const servers = openServers();
    await write(servers);
    copies.start(orderTo());
    expect(await ended(copies)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('has later records or changes') as string,
    });
    expect(await servers.latestChangeNumber()).toBeGreaterThan(await rig.store.latestChangeNumber());
    await servers.close();
  });

  it('that cannot reach the other store says so, and changes nothing', async () => {
    const copies = openCopies();
    copies.start(orderTo({ open: () => Promise.reject(new Error('nobody answers')), isSwitching: true }));
    expect(await ended(copies)).toEqual({ state: 'failed', location: 'servers', reason: 'nobody answers', mayTryAgain: true });
    await write();
    expect(await readRecordStore(rig.database)).toBeUndefined();
    expect(observed).toEqual([{ kind: 'job_failed', job: 'copy of the store', reason: 'nobody answers' }]);
  });
});

describe('a move', () => {
  it('refuses every write to the former store afterwards, and names the other one', async () => {
    await write();
    const copies = openCopies();
    copies.start(orderTo({ isSwitching: true }));
    expect(await ended(copies)).toMatchObject({ state: 'moved', location: 'servers' });
    await expect(write()).rejects.toThrow('The records have moved to ClickHouse at servers. Gatelog is to be started with that store.');
    const servers = openServers();
    expect(await readRecordStore(rig.database)).toMatchObject({
      storeId: (await servers.copy.identities.read()).id,
      location: 'servers',
      move: 1,
    });
    await write(servers);
    await servers.close();
    expect(() => copies.start(orderTo())).toThrow('The records have moved to ClickHouse at servers. Start Gatelog with that store.');
    await expect(copies.cancel()).rejects.toThrow('Start Gatelog with that store.');
  });

  it('lets changes wait, which pass when it does not come to its end', async () => {
    await write();
    const [isHeld, goesOn] = [makeGate(), makeGate()];
    const { store } = rig;
    const holdWrites = async (maxMs: number) => {
      const held = await store.copy.holdWrites(maxMs);
      isHeld.open();
      await goesOn.passed;
      return held;
    };
    const copies = openCopies({ ...store, copy: { ...store.copy, holdWrites } });
    copies.start(orderTo({ isSwitching: true, maxHeldMs: 3000 }));
    await isHeld.passed;
    let hasPassed = false;
    const waiting = write().then(() => (hasPassed = true));
    // A read passes meanwhile.
    await store.latestChangeNumber();
    expect(hasPassed).toBe(false);
    const stopped = copies.cancel();
    goesOn.open();
    await stopped;
    await waiting;
    expect(copies.state).toMatchObject({ state: 'failed', reason: 'It was stopped.' });
    expect(await readRecordStore(rig.database)).toBeUndefined();
    await write();
  });

  it('is given up where changes would wait for longer than they may', async () => {
    await write();
    const copies = openCopies();
    copies.start(orderTo({ isSwitching: true, maxHeldMs: 1 }));
    expect(await ended(copies)).toEqual({
      state: 'failed',
      location: 'servers',
      reason: expect.stringMatching(
        /^Comparing both stores takes \d+ s, and changes may wait for 0 s. Let them wait for three times as long with --hold, at most 600.$/,
      ) as string,
      mayTryAgain: true,
    });
    await write();
  });
});
