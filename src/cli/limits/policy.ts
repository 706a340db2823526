import { messageOf } from '../../model/errors.ts';
import { type LimitPolicy, parseLimitPolicy, unitsOfCall } from '../../model/limit-policy.ts';
import { UsageError } from '../base/dependencies.ts';
import { measuredWindowOf } from '../base/measured-window.ts';
import { shownAmount } from '../base/progress.ts';
import { costText } from '../terminal/texts.ts';

export interface PolicyOptions {
  readonly usd?: string;
  readonly requests?: string;
  readonly per?: string;
  readonly by?: string;
  readonly timezone?: string;
}

/** The policy that options describe, or the one that is given as a text. @throws UsageError for what makes none. */
export function policyOf(given: string | undefined, options: PolicyOptions): LimitPolicy {
  const named = Object.values({
    usd: options.usd,
    requests: options.requests,
    per: options.per,
    by: options.by,
    timezone: options.timezone,
  });
  if (given !== undefined && named.some((value) => value !== undefined)) {
    throw new UsageError('A policy says all of it: leave out --usd, --requests, --per, --by and --timezone beside one.');
  }
  return parsedPolicy(given ?? policyTextOf(options));
}

/** @throws UsageError that says which part is wrong. */
export function parsedPolicy(text: string): LimitPolicy {
  try {
    return parseLimitPolicy(text, 'The policy');
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function policyTextOf({ usd, requests, per, by, timezone }: PolicyOptions): string {
  if ((usd === undefined) === (requests === undefined)) {
    throw new UsageError('Say how much, by --usd or by --requests: gatelog limits set --usd 50 --per day');
  }
  if (per === undefined) throw new UsageError('--per is missing: it takes a length such as 1h, or day, week or month.');
  const window = measuredWindowOf(per, '--per');
  if (timezone !== undefined && 'ms' in window) throw new UsageError('--timezone goes with --per day, week or month.');
  return [
    usd === undefined ? (requests ?? '') : centsOf(usd),
    'ms' in window ? `w=${window.ms / 1000}` : `calendar=${window.calendar}`,
    ...(timezone === undefined ? [] : [`tz=${timezone}`]),
    ...(usd === undefined ? [] : ['u=cents']),
    ...(by === undefined ? [] : [`s=${segmentOf(by)}`]),
  ].join(';');
}

function centsOf(usd: string): string {
  const [, dollars, decimals = ''] = /^\$?(\d{1,9})(?:\.(\d{1,8}))?$/.exec(usd) ?? [];
  if (dollars === undefined) throw new UsageError(`--usd takes an amount such as 50 or 0.25; got "${usd}".`);
  const cents = `${Number(dollars + decimals.slice(0, 2).padEnd(2, '0'))}`;
  const rest = decimals.slice(2).replace(/0+$/, '');
  return rest === '' ? cents : `${cents}.${rest}`;
}

function segmentOf(by: string): string {
  const property = /^properties\.(.+)$/.exec(by)?.[1];
  if (by !== 'user' && property === undefined) throw new UsageError(`--by takes user or a property such as properties.Team; got "${by}".`);
  return property ?? by;
}

/** Whether two policies count the same calls in the same windows: only the smaller of their quotas would decide. */
export function countsSame(one: LimitPolicy, other: LimitPolicy): boolean {
  return countedBy(one) === countedBy(other);
}

function countedBy({ unit, window, segment }: LimitPolicy): string {
  // Spellings of the name of a property share a count.
  const segmentName = segment?.of === 'property' ? segment.name.toLowerCase() : undefined;
  return JSON.stringify([unit, window, segment?.of, segmentName]);
}

const lengths = [
  [604_800, 'week'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `$5.00 per hour for each Team`; of one value `… for Team search`. */
export function policyText({ unit, quota, window, segment }: LimitPolicy, value?: string): string {
  const amount = unit === 'cents' ? costText(Number(quota) / 1e12) : shownAmount(Number(quota) / Number(unitsOfCall), 'request');
  const name = segment?.of === 'property' ? segment.name : 'user';
  const each = segment === undefined ? '' : value === undefined ? ` for each ${name}` : ` for ${name} ${value}`;
  if (window.kind === 'calendar') return `${amount} per calendar ${window.unit} (${window.timezone})${each}`;
  const seconds = window.ms / 1000;
  const [length, unitName] = lengths.find(([step]) => seconds % step === 0) ?? [1, 'second'];
  return `${amount} per ${seconds === length ? unitName : `${seconds / length} ${unitName}s`}${each}`;
}
