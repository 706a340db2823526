import { GatelogError } from '../../model/errors.ts';
import { nearestName } from '../../model/nearest-name.ts';
import { exceedsBytes, isJsonObject, type JsonObject, quoted } from '../../model/text.ts';
import { parseTimestamp } from '../../model/vocabulary/timestamp.ts';

/** @param path of the fault in the body, such as `timing.startTime`. */
export function invalidLog(path: string, sentence: string): GatelogError {
  return new GatelogError('invalid_body', sentence, { details: { path } });
}

function wrong(path: string, expected: string, value: unknown): GatelogError {
  const found = value === undefined ? 'it is missing' : `it is ${shown(value)}`;
  return invalidLog(path, `\`${path}\` must be ${expected}; ${found}.`);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'an object') : String(value);
}

/** One object of a log's body. Its readers throw GatelogError `invalid_body`, which names the place. */
export class LogFields {
  readonly object: JsonObject;
  private readonly path: string;

  /** @param path empty for the body itself. */
  constructor(value: unknown, path: string, expected: string) {
    if (!isJsonObject(value)) throw path === '' ? invalidLog('', `The body must be ${expected}.`) : wrong(path, expected, value);
    this.object = value;
    this.path = path;
  }

  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** The error for one of its fields. @param rest follows the field's name. */
  fault(name: string, rest: string): GatelogError {
    return invalidLog(this.pathOf(name), `\`${this.pathOf(name)}\` ${rest}.`);
  }

  value(name: string): unknown {
    return Object.hasOwn(this.object, name) ? this.object[name] : undefined;
  }

  isAbsent(name: string): boolean {
    const value = this.value(name);
    return value === undefined || value === null;
  }

  required(name: string, expected: string): unknown {
    const value = this.value(name);
    if (value === undefined) throw wrong(this.pathOf(name), expected, value);
    return value;
  }

  fields(name: string, expected: string): LogFields {
    return new LogFields(this.value(name), this.pathOf(name), expected);
  }

  text(name: string, expected: string, maxBytes: number): string {
    const value = this.value(name);
    if (typeof value !== 'string' || value.trim() === '') throw wrong(this.pathOf(name), expected, value);
    if (exceedsBytes(value, maxBytes)) throw this.fault(name, `has more than ${maxBytes} bytes`);
    return value;
  }

  optionalText(name: string, maxBytes: number): string | undefined {
    return this.isAbsent(name) ? undefined : this.text(name, 'a text', maxBytes);
  }

  /** Names and texts; numbers and booleans count as texts. */
  texts(name: string): readonly (readonly [name: string, text: string])[] {
    if (this.isAbsent(name)) return [];
    const entries = Object.entries(this.fields(name, 'an object of names and texts').object);
    return entries.flatMap(([key, value]): (readonly [string, string])[] => {
      if (value === null) return [];
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
        throw wrong(`${this.pathOf(name)}[${quoted(key)}]`, 'a text', value);
      }
      return [[key, String(value)]];
    });
  }

  /** @param from the smallest and @param to the largest that it may be. */
  number(name: string, expected: string, from = -Number.MAX_VALUE, to = Number.MAX_VALUE): number {
    const value = this.value(name);
    if (typeof value !== 'number' || !(value >= from && value <= to)) throw wrong(this.pathOf(name), expected, value);
    return value;
  }

  /**
   * A time in Unix milliseconds: `{"seconds", "milliseconds"}`, ISO 8601, or a number, also as text. As at Helicone a number below that of
   * the year 2100 in seconds counts as seconds.
   */
  time(name: string): number {
    const value = this.value(name);
    const time = isJsonObject(value) ? this.splitTime(name) : plainTime(value);
    if (time === undefined) throw wrong(this.pathOf(name), timeShape, value);
    return Math.round(time);
  }

  unknownFields(known: readonly string[]): readonly UnknownField[] {
    const unknown = Object.keys(this.object).filter((name) => !known.includes(name));
    return unknown.slice(0, maxUnknown).map((name) => {
      const nearest = nearestName(name, known);
      const meant = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
      const path = this.pathOf(name);
      return { path, sentence: `${quoted(path)} is not a field of a log and was ignored.${meant}` };
    });
  }

  private splitTime(name: string): number {
    const parts = this.fields(name, timeShape);
    const seconds = parts.number('seconds', 'a number of Unix seconds');
    return seconds * 1000 + (parts.isAbsent('milliseconds') ? 0 : parts.number('milliseconds', 'a number of milliseconds'));
  }
}

/** A name that an object of a log does not have. */
export interface UnknownField {
  readonly path: string;
  readonly sentence: string;
}

const maxUnknown = 10;
const timeShape = 'a time: {"seconds": 1767225600, "milliseconds": 250}, ISO 8601 or Unix milliseconds';
/** 1 January 2100. */
const maxSeconds = 4_102_444_800;

function plainTime(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number < maxSeconds ? number * 1000 : number;
  return parseTimestamp(number);
}
