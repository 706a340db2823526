import { endOfJsonString } from './strings.ts';

/**
 * JSON has numbers of any size and precision; JavaScript has not. Between parsing and writing, a number that would come out as another one
 * is a text: this mark with the digits behind it. TRICKY: its characters take a byte each, as those of most texts. Each thread draws a mark of its own, so that no text that anybody sends is taken
 * for a number. A marked text therefore means nothing to another thread, and nothing after a restart: write it before it goes there.
 */
const mark = `\u0080${[...crypto.getRandomValues(new Uint32Array(3))].map((part) => part.toString(36)).join('')}:`;
const markedText = new RegExp(String.raw`"${mark}(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"`, 'gu');
const marked = new RegExp(String.raw`^${mark}-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$`, 'u');

/**
 * A number that may come out as another one, or in other digits, in a JSON text: long, with an exponent or one to come, with a zero at its
 * end, or zero with a sign. Matches in texts too, which costs a closer look.
 */
const doubtful = /(?:^|[[:,\s])(?:-?(?:[\d.]{16}|\d[\d.]*[eE]|0\.0{6}|\d+\.\d*0(?![\d.]))|-0(?![\d.]))/;

/** Which numbers keep the digits that they came with: those whose value would change, or also those that would be written otherwise. */
export type Kept = 'values' | 'digits';

/** Whether some numbers of a JSON text may not survive parsing and writing. False is sure. */
export function mayLoseDigits(json: string): boolean {
  return doubtful.test(json);
}

/** A marked number takes some 100 bytes until it is written again. A list of a million numbers has about so many with a zero at their end. */
export const maxMarkedNumbers = 200_000;

/**
 * The text with each number that would not survive parsing and writing as a marked text.
 * @param json one JSON text, or several with other characters between them that are no quotation marks.
 */
export function withMarkedNumbers(json: string, kept: Kept = 'values'): string {
  const parts: string[] = [];
  let copied = 0;
  eachLostNumber(json, kept, (digits, at) => {
    parts.push(json.slice(copied, at), `"${mark}${digits}"`);
    copied = at + digits.length;
  });
  return parts.length === 0 ? json : parts.join('') + json.slice(copied);
}

/** Marks the numbers of several JSON texts that are in memory together, up to a number in all. */
export class MarkedNumbers {
  private left: number;

  constructor(max = maxMarkedNumbers) {
    this.left = max;
  }

  /** As {@link withMarkedNumbers}. @returns undefined where they are more than are left. */
  mark(json: string, kept: Kept): string | undefined {
    const leftBefore = this.left;
    if (!this.takes(json, kept)) return undefined;
    // Most texts have none, and the search takes longer than parsing.
    return this.left === leftBefore ? json : withMarkedNumbers(json, kept);
  }

  /** Whether as many are left as a text has; they are then taken. */
  takes(json: string, kept: Kept): boolean {
    let count = 0;
    eachLostNumber(json, kept, () => (count += 1) <= this.left);
    if (count > this.left) return false;
    this.left -= count;
    return true;
  }
}

/** As {@link withMarkedNumbers}. @returns undefined where they are more than {@link maxMarkedNumbers}. */
export function withFewMarkedNumbers(json: string, kept: Kept): string | undefined {
  return new MarkedNumbers().mark(json, kept);
}

/** Calls back with each number of a JSON text that would not survive, and its place, until the answer is false. */
export function eachLostNumber(json: string, kept: Kept, visit: (digits: string, at: number) => unknown): void {
  if (!mayLoseDigits(json)) return;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json.charCodeAt(at);
    if (unit === quote) {
      const end = endOfJsonString(json, at + 1);
      if (end === -1) return;
      at = end;
    } else if (unit === minus || isDigit(unit)) {
      const end = endOfNumber(json, at);
      const digits = json.slice(at, end);
      if (!survives(digits, kept) && visit(digits, at) === false) return;
      at = end - 1;
    }
  }
}

/** Parses JSON whose numbers are to keep their digits. @throws as `JSON.parse` does. */
export function readExactly(json: string): unknown {
  return JSON.parse(withMarkedNumbers(json, 'digits'));
}

/** A JSON text of a value whose marked numbers are numbers again. @param indent spaces of a level. @throws as `JSON.stringify` does. */
export function writeExactly(value: unknown, indent?: number): string {
  return withoutMarks(JSON.stringify(value, undefined, indent));
}

/** A JSON text with its marked numbers as numbers. */
export function withoutMarks(json: string): string {
  return json.includes(mark) ? json.replaceAll(markedText, '$1') : json;
}

/** A text that stands for a number. */
export type MarkedNumber = string & { readonly isMarked: true };

export function isMarkedNumber(value: unknown): value is MarkedNumber {
  return typeof value === 'string' && value.startsWith(mark) && marked.test(value);
}

export function digitsOf(value: MarkedNumber): string {
  return value.slice(mark.length);
}

const quote = 0x22;
const minus = 0x2d;
const [zero, nine] = [0x30, 0x39];
/** Integers and decimals of up to this many characters are read exactly. */
const surelyExactLength = 15;

function isDigit(unit: number): boolean {
  return unit >= zero && unit <= nine;
}

const numberEnd = /[^\d.eE+-]|$/g;

function endOfNumber(json: string, start: number): number {
  numberEnd.lastIndex = start;
  return numberEnd.exec(json)?.index ?? json.length;
}

const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether a number is the same after it was parsed and written. What is no number stays as it is. */
function survives(digits: string, kept: Kept): boolean {
  const parsed = Number(digits);
  const written = JSON.stringify(parsed);
  if (written === digits || !number.test(digits)) return true;
  if (kept === 'digits') return false;
  if (digits.length <= surelyExactLength && !/[eE]/.test(digits)) return parsed !== 0 || !digits.startsWith('-');
  return Number.isFinite(parsed) && !Object.is(parsed, -0) && valueOf(written) === valueOf(digits);
}

/** Equal for texts of equal numbers: sign, significant digits and the power of ten of the last. */
function valueOf(text: string): string {
  const [, sign = '', integerPart = '', fraction = '', exponent = '0'] = number.exec(text) ?? [];
  const digits = `${integerPart}${fraction}`.replace(/^0+/, '');
  const significant = withoutZerosAtEnd(digits);
  return significant === ''
    ? `${sign}0`
    : `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** TRICKY: a regular expression would begin again at each of the zeros in between, and take minutes for some 100,000 of them. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end -= 1;
  return digits.slice(0, end);
}
