/**
 * Levels of lists and objects in a JSON text at most. The one bound for what is recorded, sent and stored: what is deeper is a text and no JSON.
 * Readers of many languages end at 1,000 levels, and an answer puts a body into some levels of its own; what walks such values here calls itself once or
 * twice a level, which fills the stack from some 4,000.
 */
export const maxJsonDepth = 500;

/**
 * What a JSON text may cost to hold as values: four for each list and object, two for each name, one for each further value and each line. A parsed empty
 * object takes thirty times as much memory as its text, and a million of names take seconds. A chat of 16 MiB that is streamed by the token stays below,
 * as does a list of four million numbers.
 */
export const maxJsonCost = 4_000_000;

const containerCost = 4;
const nameCost = 2;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const [lineFeed, carriageReturn] = [0x0a, 0x0d];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Why a text is not taken for JSON, whatever else it is. */
export type JsonExcess = 'depth' | 'cost';

/**
 * Looks for nesting and numbers of values beyond the bounds, without parsing: goes through the text once and calls nothing that calls itself.
 * @param text JSON, lines of JSON, or anything else.
 * @param maxCost what it may cost, where that is less than for what is recorded.
 */
export function jsonExcess(text: string, maxCost = maxJsonCost): JsonExcess | undefined {
  // No character costs more than a bracket.
  const isCheap = text.length <= maxCost / containerCost;
  if (text.length <= maxJsonDepth || (isCheap && opensFew(text))) return undefined;
  const { cost, depth } = measure(text, maxCost);
  if (depth > maxJsonDepth) return 'depth';
  return cost > maxCost ? 'cost' : undefined;
}

/** What a JSON text costs; of one beyond the bounds, more than the bound or as far as it was looked at. */
export function jsonCost(text: string): number {
  return measure(text, maxJsonCost).cost;
}

/** Most texts have too few brackets to be deep, and to find those takes a tenth of the time of a look at each character. */
function opensFew(text: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > maxJsonDepth) return false;
    }
  }
  return true;
}

/** A string ends with its line, as JSON has none that does not: so a stream of JSON texts by the line is measured as a whole. */
function measure(text: string, maxCost: number): { readonly cost: number; readonly depth: number } {
  const { length } = text;
  const strings = new Strings(text);
  let cost = 0;
  let depth = 0;
  for (let index = 0; index < length && cost <= maxCost && depth <= maxJsonDepth; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === quote) index = strings.endOf(index + 1);
    else if (unit === comma || unit === lineFeed || unit === carriageReturn) cost += 1;
    else if (unit === colon) cost += nameCost;
    else if (unit === openBrace || unit === openBracket) {
      cost += containerCost;
      depth += 1;
    } else if (unit === closeBrace || unit === closeBracket) depth -= 1;
  }
  return { cost, depth };
}

/** Where strings end, asked from front to back; no character is looked for twice. */
class Strings {
  private readonly text: string;
  private readonly quotes: Places;
  private readonly lineFeeds: Places;
  private readonly carriageReturns: Places;

  constructor(text: string) {
    this.text = text;
    this.quotes = new Places(text, '"');
    this.lineFeeds = new Places(text, '\n');
    this.carriageReturns = new Places(text, '\r');
  }

  /** Index of the quotation mark that ends a string, or of what stands in front of the end of its line. */
  endOf(start: number): number {
    const lineEnd = Math.min(this.lineFeeds.from(start), this.carriageReturns.from(start));
    let end = this.quotes.from(start);
    while (end < lineEnd && this.isEscaped(end, start)) end = this.quotes.from(end + 1);
    return end < lineEnd ? end : Math.min(lineEnd - 1, this.text.length);
  }

  private isEscaped(index: number, start: number): boolean {
    let first = index;
    while (first > start && this.text.charCodeAt(first - 1) === backslash) first -= 1;
    return (index - first) % 2 === 1;
  }
}

/** Where a character stands. */
class Places {
  private readonly text: string;
  private readonly character: string;
  private next = -1;

  constructor(text: string, character: string) {
    this.text = text;
    this.character = character;
  }

  /** The first place from an index on, which is never before one asked earlier; infinite without one. */
  from(index: number): number {
    if (this.next < index) {
      const found = this.text.indexOf(this.character, index);
      this.next = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    return this.next;
  }
}
