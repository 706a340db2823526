import { expect, test } from 'vitest';
import type { OrganizationId } from '../model/ids.ts';
import { AnswersInHand, McpCalls } from './mcp.ts';

const organization = (number: number): OrganizationId => `00000000-0000-7000-8000-00000000000${number}` as OrganizationId;

/** Calls that run until they are told to end. */
function heldCalls(calls: McpCalls) {
  const ends: (() => void)[] = [];
  const start = (number: number): Promise<void> =>
    calls.during(organization(number), () => new Promise<void>((resolve) => ends.push(resolve)));
  return { start, endAll: () => ends.splice(0).forEach((end) => end()) };
}

test('an organisation runs 8 calls of tools at once, all together 32, and a call that has ended makes room', async () => {
  const calls = new McpCalls();
  const { start, endAll } = heldCalls(calls);
  const running = [1, 2, 3, 4].flatMap((number) => Array.from({ length: 8 }, () => start(number)));
  await expect(start(1)).rejects.toMatchObject({ code: 'service_busy' });
  await expect(start(5)).rejects.toMatchObject({ code: 'service_busy', retryAfterSeconds: 2 });
  endAll();
  await Promise.all(running);
  const failed = calls.during(organization(1), () => Promise.reject(new Error('on purpose')));
  await expect(failed).rejects.toThrow('on purpose');
  const again = Array.from({ length: 8 }, () => start(1));
  await expect(start(1)).rejects.toMatchObject({ code: 'service_busy' });
  endAll();
  await Promise.all(again);
});

test('memory of an answer is held until the tool asks on or ends, and never while it waits', async () => {
  const inHand = new AnswersInHand();
  const released: string[] = [];
  const answer = (name: string) =>
    inHand.during((reader) => {
      reader.takeOver(() => released.push(name));
      return new Response();
    });
  await answer('first');
  expect(released).toEqual([]);
  const ends: (() => void)[] = [];
  const waiting = inHand.during(() => new Promise<Response>((resolve) => ends.push(() => resolve(new Response()))));
  expect(released).toEqual(['first']);
  await answer('beside');
  expect(released).toEqual(['first', 'beside']);
  ends.forEach((end) => end());
  await waiting;
  await answer('last');
  expect(released).toEqual(['first', 'beside']);
  inHand.release();
  expect(released).toEqual(['first', 'beside', 'last']);
});
