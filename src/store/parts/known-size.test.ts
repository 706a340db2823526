import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoreRig, type StoreRig } from '../testing/store-harness.ts';
import { KnownSize, makeKnownSize, type StoreSize } from './known-size.ts';

const small: StoreSize = { parts: 1, merges: 0, bytes: 100 };
const large: StoreSize = { parts: 9, merges: 2, bytes: 900 };

/** A clock that the test sets, milliseconds. */
function knownBy(ask: () => Promise<StoreSize>): { readonly size: KnownSize; readonly pass: (ms: number) => void } {
  let now = 0;
  return { size: new KnownSize(ask, () => now), pass: (ms) => void (now += ms) };
}

describe('the size of the store', () => {
  it('is asked for at most twice a minute, however often it is read', async () => {
    const answers = [small, large];
    let asked = 0;
    const { size, pass } = knownBy(async () => answers[asked++] ?? large);
    expect(await Promise.all([size.read(), size.read()])).toEqual([small, small]);
    pass(29_000);
    expect([await size.read(), asked]).toEqual([small, 1]);
    pass(1000);
    expect([await size.read(), asked]).toEqual([large, 2]);
  });

  it('is not known while the store fails or is silent, and nobody waits long for it', async () => {
    let asked = 0;
    const failing = knownBy(async () => {
      asked += 1;
      throw new Error('away');
    });
    expect([await failing.size.read(), await failing.size.read(), asked]).toEqual([undefined, undefined, 1]);
    const answers = [Promise.resolve(small), new Promise<StoreSize>(() => undefined)];
    const silent = knownBy(() => answers.shift() ?? Promise.reject(new Error('asked again')));
    expect(await silent.size.read()).toEqual(small);
    silent.pass(30_000);
    expect(await silent.size.read()).toEqual(small);
    silent.pass(30_000);
    expect(await silent.size.read()).toBeUndefined();
  });
});

describe('of the engine', () => {
  let rig: StoreRig;
  beforeAll(async () => {
    rig = await openStoreRig();
  });
  afterAll(async () => rig.close());

  it('counts the parts with their bytes', async () => {
    const size = await makeKnownSize(rig.connections).read();
    expect(size?.parts).toBeGreaterThan(0);
    expect(size?.bytes).toBeGreaterThan(0);
    expect(size?.merges).toBeGreaterThanOrEqual(0);
  });
});
