import { parseUuid, type RequestId } from '../../model/ids.ts';
import { type Money, parseMoney } from '../../model/pricing/money.ts';
import { exceedsBytes, isJsonObject, type JsonObject, quoted, wellFormed } from '../../model/text.ts';
import { bytesOfProperties, propertyLimits, requestPropertyLimits, textLimits, wrongNameLength } from '../../model/vocabulary/limits.ts';
import { parseTimestamp } from '../../model/vocabulary/timestamp.ts';

/** A field of an item that cannot be stored. */
export class ItemFault extends Error {
  override readonly name = 'ItemFault';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** The store's times: years that its type holds. */
const firstTime = Date.UTC(1900, 0, 1);
const lastTime = Date.UTC(2299, 11, 31);
const maxUint64 = 2 ** 64;
const maxUint16 = 65_535;

/** Values of an item's fields. Each reader throws {@link ItemFault} for a value of another type. An absent value is null. */
export class ItemFields {
  private readonly item: JsonObject;

  constructor(item: JsonObject) {
    this.item = item;
  }

  /** @param name of no member of all objects. @returns undefined: the item does not have the field. */
  value(name: string): unknown {
    return this.item[name];
  }

  isAbsent(name: string): boolean {
    const value = this.value(name);
    return value === undefined || value === null;
  }

  id(name: string): RequestId {
    const value = this.value(name);
    const id = typeof value === 'string' ? parseUuid(value.trim()) : undefined;
    if (id === undefined) throw wrong(name, 'a UUID', value);
    return id;
  }

  /** An absent text is empty. */
  text(name: string, maxBytes: number = textLimits.identifierBytes): string {
    const value = this.value(name) ?? '';
    if (typeof value !== 'string') throw wrong(name, 'a text', value);
    if (exceedsBytes(value, maxBytes)) throw new ItemFault(name, `\`${name}\` has more than ${maxBytes} bytes.`);
    return wellFormed(value);
  }

  /** Unix milliseconds. */
  time(name: string): number | null {
    const value = this.value(name) ?? null;
    if (value === null || value === '') return null;
    const time = parseTimestamp(value);
    if (time === undefined || time < firstTime || time > lastTime) throw wrong(name, 'a time, such as "2026-01-31T12:00:00.000Z"', value);
    return time;
  }

  /** A whole number. Other services write numbers of 64 bits as text, and times with fractions. */
  count(name: string): number | null {
    const number = this.number(name);
    if (number === null) return null;
    if (number < 0 || number >= maxUint64) throw wrong(name, 'a number from 0', this.value(name));
    return Math.round(number);
  }

  number(name: string): number | null {
    const value = this.value(name) ?? null;
    if (value === null || value === '') return null;
    const number = typeof value === 'string' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) throw wrong(name, 'a number', value);
    return number;
  }

  /** Codes that other services keep below 0 count as no response, except -3: the client left. */
  status(name: string): number {
    const number = this.number(name) ?? 0;
    if (!Number.isInteger(number) || number > maxUint16) throw wrong(name, 'an HTTP status', this.value(name));
    if (number < 0) return number === -3 ? 499 : 0;
    return number;
  }

  flag(name: string): boolean | null {
    const value = this.value(name) ?? null;
    if (value === null || typeof value === 'boolean') return value;
    if (value === 0 || value === 1) return value === 1;
    throw wrong(name, 'true or false', value);
  }

  money(name: string): Money | null {
    const value = this.value(name) ?? null;
    if (value === null || value === '') return null;
    const money = typeof value === 'string' || typeof value === 'number' ? parseMoney(String(value)) : undefined;
    if (money === undefined) throw wrong(name, 'an amount of US dollars', value);
    return money;
  }

  object(name: string): JsonObject {
    const value = this.value(name) ?? {};
    if (!isJsonObject(value)) throw wrong(name, 'an object', value);
    return value;
  }

  textList(name: string): readonly string[] {
    const value = this.value(name) ?? [];
    if (!Array.isArray(value) || value.some((member) => typeof member !== 'string')) throw wrong(name, 'a list of texts', value);
    return (value as readonly string[]).map(wellFormed);
  }

  /** Names with texts; numbers and flags are written as text. */
  properties(name: string): Map<string, string> {
    const properties = new Map<string, string>();
    for (const [key, value] of Object.entries(this.object(name))) {
      if (value === null) continue;
      const property = wellFormed(key);
      const fault = wrongNameLength('The name of a property', property);
      if (fault !== undefined) throw new ItemFault(name, fault);
      const text = plainText(name, value);
      if (exceedsBytes(text, propertyLimits.valueBytes)) {
        throw new ItemFault(name, `The property ${quoted(property)} has more than ${propertyLimits.valueBytes} bytes.`);
      }
      properties.set(property, text);
    }
    const { properties: max, bytes } = requestPropertyLimits;
    if (properties.size > max) throw new ItemFault(name, `\`${name}\` has ${properties.size} properties; a request has at most ${max}.`);
    if (bytesOfProperties(properties) > bytes) throw new ItemFault(name, `The properties have more than ${bytes} bytes together.`);
    return properties;
  }

  /** Names with texts; other values are written as JSON. */
  inputs(name: string): Map<string, string> {
    const entries = Object.entries(this.object(name)).filter(([, value]) => value !== null);
    const inputs = new Map(
      entries.map(([key, value]) => [wellFormed(key), wellFormed(typeof value === 'string' ? value : JSON.stringify(value))]),
    );
    if (bytesOfProperties(inputs) > textLimits.inputsBytes) {
      throw new ItemFault(name, `\`${name}\` has more than ${textLimits.inputsBytes} bytes of names and values.`);
    }
    return inputs;
  }

  /** Numbers by name. Some services write a score as an object with its value, and yes and no as flags. */
  scores(name: string): Map<string, number> {
    const scores = new Map<string, number>();
    for (const [key, given] of Object.entries(this.object(name))) {
      const value = isJsonObject(given) ? given['value'] : given;
      if (value === null || value === undefined) continue;
      const fault = wrongNameLength('The name of a score', wellFormed(key));
      if (fault !== undefined) throw new ItemFault(name, fault);
      const number = typeof value === 'boolean' || typeof value === 'string' ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isFinite(number)) throw wrong(name, 'a number for each score', given);
      scores.set(wellFormed(key), number);
    }
    return scores;
  }
}

function plainText(name: string, value: unknown): string {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw wrong(name, 'a text for each property', value);
}

const maxShown = 60;

function wrong(field: string, expected: string, value: unknown): ItemFault {
  const shown = value === undefined ? 'The line has none' : `This is ${shortened(JSON.stringify(value))}`;
  return new ItemFault(field, `\`${field}\` takes ${expected}. ${shown}.`);
}

function shortened(json: string): string {
  return json.length > maxShown ? `${wellFormed(json.slice(0, maxShown))}…` : json;
}
