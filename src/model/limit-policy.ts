import { GatelogError } from './errors.ts';
import { moneyOfUnits, parseMoney, type Money } from './pricing/money.ts';
import { quotedInHeader } from './text.ts';
import { type Calendar, type CalendarUnit, calendarUnits, zoneNamed } from './time/calendar.ts';

/** Max calls or cost per window: per organisation, or per user or property value when there is a segment. */
export interface LimitPolicy {
  readonly unit: 'request' | 'cents';
  /** Calls in millionths; cost in 10⁻¹² USD. */
  readonly quota: bigint;
  readonly window: LimitWindow;
  readonly segment: LimitSegment | undefined;
  /** Verbatim, for the response's headers. */
  readonly text: string;
  /** The only user, or value of the property, whose calls it counts; absent: each has a count of its own. Only with a segment. */
  readonly value?: string;
  /** Counts only this key's calls; absent: all calls of the organisation. */
  readonly keyId?: string;
  /** Name of the alert rule that it belongs to. */
  readonly ruleName?: string;
}

export type LimitWindow =
  /** Begins with the first call after the last window has ended. */
  { readonly kind: 'fixed'; readonly ms: number } | ({ readonly kind: 'calendar' } & Calendar);

export type LimitSegment = { readonly of: 'user' } | { readonly of: 'property'; readonly name: string };

/** One call in quota units; quotas may have decimals. */
export const unitsOfCall = 1_000_000n;

/** In characters. */
export const maxLimitPolicy = 512;
const maxWindowSeconds = 31_536_000;
const maxQuota = 1_000_000_000;
const example =
  'Write "<quota>;w=<seconds>" or "<quota>;calendar=day|week|month;tz=<time zone>", then ";u=request" or ";u=cents", then ";s=user" or ";s=<property>", e.g. "1000;w=3600;u=cents;s=user".';

/**
 * Parses `<quota>;w=<seconds>[;u=request|cents][;s=user|<property>]`, which may have `calendar=day|week|month[;tz=<time zone>]` in place of
 * `w=`; the options may come in any order. @throws GatelogError `invalid_directive` with the faulty part.
 */
export function parseLimitPolicy(text: string, name = 'Svc-RateLimit-Policy'): LimitPolicy {
  const wrong = (what: string): GatelogError => new GatelogError('invalid_directive', `${name}: ${what} ${example}`);
  // The policy is returned in a header, where control characters are not allowed.
  if (/\p{Cc}/u.test(text)) throw wrong('it holds a control character.');
  if (text.length > maxLimitPolicy) throw wrong(`it has more than ${maxLimitPolicy} characters.`);
  const [quotaText = '', ...parts] = text.split(';').map((part) => part.trim());
  const options = optionsOf(parts, wrong);
  const unit = options.get('u') ?? 'request';
  if (unit !== 'request' && unit !== 'cents') throw wrong(`the unit ${quotedInHeader(unit)} is neither request nor cents.`);
  const amount = quotaOf(quotaText);
  if (amount === undefined) throw wrong(`the quota ${quotedInHeader(quotaText)} is no number above 0 and up to ${maxQuota}.`);
  // `amount` is in units of 10⁻¹². A call has a million quota units; a cent is a hundredth of a dollar.
  const quota = unit === 'request' ? amount / (10n ** 12n / unitsOfCall) : amount / 100n;
  return { unit, quota, window: windowOf(options, wrong), segment: segmentOf(options.get('s'), wrong), text };
}

type Wrong = (what: string) => GatelogError;

const optionNames: ReadonlySet<string> = new Set(['w', 'calendar', 'tz', 'u', 's']);

function optionsOf(parts: readonly string[], wrong: Wrong): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const part of parts) {
    const [key = '', ...rest] = part.split('=');
    if (!optionNames.has(key) || rest.length === 0) throw wrong(`${quotedInHeader(part)} is none of w=, calendar=, tz=, u= and s=.`);
    if (options.has(key)) throw wrong(`${key}= is there twice.`);
    options.set(key, rest.join('='));
  }
  return options;
}

function windowOf(options: ReadonlyMap<string, string>, wrong: Wrong): LimitWindow {
  const [seconds, unit, timezone] = [options.get('w'), options.get('calendar'), options.get('tz')];
  if (unit !== undefined && seconds !== undefined) throw wrong('w= and calendar= exclude each other; leave one out.');
  if (unit !== undefined) return calendarOf(unit, timezone ?? 'UTC', wrong);
  if (seconds === undefined) throw wrong('it has no window; it takes w= or calendar=.');
  if (timezone !== undefined) throw wrong('tz= goes with calendar=; leave it out beside w=.');
  return { kind: 'fixed', ms: millisecondsOf(seconds, wrong) };
}

function calendarOf(unit: string, tz: string, wrong: Wrong): LimitWindow {
  if (!isCalendarUnit(unit)) throw wrong(`calendar=${quotedInHeader(unit)} is none of ${calendarUnits.join(', ')}.`);
  const timezone = zoneNamed(tz);
  if (timezone === undefined) {
    throw wrong(`tz=${quotedInHeader(tz)} is no name of the IANA time zone database such as Europe/Berlin.`);
  }
  return { kind: 'calendar', unit, timezone };
}

function isCalendarUnit(text: string): text is CalendarUnit {
  return (calendarUnits as readonly string[]).includes(text);
}

function millisecondsOf(text: string, wrong: Wrong): number {
  const seconds = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= maxWindowSeconds) return seconds * 1000;
  throw wrong(`w=${quotedInHeader(text)} is not a whole number of seconds from 1 to ${maxWindowSeconds}.`);
}

function segmentOf(text: string | undefined, wrong: Wrong): LimitSegment | undefined {
  if (text === '') throw wrong('s= names nothing.');
  if (text === undefined) return undefined;
  return text === 'user' ? { of: 'user' } : { of: 'property', name: text };
}

function quotaOf(text: string): Money | undefined {
  if (!/^\d{1,10}(?:\.\d{1,6})?$/.test(text)) return undefined;
  const amount = parseMoney(text);
  const max = parseMoney(String(maxQuota)) ?? moneyOfUnits(0n);
  return amount === undefined || amount <= 0n || amount > max ? undefined : amount;
}
