import type { AlertMessage, AlertMessageGroup, Comparison } from '../../../model/events/alert-message.ts';

/** A message in words, without markup: every channel says the same. Texts of callers are cut and stand on one line. */
export interface Wording {
  /** `Triggered: High spend`. */
  readonly title: string;
  /** `cost ≥ $10.00`. */
  readonly condition: string;
  readonly facts: readonly (readonly [name: string, text: string])[];
  readonly groups: readonly GroupWording[];
  /** Groups that are only counted. */
  readonly more: number;
  readonly link: string;
}

interface GroupWording {
  /** `user_id = alice, Team = core`; empty without grouping. */
  readonly name: string;
  readonly value: string;
}

const titles = {
  triggered: 'Triggered',
  resolved: 'Resolved',
  still_firing: 'Still firing',
  no_data: 'No data',
  error: 'Cannot be evaluated',
  test: 'Test',
} as const satisfies Record<AlertMessage['kind'], string>;

const comparisonSigns = { gte: '≥', gt: '>', lt: '<', lte: '≤' } as const satisfies Record<Comparison, string>;

const maxName = 200;
const maxValue = 100;
const maxReason = 1000;

export function wordingOf(message: AlertMessage): Wording {
  const { kind, ruleName, metric, comparison, threshold, unit, window, startedAt, peak, reason } = message;
  const facts: (readonly [string, string])[] = [['Window', `${timeText(window.from)} to ${timeText(window.to)}`]];
  if (startedAt !== null) facts.push(['Since', timeText(startedAt)]);
  if (peak !== null) facts.push(['Peak', quantity(peak, unit)]);
  if (reason !== null) facts.push(['Reason', oneLine(reason, maxReason)]);
  return {
    title: `${titles[kind]}: ${oneLine(ruleName, maxName)}`,
    condition: `${oneLine(metric, maxName)} ${comparisonSigns[comparison]} ${quantity(threshold, unit)}`,
    facts,
    groups: message.groups.map((group) => groupWording(group, unit)),
    more: message.more,
    link: message.link,
  };
}

/** The first groups in words, and how many more there are. */
export function groupLines({ groups, more }: Wording, lineOf: (group: GroupWording) => string, shown = groups.length): readonly string[] {
  const rest = more + groups.length - Math.min(shown, groups.length);
  return [...groups.slice(0, shown).map(lineOf), ...(rest === 0 ? [] : [`and ${rest} more`])];
}

export function plainGroup({ name, value }: GroupWording): string {
  return name === '' ? `Value: ${value}` : `${name}: ${value}`;
}

/** The largest number of groups with which the text that is made of them fits. */
export function fitting<Made>(groups: number, make: (shown: number) => Made, fits: (made: Made) => boolean): Made {
  let shown = groups;
  let made = make(shown);
  while (shown > 0 && !fits(made)) {
    shown = Math.floor(shown / 2);
    made = make(shown);
  }
  return made;
}

function groupWording({ group, value }: AlertMessageGroup, unit: string): GroupWording {
  const parts = Object.entries(group).map(
    ([name, text]) => `${oneLine(name, maxValue)} = ${text === null ? '(none)' : oneLine(text, maxValue)}`,
  );
  return { name: parts.join(', '), value: value === null ? 'no value' : quantity(value, unit) };
}

const dollars = { style: 'currency', currency: 'USD', minimumFractionDigits: 2 } as const;

/** Node reads what it knows of languages for the first of these, which takes a start 6 ms. */
function numberText(value: number, options: Intl.NumberFormatOptions = {}): string {
  return value.toLocaleString('en-US', { ...options, maximumFractionDigits: 6 });
}

/** How units are written where it is not behind a space. */
const units: Readonly<Record<string, string>> = { milliseconds: ' ms', percent: ' %', ratio: '', '': '' };

/** `$12.50`, `4.2 %`, `2,301 ms`. */
function quantity(value: number, unit: string): string {
  if (unit === 'usd') return numberText(value, dollars);
  return `${numberText(value)}${units[unit] ?? ` ${unit}`}`;
}

/** `2026-11-26 10:05:00 UTC`. */
function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Line breaks, other control characters, and marks that turn the direction of the text, as a space. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

function oneLine(text: string, maxCharacters: number): string {
  // What is cut away anyway need not be looked at.
  const line = text
    .slice(0, 4 * maxCharacters)
    .toWellFormed()
    .replaceAll(unprintable, ' ')
    .trim();
  if (line.length <= maxCharacters) return line;
  const characters = Array.from(line);
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
