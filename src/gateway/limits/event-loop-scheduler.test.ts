import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { startCacheRig } from '../testing/cache-harness.ts';
import { openAiAt, startRig } from '../testing/gateway-harness.ts';
import { EventLoopScheduler } from './event-loop-scheduler.ts';
import { call, openClient, requestText, startProvider, until } from '../testing/raw-http.ts';

/** Turns of 5 ms, and a clock that moves when it is told to. */
function makeScheduler(): { readonly scheduler: EventLoopScheduler; readonly pass: (ms: number) => void; readonly now: () => number } {
  let now = 0;
  return { scheduler: new EventLoopScheduler(() => now, 5), pass: (ms) => (now += ms), now: () => now };
}

function* broken(): Generator<void, string, undefined> {
  yield;
  throw new Error('broken');
}

const modest = (count: number): string[] => Array.from({ length: count }, () => 'modest');

describe('the scheduler of the event loop', () => {
  it('let calls go on at once while they have time, and again in the next one', async () => {
    const { scheduler, pass, now } = makeScheduler();
    expect([scheduler.hasTime(now()), scheduler.hasTime(now() + 4)]).toEqual([true, true]);
    pass(5);
    expect(scheduler.hasTime(now())).toBe(false);
    await nextTurn();
    expect(scheduler.hasTime(now())).toBe(true);
  });

  it('do what waits for as long as each has time, and let nobody pass', async () => {
    const { scheduler, pass, now } = makeScheduler();
    const done: number[] = [];
    for (const number of [1, 2, 3]) {
      scheduler.later('one', () => {
        done.push(number);
        pass(3);
      });
    }
    expect([done, scheduler.hasTime(now())]).toEqual([[], false]);
    await nextTurn();
    expect([done, scheduler.hasTime(now())]).toEqual([[1, 2], false]);
    await nextTurn();
    expect(done).toEqual([1, 2, 3]);
    pass(2);
    // It took the time of this turn, whoever comes in it.
    expect(scheduler.hasTime(now())).toBe(false);
    await nextTurn();
    expect(scheduler.hasTime(now())).toBe(true);
  });

  it('give organisations the same time, however many pieces of work that is, also to one that comes later', async () => {
    const { scheduler, pass } = makeScheduler();
    const done: string[] = [];
    const work = (name: string, ms: number) => (): void => {
      done.push(name);
      pass(ms);
    };
    for (let number = 0; number < 3; number += 1) scheduler.later('greedy', work('greedy', 10));
    for (let number = 0; number < 12; number += 1) scheduler.later('modest', work('modest', 1));
    await nextTurn();
    expect(done).toEqual(['greedy']);
    await nextTurn();
    expect(done).toEqual(['greedy', ...modest(5)]);
    scheduler.later('other', work('other', 2));
    await nextTurn();
    await nextTurn();
    expect(done).toEqual(['greedy', ...modest(5), 'other', ...modest(5), 'greedy']);
    await nextTurn();
    expect(done.slice(13)).toEqual([...modest(2), 'greedy']);
  });

  it('do long work in steps, others between them, and tell what came of it or what broke', async () => {
    const { scheduler, pass } = makeScheduler();
    const done: string[] = [];
    function* steps(): Generator<void, string, undefined> {
      for (let step = 1; step <= 2; step += 1) {
        done.push(`step ${step}`);
        pass(10);
        yield;
      }
      return 'result';
    }
    const end = { done: (result: string) => void done.push(result), failed: (error: unknown) => void done.push(String(error)) };
    scheduler.inSteps('greedy', steps(), end);
    scheduler.later('modest', () => void done.push('modest'));
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(done).toEqual(['step 1', 'modest', 'step 2', 'result']);
    scheduler.inSteps('greedy', broken(), end);
    scheduler.inSteps('modest', [].values() as Iterator<void, string>, {
      ...end,
      done: () => {
        throw new Error('told');
      },
    });
    await nextTurn();
    expect(done.slice(4)).toEqual(['Error: broken', 'Error: told']);
  });
});

it('calls that arrive together go on in as many ticks of the event loop as they take', async () => {
  const provider = await startProvider((_request, response) => void response.end('{}'));
  let now = 0;
  // Every look at the clock takes longer than a turn has.
  const clock = { ...systemClock, monotonic: () => (now += 10) };
  const rig = await startRig({ providers: openAiAt(provider.port), ports: { clock, scheduler: new EventLoopScheduler(clock.monotonic) } });
  const { send } = rig.ports.upstream;
  let turn = 0;
  let counting = setImmediate(function count() {
    turn += 1;
    counting = setImmediate(count);
  });
  const sentIn: number[] = [];
  Object.assign(rig.ports.upstream, {
    send: (...given: Parameters<typeof send>) => {
      sentIn.push(turn);
      send(...given);
    },
  });
  try {
    const client = await openClient(rig.port);
    client.send(requestText('POST /v1/chat/completions', [], '{"model":"gpt-4o"}').repeat(20));
    await until(() => client.text().split('HTTP/1.1 200').length === 21);
    expect(new Set(sentIn).size).toBe(20);
    await rig.exchanges(20);
  } finally {
    clearImmediate(counting);
    await rig.close();
    await provider.close();
  }
});

it('calls that waited for an equal one go on in as many ticks of the event loop as they take', async () => {
  // Each piece of work takes longer than a turn has.
  const scheduler = new EventLoopScheduler(systemClock.monotonic, 0);
  const cached = await startCacheRig({ ports: { scheduler } });
  let turn = 0;
  let counting = setImmediate(function count() {
    turn += 1;
    counting = setImmediate(count);
  });
  const hitIn: number[] = [];
  const { meter } = cached.rig.ports;
  const cacheLookUp = meter.cacheLookUp.bind(meter);
  Object.assign(meter, {
    cacheLookUp: (kind: Parameters<typeof cacheLookUp>[0]) => {
      if (kind === 'hit') hitIn.push(turn);
      cacheLookUp(kind);
    },
  });
  try {
    const answers: (() => void)[] = [];
    cached.behave((_body, response) => void answers.push(() => void response.end('{}')));
    const text = requestText('POST /v1/chat/completions', ['Svc-Cache-Enabled: true'], '{"model":"gpt-4o"}');
    const calls = Array.from({ length: 10 }, () => call(cached.rig.port, text));
    await until(() => cached.asked() === 10 && answers.length === 1);
    answers[0]?.();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(new Set(hitIn).size).toBe(9);
    await cached.rig.exchanges(10);
  } finally {
    clearImmediate(counting);
    await cached.close();
  }
});
