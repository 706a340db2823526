import { endOfJsonString } from '../../model/text.ts';

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const [zero, nine] = [0x30, 0x39];
const colon = 0x3a;
const [closeBracket, openBrace, closeBrace] = [0x5d, 0x7b, 0x7d];

/** Names of one object that are compared with each other; of more it is quicker to write them. */
const maxNames = 64;
/** Whole numbers of so many digits are written as they are read. */
const surelyExactDigits = 15;

/**
 * Whether JSON is what `JSON.stringify` makes of it: without white space between its values, no character escaped that need not be, numbers in their one
 * form, no name twice or in another order. To find that out takes a fraction of the time that it takes to write it.
 * @param json valid JSON. @returns false where it is not sure.
 */
export function isCanonicalJson(json: string): boolean {
  return !json.includes('\\u') && !json.includes('\\/') && new Scan(json).isCanonicalJson();
}

class Scan {
  private readonly json: string;
  private index = 0;
  /** Where the names of the objects begin and end in which the scan stands, one object's behind another's. */
  private readonly names: number[] = [];
  private namesCount = 0;
  /** Where in `names` those of each open object begin. */
  private readonly objects: number[] = [];

  constructor(json: string) {
    this.json = json;
  }

  isCanonicalJson(): boolean {
    const { json } = this;
    for (; this.index < json.length; this.index += 1) if (!this.take(json.charCodeAt(this.index))) return false;
    return true;
  }

  /** @returns false where what begins with this unit is not as it would be written. */
  private take(unit: number): boolean {
    if (unit === quote) return this.takeString();
    if (unit <= space) return false;
    if (unit === minus || (unit >= zero && unit <= nine)) return this.takeNumber();
    if (unit === openBrace) this.objects.push(this.namesCount);
    else if (unit === closeBrace) this.namesCount = this.objects.pop() ?? 0;
    return true;
  }

  private takeString(): boolean {
    const start = this.index + 1;
    const end = endOfJsonString(this.json, start);
    this.index = end;
    return this.json.charCodeAt(end + 1) !== colon || this.takeName(start, end);
  }

  /** Names that are numbers come first, whatever their order was; of two that are the same the last is left. */
  private takeName(start: number, end: number): boolean {
    const { json, names, namesCount } = this;
    const first = json.charCodeAt(start);
    if (first >= zero && first <= nine) return false;
    const from = this.objects.at(-1) ?? 0;
    if (namesCount - from >= maxNames * 2) return false;
    for (let at = from; at < namesCount; at += 2) {
      const otherStart = names[at] ?? 0;
      const otherEnd = names[at + 1] ?? 0;
      if (otherEnd - otherStart === end - start && json.charCodeAt(otherStart) === first) {
        if (json.startsWith(json.slice(otherStart, otherEnd), start)) return false;
      }
    }
    names[namesCount] = start;
    names[namesCount + 1] = end;
    this.namesCount += 2;
    return true;
  }

  private takeNumber(): boolean {
    const { json } = this;
    const start = this.index;
    let end = start;
    let unit = json.charCodeAt(start);
    while (unit >= zero && unit <= nine) unit = json.charCodeAt((end += 1));
    const isWhole = endsNumber(unit);
    while (!endsNumber(unit)) unit = json.charCodeAt((end += 1));
    this.index = end - 1;
    if (isWhole && end - start <= surelyExactDigits) return true;
    const digits = json.slice(start, end);
    return String(Number(digits)) === digits;
  }
}

/** A comma, a bracket, a brace, white space, or the end of the text, which is no number. */
function endsNumber(unit: number): boolean {
  return unit === comma || unit === closeBracket || unit === closeBrace || unit <= space || Number.isNaN(unit);
}
