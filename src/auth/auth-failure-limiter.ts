import { isIPv6 } from 'node:net';
import { GatelogError } from '../model/errors.ts';

export interface AuthFailureLimiterOptions {
  /** Rejected keys per address and minute; 0: no limit. */
  readonly maxPerMinute: number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
}

/** Remembered addresses; the one that failed longest ago is dropped first. */
const maxAddresses = 10_000;
const minuteMs = 60_000;

interface Bucket {
  /** Remaining failures at `at`, with fractions. */
  readonly left: number;
  readonly at: number;
}

/**
 * Limits failed attempts by client address with a token bucket each, in this process. Invariant: a valid key is never rejected for
 * failures of others at its address (a proxy, a NAT), because callers look the key up first.
 */
export class AuthFailureLimiter {
  private readonly options: AuthFailureLimiterOptions;
  private readonly buckets = new Map<string, Bucket>();

  constructor(options: AuthFailureLimiterOptions) {
    this.options = options;
  }

  /** Counts a rejected key. @returns `rejection`, or `too_many_failures` once the address has failed too often. */
  reject(address: string | undefined, rejection: GatelogError): GatelogError {
    const { maxPerMinute, monotonic } = this.options;
    if (maxPerMinute === 0) return rejection;
    const name = nameOf(address ?? '');
    const now = monotonic();
    const bucket = this.buckets.get(name) ?? { left: maxPerMinute, at: now };
    const left = Math.min(maxPerMinute, bucket.left + ((now - bucket.at) * maxPerMinute) / minuteMs);
    this.buckets.delete(name);
    this.buckets.set(name, { left: left >= 1 ? left - 1 : left, at: now });
    this.evict();
    return left >= 1 ? rejection : tooMany(maxPerMinute, Math.ceil(((1 - left) * minuteMs) / maxPerMinute / 1000));
  }

  get size(): number {
    return this.buckets.size;
  }

  private evict(): void {
    if (this.buckets.size <= maxAddresses) return;
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}

function tooMany(limit: number, resetSeconds: number): GatelogError {
  return new GatelogError(
    'too_many_failures',
    `Too many invalid keys came from this address; try again in ${resetSeconds} s. Calls with a valid key are not affected.`,
    { usedUp: { limit, remaining: 0, resetSeconds, windowSeconds: minuteMs / 1000 } },
  );
}

/** The /64 network of an IPv6 address, as one client usually controls all of it. */
function nameOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::', 2);
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
