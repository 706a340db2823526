import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IngestRig, openRig, SpoolRig } from '../ingest/testing/ingest-harness.ts';
import { storeTrustedTime, readTrustedTime } from '../metadata/trusted-time.ts';
import { createOrganization } from '../metadata/organization/organizations.ts';
import type { Observation } from '../model/observation.ts';
import { TrustedClock } from './trusted-clock.ts';
import { Retention } from './retention.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;
/** When the clock was believed last. */
const last = 1_800_000_000_000;

/** A clock that a test sets, and what asks it. */
class Machine {
  wall = last;
  monotonic = 0;
  kept: number | undefined;
  readonly observations: Observation[] = [];
  believed: TrustedClock;

  /** @param kept when the clock was believed last; undefined: nobody knows. */
  constructor(kept: number | undefined) {
    this.kept = kept;
    this.believed = this.boot();
  }

  /** Another life: nothing but what was written down is known. */
  boot(): TrustedClock {
    this.monotonic = 12_345;
    this.believed = new TrustedClock({
      clock: { now: () => this.wall, monotonic: () => this.monotonic },
      readTrusted: async () => this.kept,
      storeTrusted: async (at) => {
        this.kept = at;
      },
      observe: (observation) => this.observations.push(observation),
    });
    return this.believed;
  }

  passes(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }
}

/** What happens to the machine before the next question: time that passes, the clock set by so much, or a restart. */
type Step = readonly ['passes' | 'is set by', ms: number] | readonly ['restarts'];
/** @param told 'its time': what the clock says; 'nothing'. */
type Look = readonly [...steps: Step[], told: 'its time' | 'nothing'];

describe('the clock by which is removed', () => {
  it.each<[string, Look[]]>([
    [
      'is believed where it is not far from what was written down',
      [
        [['is set by', day], 'its time'],
        [['is set by', -day], 'its time'],
      ],
    ],
    ['is believed as it goes on', [['its time'], [['passes', year], 'its time'], [['passes', year], 'its time']]],
    [
      'is not believed years ahead',
      [
        [['is set by', 5 * year], 'nothing'],
        [['passes', hour - 1], 'nothing'],
      ],
    ],
    ['is not believed a little more than a day ahead', [[['is set by', day + 1], 'nothing']]],
    ['is not believed when it jumps while the service runs', [['its time'], [['passes', year], ['is set by', 2 * day], 'nothing']]],
    ['is believed where it still is after an hour', [[['is set by', 5 * year], 'nothing'], [['passes', hour], 'its time'], ['its time']]],
    [
      'waits again where it is set again',
      [
        [['is set by', year], 'nothing'],
        [['passes', hour / 2], ['is set by', year], 'nothing'],
        [['passes', hour / 2], 'nothing'],
        [['passes', hour / 2], 'its time'],
      ],
    ],
    [
      'waits again after a restart',
      [
        [['is set by', year], 'nothing'],
        [['passes', hour], ['restarts'], 'nothing'],
        [['passes', hour], 'its time'],
      ],
    ],
    [
      'is believed at once when it is set right again',
      [
        [['is set by', 5 * year], 'nothing'],
        [['passes', minute], ['is set by', -5 * year], 'its time'],
        [['is set by', 5 * year], ['passes', hour], 'nothing'],
      ],
    ],
    ['is told while it is years behind, by which nothing is of age', [[['is set by', -20 * year], 'its time']]],
    [
      'is believed at once when it was years behind and is set right',
      [
        [['is set by', -20 * year], 'its time'],
        [['passes', minute], ['is set by', 20 * year], 'its time'],
      ],
    ],
    [
      'is not believed ahead of where it was for an hour, though it was there before',
      [
        [['is set by', -year], 'its time'],
        [['passes', hour], 'its time'],
        [['is set by', year], 'nothing'],
      ],
    ],
  ])('%s', async (_, looks) => {
    const machine = new Machine(last);
    for (const [index, look] of looks.entries()) {
      for (const step of look) {
        if (step === 'its time' || step === 'nothing') continue;
        if (step[0] === 'passes') machine.passes(step[1]);
        else if (step[0] === 'is set by') machine.wall += step[1];
        else machine.boot();
      }
      const told = look.at(-1) === 'its time' ? machine.wall : undefined;
      expect([index, await machine.believed.now()]).toEqual([index, told]);
    }
  });

  it('is believed where nothing is known of an earlier time', async () => {
    expect(await new Machine(undefined).believed.now()).toBe(last);
  });

  it('says how far it is ahead, each time', async () => {
    const machine = new Machine(last);
    machine.wall += 2 * day;
    await machine.believed.now();
    await machine.believed.now();
    const observation = { kind: 'removals_put_off', clock: new Date(last + 2 * day).toISOString(), aheadMs: 2 * day };
    expect(machine.observations).toEqual([observation, observation]);
  });
});

describe('a service whose clock is years ahead at its start', () => {
  let rig: IngestRig;
  beforeAll(async () => {
    rig = await openRig();
  });
  afterAll(async () => {
    await rig.close();
  });

  it('removes no record until the clock was there for an hour', async () => {
    const spool = new SpoolRig(rig);
    await spool.write(spool.openWriter());
    await spool.drainAll();
    const { database, store } = rig;
    // As of an earlier version: the youngest organisation tells the least that the time can be.
    expect(await readTrustedTime(database)).toBeUndefined();
    await createOrganization(database, 'ours', Date.now() - hour);
    let passedMs = 0;
    const believed = new TrustedClock({
      clock: { now: () => Date.now() + 5 * year + passedMs, monotonic: () => passedMs },
      readTrusted: () => readTrustedTime(database),
      storeTrusted: (at) => storeTrustedTime(database, at),
      observe: () => undefined,
    });
    const retention = new Retention({
      deploymentDays: 365,
      daysByOrganization: async () => new Map(),
      removeExpired: store.removeExpired,
      removeClaims: async () => undefined,
      removeDeliveries: async () => undefined,
      forgetReceipts: async () => undefined,
      trustedNow: () => believed.now(),
      intervalMs: hour,
      observe: () => undefined,
    });
    expect(await retention.runOnce()).toBe(0);
    expect((await spool.storedIds()).requests).toHaveLength(1);
    passedMs = hour;
    expect(await retention.runOnce()).toBe(1);
    expect(await readTrustedTime(database)).toBeGreaterThan(Date.now() + 4 * year);
  });
});
