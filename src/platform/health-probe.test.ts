import { expect, it } from 'vitest';
import { HealthProbe } from './health-probe.ts';

/** A part that answers so, in turn, and then keeps silent until it is told to answer. */
function partThat(...said: readonly Promise<boolean>[]) {
  let settle: ((answer: boolean) => void) | undefined;
  const silence = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  const part = { questions: 0, now: 0, settle: (answer: boolean) => settle?.(answer) };
  const ask = (): Promise<boolean> => {
    part.questions += 1;
    return said[part.questions - 1] ?? silence;
  };
  return { part, watch: new HealthProbe(ask, () => part.now) };
}

it('what a part says is told; where it works and says nothing it counts as working for five seconds', async () => {
  const { part, watch } = partThat(Promise.reject(new Error('away')), Promise.resolve(true));
  expect(await watch.responds()).toBe(false);
  expect(await watch.responds()).toBe(true);
  expect(part.questions).toBe(2);

  expect(await watch.responds()).toBe(true);
  part.now = 4999;
  expect(await watch.responds()).toBe(true);
  part.now = 5000;
  expect(await watch.responds()).toBe(false);
  expect(part.questions).toBe(3);
  const next = watch.responds();
  part.settle(true);
  expect(await next).toBe(true);
});

it('a part that was away is away until it answers, however seldom it is asked', async () => {
  const { part, watch } = partThat(Promise.resolve(true), Promise.resolve(false));
  expect([await watch.responds(), await watch.responds()]).toEqual([true, false]);
  part.now = 60_000;
  expect(await watch.responds()).toBe(false);
  const next = watch.responds();
  part.settle(true);
  expect(await next).toBe(true);
});
