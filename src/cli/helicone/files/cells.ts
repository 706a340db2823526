import { type Money, moneyOfUsd, parseMoney } from '../../../model/pricing/money.ts';
import { isJsonObject, type JsonObject } from '../../../model/text.ts';

/** Upstream's versions and exports differ in types: numbers and objects also come as texts, and absent values as empty texts. */

/** The first of the fields that has a text which is not empty. */
export function textIn(record: JsonObject, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = record[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** The first of the fields that has a finite number, perhaps as text. */
export function numberIn(record: JsonObject, ...names: readonly string[]): number | null {
  for (const name of names) {
    const number = numberOf(record[name]);
    if (number !== null) return number;
  }
  return null;
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** A count: whole, 0 or more. */
export function countIn(record: JsonObject, ...names: readonly string[]): number | null {
  const number = numberIn(record, ...names);
  return number === null || number < 0 ? null : Math.round(number);
}

export function flagIn(record: JsonObject, name: string): boolean | null {
  const value = record[name];
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1) return true;
  return value === 'false' || value === 0 ? false : null;
}

/** Dollars, exactly as they are written. */
export function moneyIn(record: JsonObject, ...names: readonly string[]): Money | null {
  for (const name of names) {
    const value = record[name];
    const money = typeof value === 'number' ? moneyOfUsd(value) : typeof value === 'string' ? parseMoney(value) : undefined;
    if (money !== undefined) return money;
  }
  return null;
}

/** The first of the fields that holds an object with members, else an empty one. */
export function objectIn(record: JsonObject, ...names: readonly string[]): JsonObject {
  for (const name of names) {
    const value = record[name];
    if (isJsonObject(value) && Object.keys(value).length > 0) return value;
  }
  return {};
}

const minTime = Date.UTC(2000, 0, 1);
const maxTime = Date.UTC(2200, 0, 1);

/**
 * Unix milliseconds of a time. Upstream writes ISO 8601 with or without the `T`, with micro- or nanoseconds, and without an offset for UTC.
 * @returns null when the field holds no time between 2000 and 2200.
 */
export function timeIn(record: JsonObject, name: string): number | null {
  const value = record[name];
  const time = typeof value === 'number' ? value : typeof value === 'string' ? parseTime(value) : undefined;
  return time === undefined || !(time >= minTime && time < maxTime) ? null : Math.floor(time);
}

const timeShape = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i;

/** @returns undefined when the text is not a time. */
export function parseTime(text: string): number | undefined {
  const match = timeShape.exec(text.trim());
  if (match === null) return undefined;
  const [, date = '', clock = '00:00', fraction = '', zone = 'Z'] = match;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const time = Date.parse(`${date}T${clock.length === 5 ? `${clock}:00` : clock}.${milliseconds}${offsetOf(zone)}`);
  return Number.isNaN(time) ? undefined : time;
}

function offsetOf(zone: string): string {
  if (!/^[+-]/.test(zone)) return 'Z';
  const digits = zone.replace(':', '');
  return `${digits.slice(0, 3)}:${digits.slice(3).padEnd(2, '0')}`;
}
