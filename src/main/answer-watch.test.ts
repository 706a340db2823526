import { expect, it } from 'vitest';
import { AnswerWatch } from './answer-watch.ts';

it('what a part says is told; where it says nothing it counts as working for five seconds', async () => {
  let now = 0;
  let questions = 0;
  let settle: ((answer: boolean) => void) | undefined;
  const silence = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  const said = [Promise.resolve(true), Promise.reject(new Error('away')), silence];
  const watch = new AnswerWatch(
    () => {
      questions += 1;
      return said[questions - 1] ?? silence;
    },
    () => now,
  );
  expect(await watch.answers()).toBe(true);
  expect(await watch.answers()).toBe(false);
  expect(questions).toBe(2);

  expect(await watch.answers()).toBe(true);
  now = 4999;
  expect(await watch.answers()).toBe(true);
  now = 5000;
  expect(await watch.answers()).toBe(false);
  expect(questions).toBe(3);
  const next = watch.answers();
  settle?.(true);
  expect(await next).toBe(true);
});
