import { GatelogError } from '../model/errors.ts';
import type { Money } from '../model/money.ts';
import type { Claim, Standing, Taken, Verdict } from '../state/windows.ts';
import { type LimitPolicy, unitsOfCall } from './limit-policy.ts';

/** The windows that all workers share. */
export interface LimitWindows {
  readonly claim: (claims: readonly Claim[], now: number) => Verdict;
  readonly settle: (taken: readonly Taken[], amountOf: (taken: Taken) => bigint) => void;
}

/** Of a call what limits look at. */
export interface LimitedCall {
  readonly organizationId: string;
  /** Empty: the caller named none, so a limit by user does not hold for it. */
  readonly userId: string;
  readonly property: (name: string) => string | undefined;
  /** What the call may cost at most, for a budget to set aside. */
  readonly estimate: () => Money;
}

/** What was set aside for a call; nothing when no budget was asked. */
export interface Reservation {
  readonly taken: readonly Taken[];
  /** Lines for the reply: how the strictest limit stands. */
  readonly lines: readonly string[];
}

/** A call that a limit refuses. */
export class LimitReached extends GatelogError {
  readonly lines: readonly string[];

  constructor(message: string, lines: readonly string[]) {
    super('rate_limited', message);
    this.lines = lines;
  }
}

interface Applied {
  readonly policy: LimitPolicy;
  readonly claim: Claim;
}

/**
 * Asks all policies at once, so that a call that one of them refuses uses up nothing of the others.
 * @param now Unix milliseconds.
 * @throws LimitReached when one of them is used up.
 */
export function reserve(windows: LimitWindows, policies: readonly LimitPolicy[], call: LimitedCall, now: number): Reservation {
  const applied = policies.flatMap((policy) => appliedTo(policy, call) ?? []);
  if (applied.length === 0) return { taken: [], lines: [] };
  const verdict = windows.claim(
    applied.map(({ claim }) => claim),
    now,
  );
  const place = verdict.refused ?? strictest(applied, verdict.standings);
  const { policy } = applied[place] ?? {};
  const standing = verdict.standings[place];
  if (policy === undefined || standing === undefined) throw new TypeError('A verdict has a standing for each claim.');
  const lines = standingLines(policy, standing, now);
  if (!verdict.granted) throw new LimitReached(refusal(policy, standing, now), lines);
  const isOfMoney = new Set(applied.flatMap(({ policy: { unit } }, index) => (unit === 'cents' ? [index] : [])));
  return { taken: verdict.taken.filter((_, index) => isOfMoney.has(index)), lines };
}

/** Replaces what was set aside for a call by what it cost. Only called when that is known: else all of it stays counted. */
export function settleCost(windows: LimitWindows, { taken }: Reservation, cost: Money): void {
  if (taken.length > 0) windows.settle(taken, () => cost);
}

/** @returns undefined for a segment whose value the call does not have. */
function appliedTo(policy: LimitPolicy, call: LimitedCall): Applied | undefined {
  const value = segmentValue(policy, call);
  if (value === undefined) return undefined;
  const { quota, windowMs, segment, unit } = policy;
  const of = segment === undefined ? 'all' : segment.of === 'user' ? 'user' : `property ${segment.name}`;
  const amount = unit === 'request' ? unitsOfCall : call.estimate();
  return { policy, claim: { name: [call.organizationId, unit, of, value], quota: { amount: quota, windowMs }, amount } };
}

function segmentValue({ segment }: LimitPolicy, call: LimitedCall): string | undefined {
  if (segment === undefined) return '';
  const value = segment.of === 'user' ? call.userId : call.property(segment.name);
  return value === '' ? undefined : value;
}

/** The limit of which the smallest share is left. */
function strictest(applied: readonly Applied[], standings: readonly Standing[]): number {
  const shares = applied.map(({ policy }, index) => Number(standings[index]?.left ?? 0n) / Number(policy.quota));
  return shares.indexOf(Math.min(...shares));
}

function refusal({ text, unit }: LimitPolicy, { endsAt }: Standing, now: number): string {
  const what = unit === 'request' ? 'The quota of calls' : 'The budget';
  return `${what} of the limit "${text}" is used up. Try again in ${secondsUntil(endsAt, now)} s.`;
}

/** `svc-ratelimit-*` as existing clients read them. */
function standingLines(policy: LimitPolicy, { left, endsAt }: Standing, now: number): string[] {
  return Object.entries({
    'svc-ratelimit-limit': shownAmount(policy, policy.quota),
    'svc-ratelimit-remaining': shownAmount(policy, left),
    'svc-ratelimit-reset': String(secondsUntil(endsAt, now)),
    'svc-ratelimit-policy': policy.text,
  }).flat();
}

function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / 1000));
}

/** In the policy's own unit, six decimals at most, rounded down. */
function shownAmount({ unit }: LimitPolicy, amount: bigint): string {
  const millionths = unit === 'request' ? amount : amount / 10_000n;
  const fraction = String(millionths % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const whole = String(millionths / 1_000_000n);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
