import { isEscaped } from './strings.ts';

/**
 * Max nesting of lists and objects in JSON that is recorded, sent or stored; deeper text is treated as plain text. Readers in many
 * languages stop at 1,000 levels, and a response nests a body a few levels deeper. Our recursive walks take one or two stack frames per
 * level and overflow at some 4,000.
 */
export const maxJsonDepth = 500;

/**
 * Max cost of the values parsed from a JSON text: four for each list and object, two for each name, one for each further value and each
 * line. A parsed empty object takes thirty times the memory of its text, and a million names take seconds to parse. A token-by-token
 * streamed chat of 16 MiB stays below the bound, as does a list of four million numbers.
 */
export const maxJsonCost = 4_000_000;

const containerCost = 4;
const nameCost = 2;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const [lineFeed, carriageReturn] = [0x0a, 0x0d];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The bound that a text exceeds. */
export type JsonExcess = 'depth' | 'cost';

/**
 * Checks nesting and cost without parsing, in one pass without recursion. @param text JSON, lines of JSON, or anything else. @param
 * maxDepth at least the bound for recorded texts.
 */
export function jsonExcess(text: string, maxCost = maxJsonCost, maxDepth = maxJsonDepth): JsonExcess | undefined {
  // No character costs more than a bracket.
  const isCheap = text.length <= maxCost / containerCost;
  if (text.length <= maxJsonDepth || (isCheap && hasFewBrackets(text))) return undefined;
  const { cost, depth } = measure(text, { maxCost, maxDepth });
  if (depth > maxDepth) return 'depth';
  return cost > maxCost ? 'cost' : undefined;
}

/** Cost of a JSON text. For a text beyond the bounds, the cost up to the point where measuring stopped. */
export function jsonCost(text: string): number {
  return measure(text, { maxCost: maxJsonCost, maxDepth: maxJsonDepth }).cost;
}

/** Fast path: most texts have too few brackets to be deep. Counting brackets takes a tenth of the time of reading each character. */
function hasFewBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > maxJsonDepth) return false;
    }
  }
  return true;
}

/** A string ends at its line's end at the latest, since JSON strings hold no line breaks; so lines of JSON are measured as a whole. */
function measure(
  text: string,
  { maxCost, maxDepth }: { readonly maxCost: number; readonly maxDepth: number },
): { readonly cost: number; readonly depth: number } {
  const { length } = text;
  const strings = new StringEnds(text);
  let cost = 0;
  let depth = 0;
  for (let index = 0; index < length && cost <= maxCost && depth <= maxDepth; index += 1) {
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

/** Finds the ends of strings from front to back, scanning each character at most once. */
class StringEnds {
  private readonly text: string;
  private readonly quotes: Occurrences;
  private readonly lineFeeds: Occurrences;
  private readonly carriageReturns: Occurrences;

  constructor(text: string) {
    this.text = text;
    this.quotes = new Occurrences(text, '"');
    this.lineFeeds = new Occurrences(text, '\n');
    this.carriageReturns = new Occurrences(text, '\r');
  }

  /** Index of the closing quotation mark, or of the last character before the line's end. */
  endOf(start: number): number {
    const lineEnd = Math.min(this.lineFeeds.from(start), this.carriageReturns.from(start));
    let end = this.quotes.from(start);
    while (end < lineEnd && isEscaped(this.text, end, start)) end = this.quotes.from(end + 1);
    return end < lineEnd ? end : Math.min(lineEnd - 1, this.text.length);
  }
}

/** Finds the occurrences of one character. */
class Occurrences {
  private readonly text: string;
  private readonly character: string;
  private next = -1;

  constructor(text: string, character: string) {
    this.text = text;
    this.character = character;
  }

  /** The first occurrence at or after `index`, infinite without one. Calls must not go backwards. */
  from(index: number): number {
    if (this.next < index) {
      const found = this.text.indexOf(this.character, index);
      this.next = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    return this.next;
  }
}
