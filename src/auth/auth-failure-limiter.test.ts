import { expect, it } from 'vitest';
import { GatelogError } from '../model/errors.ts';
import { AuthFailureLimiter } from './auth-failure-limiter.ts';

const rejection = new GatelogError('invalid_key', 'This key is not accepted.');

function started(maxPerMinute = 3): {
  readonly fail: (address?: string) => readonly [string, number | undefined];
  pass: (ms: number) => void;
  failed: AuthFailureLimiter;
} {
  let now = 1000;
  const failed = new AuthFailureLimiter({ maxPerMinute, monotonic: () => now });
  return {
    fail: (address = '192.0.2.1') => {
      const { code, retryAfterSeconds } = failed.reject(address, rejection);
      return [code, retryAfterSeconds];
    },
    pass: (ms) => {
      now += ms;
    },
    failed,
  };
}

it('an address may fail so often in a minute; then it is told when to try again, and tries meanwhile do not put that off', () => {
  const { fail, pass } = started();
  for (let count = 0; count < 3; count += 1) expect(fail()).toEqual(['invalid_key', undefined]);
  expect(fail()).toEqual(['too_many_failures', 20]);
  pass(15_000);
  expect(fail()).toEqual(['too_many_failures', 5]);
  pass(5000);
  expect([fail(), fail()]).toEqual([
    ['invalid_key', undefined],
    ['too_many_failures', 20],
  ]);
  pass(3_600_000);
  expect([fail(), fail(), fail(), fail()].map(([code]) => code)).toEqual([
    'invalid_key',
    'invalid_key',
    'invalid_key',
    'too_many_failures',
  ]);
});

it('addresses do not share their failures; those of one IPv6 network do', () => {
  const { fail } = started(1);
  expect([fail('192.0.2.1'), fail('192.0.2.2'), fail('::ffff:192.0.2.1')].map(([code]) => code)).toEqual([
    'invalid_key',
    'invalid_key',
    'invalid_key',
  ]);
  expect([fail('2001:db8::1'), fail('2001:db8:0:0:ffff::2'), fail('2001:db8:0:1::1')].map(([code]) => code)).toEqual([
    'invalid_key',
    'too_many_failures',
    'invalid_key',
  ]);
});

it('what is remembered is bounded, and 0 is no limit', () => {
  const { fail, failed } = started(1);
  for (let count = 0; count < 20_000; count += 1) fail(`10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`);
  expect(failed.size).toBe(10_000);
  const unlimited = started(0);
  for (let count = 0; count < 100; count += 1) expect(unlimited.fail()).toEqual(['invalid_key', undefined]);
  expect(unlimited.failed.size).toBe(0);
});
