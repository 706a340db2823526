import { GatelogError, messageOf } from '../../model/errors.ts';
import { type LimitPolicy, type LimitWindow, unitsOfCall } from '../../model/limit-policy.ts';
import type { Money } from '../../model/pricing/money.ts';
import type { Observe } from '../../model/observation.ts';
import type { RateLimitState } from '../../model/rate-limit-headers.ts';
import { calendarBounds, calendarKey } from '../../model/time/calendar.ts';
import { type Claim, type Quota, ShareTakenError, type WindowState, type Verdict } from '../../state/fixed-windows.ts';

/** The windows that all workers share. Throws when they are unavailable. */
export interface LimitWindows {
  readonly claim: (claims: readonly Claim[], now: number, reservation: readonly [string, string]) => Verdict;
}

/** Each function is called only when a policy needs its value. */
export interface LimitedCall {
  readonly organizationId: string;
  /** The name of the reservation. */
  readonly requestId: string;
  /** Empty: no user, so limits by user do not apply. */
  readonly userId: () => string;
  readonly property: (name: string) => string | undefined;
  /** Upper bound of the cost, which a budget reserves. */
  readonly estimate: () => Money;
}

export interface RateLimitDecision {
  /** Money was reserved, which the record settles. */
  readonly reserved: boolean;
  /** Response headers: the state of the strictest limit. */
  readonly lines: readonly string[];
}

export interface LimitPorts {
  readonly windows: LimitWindows;
  readonly observe: Observe;
}

export class RateLimitExceeded extends GatelogError {
  override readonly usedUp: RateLimitState;
  /** Response headers beside those of every 429. */
  readonly lines: readonly string[];

  constructor(message: string, usedUp: RateLimitState, lines: readonly string[]) {
    super('rate_limited', message, { usedUp });
    this.usedUp = usedUp;
    this.lines = lines;
  }
}

interface Applied {
  readonly policy: LimitPolicy;
  readonly claim: Claim;
}

/** Ended counts are removed little by little. */
const shareRetrySeconds = 60;
const unlimited: RateLimitDecision = { reserved: false, lines: [] };

/**
 * Checks all policies at once, so that a call rejected by one consumes nothing of the others. While the shared windows fail, limits of
 * calls allow and budgets reject.
 * @param now Unix milliseconds.
 * @throws RateLimitExceeded, GatelogError `limits_unavailable`, or `rate_limited` for an organisation that fills the windows.
 */
export function reserve(
  { windows, observe }: LimitPorts,
  policies: readonly LimitPolicy[],
  call: LimitedCall,
  now: number,
): RateLimitDecision {
  const applied = policies.flatMap((policy) => appliedTo(policy, call, now) ?? []);
  if (applied.length === 0) return unlimited;
  const claims = applied.map(({ claim }) => claim);
  let verdict: Verdict;
  try {
    verdict = windows.claim(claims, now, [call.organizationId, call.requestId]);
  } catch (error) {
    if (error instanceof ShareTakenError) throw shareTaken(error);
    observe({ kind: 'limits_failed', reason: messageOf(error) });
    return withoutWindows(applied, error);
  }
  const index = verdict.refused === undefined ? strictest(applied, verdict.states) : reportedFirst(applied, verdict.refused);
  const one = applied[index];
  const state = verdict.states[index];
  if (one === undefined || state === undefined) throw new TypeError('A verdict has a state for each claim.');
  const lines = stateHeaders(one.policy, state, now);
  if (verdict.granted) return { reserved: verdict.reserved, lines };
  throw new RateLimitExceeded(
    refusal(one, state, now),
    { ...usedUpOf(one, state, now), ...(isHopeless(one) ? { exceedsQuota: true } : {}) },
    lines,
  );
}

/** The organisation itself caused it, so its limits of calls do not allow the call. */
function shareTaken(error: ShareTakenError): GatelogError {
  const sentence =
    'The limits of your organisation count for as many users and properties as they may beside those of others ' +
    `(GATELOG_ORGANIZATION_SHARE_PERCENT: ${error.percent} of what others leave of GATELOG_STATE_MAX_BYTES), and this call needs one more count. ` +
    'Use limits with shorter windows, or of segments with fewer values.';
  return new GatelogError('rate_limited', sentence, { retryAfterSeconds: shareRetrySeconds, cause: error });
}

function withoutWindows(applied: readonly Applied[], cause: unknown): RateLimitDecision {
  const budget = applied.find(({ policy }) => policy.unit === 'cents');
  if (budget === undefined) return unlimited;
  throw new GatelogError(
    'limits_unavailable',
    `The budget of ${named(budget.policy)} cannot be checked at the moment; try again shortly.`,
    {
      cause,
    },
  );
}

/** @returns undefined for a call without a value for the segment, or with another one than the policy is for. */
function appliedTo(policy: LimitPolicy, call: LimitedCall, now: number): Applied | undefined {
  const value = segmentValue(policy, call);
  if (value === undefined) return undefined;
  const { segment, unit, keyId } = policy;
  // Property names are case-insensitive, so their spellings share a count.
  const of = segment === undefined ? 'all' : segment.of === 'user' ? 'user' : `property ${segment.name.toLowerCase()}`;
  const isEstimate = unit === 'cents';
  const name = [call.organizationId, unit, of, value, ...(keyId === undefined ? [] : [keyId])];
  return { policy, claim: { name, quota: quotaAt(policy, now), amount: isEstimate ? call.estimate() : unitsOfCall, isEstimate } };
}

function quotaAt({ quota: amount, window }: LimitPolicy, now: number): Quota {
  if (window.kind === 'fixed') return { amount, windowMs: window.ms };
  return { amount, calendar: { key: calendarKey(window), ...calendarBounds(window, now) } };
}

function segmentValue({ segment, value: only }: LimitPolicy, call: LimitedCall): string | undefined {
  if (segment === undefined) return '';
  const value = segment.of === 'user' ? call.userId() : call.property(segment.name);
  return value === '' || (only !== undefined && value !== only) ? undefined : value;
}

/** A limit that waiting does not help is reported before others. */
function reportedFirst(applied: readonly Applied[], refused: number): number {
  const hopeless = applied.findIndex(isHopeless);
  return hopeless === -1 ? refused : hopeless;
}

/** A call that exceeds the whole quota is rejected in every window. */
function isHopeless({ policy, claim }: Applied): boolean {
  return claim.amount > policy.quota;
}

/** The limit with the smallest remaining share. */
function strictest(applied: readonly Applied[], states: readonly WindowState[]): number {
  const shares = applied.map(({ policy }, index) => Number(states[index]?.left ?? 0n) / Number(policy.quota));
  return shares.indexOf(Math.min(...shares));
}

function named({ text, value, ruleName }: LimitPolicy): string {
  if (ruleName !== undefined) return `the alert rule "${ruleName}" ("${text}")`;
  return value === undefined ? `the limit "${text}"` : `the limit "${text}" for "${value}"`;
}

function refusal(applied: Applied, { endsAt }: WindowState, now: number): string {
  const { policy, claim } = applied;
  const { unit } = policy;
  const limit = named(policy);
  const again = `Try again in ${secondsUntil(endsAt, now)} s${calendarEnd(policy.window, endsAt)}`;
  if (unit === 'request') return `The quota of calls of ${limit} is used up. ${again}.`;
  const hint = `This call may cost up to ${shownAmount(policy, claim.amount)} cents; give it a smaller max_tokens`;
  return isHopeless(applied)
    ? `The budget of ${limit} is smaller than one such call, so that waiting does not help. ${hint} or a shorter body, or raise the limit.`
    : `What is left of the budget of ${limit} does not cover this call. ${hint}. ${again}.`;
}

/** Says what ends, since it may be weeks away. */
function calendarEnd(window: LimitWindow, endsAt: number): string {
  if (window.kind === 'fixed') return '';
  return `, at ${new Date(endsAt).toISOString()}, when the ${window.unit} ends in ${window.timezone}`;
}

/** `svc-ratelimit-*` as existing clients read them. */
function stateHeaders(policy: LimitPolicy, { left, endsAt }: WindowState, now: number): string[] {
  return Object.entries({
    'svc-ratelimit-limit': shownAmount(policy, policy.quota),
    'svc-ratelimit-remaining': shownAmount(policy, left),
    'svc-ratelimit-reset': String(secondsUntil(endsAt, now)),
    // The caller's own bytes: headers are Latin-1.
    'svc-ratelimit-policy': Buffer.from(policy.text).toString('latin1'),
  }).flat();
}

/** Whole calls or whole cents, for clients that know no units. */
function usedUpOf({ policy, claim: { quota } }: Applied, { left, endsAt }: WindowState, now: number): RateLimitState {
  const floored = (amount: bigint): number => Math.floor(Number(shownAmount(policy, amount)));
  const windowMs = 'calendar' in quota ? quota.calendar.endsAt - quota.calendar.startsAt : quota.windowMs;
  const windowSeconds = Math.ceil(windowMs / 1000);
  return { limit: floored(policy.quota), remaining: floored(left), resetSeconds: secondsUntil(endsAt, now), windowSeconds };
}

function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / 1000));
}

/** In the policy's unit, with at most six decimals, rounded down. */
function shownAmount({ unit }: LimitPolicy, amount: bigint): string {
  const millionths = unit === 'request' ? amount : amount / 10_000n;
  const fraction = String(millionths % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const integerPart = String(millionths / 1_000_000n);
  return fraction === '' ? integerPart : `${integerPart}.${fraction}`;
}
