import { type Calendar, calendarUnits, zoneNamed } from '../../../src/model/time/calendar.ts';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { numberOf } from '../../ui/form/number-field.tsx';

/** A limit in its parts: at most `quota` calls, or cents, in each window; for each segment if there is one. */
export interface Policy {
  readonly quota: number;
  /** Seconds, or the days, weeks or months of a time zone. */
  readonly window: number | Calendar;
  readonly unit: 'request' | 'cents';
  /** `user` or the name of a property; undefined: all calls together. */
  readonly segment: string | undefined;
}

/** @returns undefined for a text that this page cannot show in parts. */
export function parsePolicy(text: string): Policy | undefined {
  const [quota = '', ...parts] = text.split(';').map((part) => part.trim());
  const members = new Map(parts.map((part) => [part.slice(0, part.indexOf('=')).trim(), part.slice(part.indexOf('=') + 1).trim()]));
  const [amount, window] = [numberOf(quota), windowOf(members)];
  if (amount === undefined || window === undefined) return undefined;
  return { quota: amount, window, unit: members.get('u') === 'cents' ? 'cents' : 'request', segment: members.get('s') };
}

function windowOf(members: ReadonlyMap<string, string>): Policy['window'] | undefined {
  const unit = calendarUnits.find((one) => one === members.get('calendar'));
  if (unit === undefined) return numberOf(members.get('w') ?? '');
  const timezone = zoneNamed(members.get('tz') ?? 'UTC');
  return timezone === undefined ? undefined : { unit, timezone };
}

const namedSeconds: Readonly<Record<number, string>> = { 1: 'second', 60: 'minute', 3600: 'hour', 604_800: '7 days', 2_592_000: '30 days' };

/** A limit in words: "$50.00 per day (Europe/Berlin)", "100 requests per minute". */
export function limitText(policy: Policy): string {
  const { quota, unit, window } = policy;
  const amount = unit === 'cents' ? formatCost(quota / 100) : `${formatCount(quota)} ${quota === 1 ? 'request' : 'requests'}`;
  const per = typeof window === 'number' ? (namedSeconds[window] ?? formatDuration(window * 1000)) : `${window.unit} (${window.timezone})`;
  return `${amount} per ${per}`;
}

/** For what a limit holds: "each Team", "Team search". */
export function segmentText({ segment }: Policy, value?: string): string {
  if (segment === undefined) return 'all requests together';
  return value === undefined ? `each ${segment}` : `${segment} ${value}`;
}

export function policyText({ quota, window, unit, segment }: Policy): string {
  const parts = [
    String(quota),
    typeof window === 'number' ? `w=${window}` : `calendar=${window.unit};tz=${window.timezone}`,
    ...(unit === 'cents' ? ['u=cents'] : []),
    ...(segment === undefined ? [] : [`s=${segment}`]),
  ];
  return parts.join(';');
}
