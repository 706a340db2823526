import { calendarBounds, type Calendar, calendarUnits, zoneNamed } from '../../../src/model/time/calendar.ts';
import { formatDuration } from '../../lib/format.ts';
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

export function windowTitle({ window }: Policy): string {
  return typeof window === 'number' ? formatDuration(window * 1000) : `a ${window.unit} of ${window.timezone}`;
}

/** What the record of a limit's window is of: the calendar's that runs, else the time before now. Unix milliseconds. */
export function windowStart({ window }: Policy, now: number): number {
  return typeof window === 'number' ? now - window * 1000 : calendarBounds(window, now).startsAt;
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
