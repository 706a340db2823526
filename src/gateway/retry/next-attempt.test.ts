import { describe, expect, it } from 'vitest';
import { parseEntries, readFallbacks } from '../directives/fallbacks.ts';
import { defaultRetryPolicy } from '../directives/retry-policy.ts';
import { type AttemptPlan, type Failure, nextAttempt } from './next-attempt.ts';

const toTarget = (targetIndex: number): object => ({ kind: 'fallback', targetIndex });

describe('what follows a failed attempt', () => {
  const fallbacks = readFallbacks(
    parseEntries(
      '[{"model": "large", "on": [400, 413]}, {"model": "other"}, {"model": "last", "on": [{"from": 400, "to": 599}]}]',
      'Svc-Fallbacks',
    ),
    'Svc-Fallbacks',
  ).map((fallback) => ({ fallback }));
  const plan: AttemptPlan = { retry: undefined, fallbacks, maxAttempts: 20, retryWithinMs: 60_000 };
  const repeating: AttemptPlan = { ...plan, retry: { ...defaultRetryPolicy, retries: 2 } };
  const failure: Failure = {
    status: 500,
    isTooLong: false,
    retryAfterMs: undefined,
    targetIndex: 0,
    retries: 0,
    attempts: 1,
    elapsedMs: 10,
  };
  const none = { kind: 'none' };
  const cases: readonly [why: string, plan: AttemptPlan, failure: Partial<Failure>, next: object][] = [
    ['the first fallback that takes over from it', plan, {}, toTarget(2)],
    ['an earlier one, where the status is its own', plan, { status: 413 }, toTarget(1)],
    ['one that takes over from nearly everything', plan, { status: 404 }, toTarget(3)],
    ['nothing: no fallback takes over from a success', plan, { status: 200 }, none],
    ['a later fallback, never an earlier one', plan, { status: 400, targetIndex: 1 }, toTarget(3)],
    ['nothing after the last', plan, { targetIndex: 3 }, none],
    ['the same target first, where retries are on', repeating, {}, { kind: 'retry', waitMs: 500 }],
    ['the same target, later, for as long as the provider asks', repeating, { retryAfterMs: 3000 }, { kind: 'retry', waitMs: 3000 }],
    ['the next target once the retries are used up', repeating, { retries: 2, attempts: 3 }, toTarget(2)],
    ['the retries of the next target too', repeating, { targetIndex: 2, attempts: 4 }, { kind: 'retry', waitMs: 500 }],
    ['no retry of what will not go better', repeating, { status: 400 }, toTarget(1)],
    ['the next target, where it is late for a retry', repeating, { elapsedMs: 59_501 }, toTarget(2)],
    ['a retry that begins just in time', repeating, { elapsedMs: 59_500 }, { kind: 'retry', waitMs: 500 }],
    [
      'nothing, where it is late and there is no other target',
      { ...repeating, fallbacks: [] },
      { elapsedMs: 59_501 },
      { kind: 'none', reason: 'after 60000 ms (GATELOG_RETRY_WITHIN_MS)' },
    ],
    ['nothing after the most attempts', repeating, { attempts: 20 }, { kind: 'none', reason: 'after 20 attempts (GATELOG_ATTEMPTS_MAX)' }],
    ['nothing to blame on the most attempts where nothing would follow', plan, { attempts: 20, targetIndex: 3 }, none],
  ];
  for (const [why, given, failed, next] of cases) {
    it(why, () => {
      expect(nextAttempt(given, { ...failure, ...failed }, 0)).toEqual(next);
    });
  }
});
