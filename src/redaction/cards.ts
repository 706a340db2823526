/** An issuer's range of prefixes and the lengths of its numbers in digits. */
interface Issuer {
  readonly from: string;
  readonly to: string;
  readonly lengths: readonly number[];
}

const issuers: readonly Issuer[] = [
  { from: '4', to: '4', lengths: [13, 16, 19] },
  { from: '51', to: '55', lengths: [16] },
  { from: '2221', to: '2720', lengths: [16] },
  { from: '34', to: '34', lengths: [15] },
  { from: '37', to: '37', lengths: [15] },
  { from: '6011', to: '6011', lengths: [16, 19] },
  { from: '644', to: '649', lengths: [16, 19] },
  { from: '65', to: '65', lengths: [16, 19] },
  { from: '3528', to: '3589', lengths: [16, 19] },
  { from: '300', to: '305', lengths: [14] },
  { from: '36', to: '36', lengths: [14] },
  { from: '38', to: '39', lengths: [14] },
  { from: '62', to: '62', lengths: [16, 17, 18, 19] },
  { from: '2200', to: '2204', lengths: [16, 17, 18, 19] },
  { from: '5018', to: '5018', lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: '5020', to: '5020', lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: '5038', to: '5038', lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: '5893', to: '5893', lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: '6304', to: '6304', lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: '6759', to: '6763', lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: '60', to: '60', lengths: [16] },
  { from: '81', to: '82', lengths: [16] },
  { from: '9792', to: '9792', lengths: [16] },
];

const maxDigits = 19;
const prefixDigits = 4;
const zero = '0'.charCodeAt(0);
const noLengths: ReadonlySet<number> = new Set();

const lengthsByPrefix = readIssuers();

/** Valid lengths by the first four digits, none of which begins with a zero. */
function readIssuers(): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  for (const { from, to, lengths } of issuers) {
    const last = Number(to.padEnd(prefixDigits, '9'));
    for (let value = Number(from.padEnd(prefixDigits, '0')); value <= last; value += 1) {
      const prefix = String(value);
      const known = found.get(prefix) ?? new Set();
      for (const length of lengths) known.add(length);
      found.set(prefix, known);
    }
  }
  return found;
}

/** A digit that may start a card number: not after a letter or digit, nor among the decimals of a number. */
const cardStart = /(?<![\p{L}\p{N}]|\d[.,])\d/gu;
/** Characters that must not follow a card number. */
const afterCard = /[\p{L}\p{N}]|[.,]\d/uy;

/** Replaces card numbers of known issuers with a valid length and check digit; spaces and hyphens between digits are allowed. */
export function redactCards(text: string, replacement: string): string {
  let result = '';
  let done = 0;
  for (const { index } of text.matchAll(cardStart)) {
    const end = index < done ? undefined : endOfCard(text, index);
    if (end === undefined) continue;
    result += text.slice(done, index) + replacement;
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

/**
 * Whether a JSON number is a card's. TRICKY: some senders have read it as a floating-point number before, so that above 2⁵³ its last digits
 * and the check digit with them may be lost: there only its prefix and length count.
 */
export function isCardNumber(digits: string): boolean {
  const isIssued = /^\d+$/.test(digits) && lengthsByPrefix.get(digits.slice(0, prefixDigits))?.has(digits.length) === true;
  return isIssued && (!Number.isSafeInteger(Number(digits)) || hasCheckDigit(digits));
}

/** The longest card number that starts here. @returns its end; undefined without one. */
function endOfCard(text: string, start: number): number | undefined {
  const luhn = new LuhnSum();
  let prefix = '';
  let end: number | undefined;
  for (let at = start; luhn.digits < maxDigits; at += 1) {
    if (luhn.digits > 0 && isSeparator(text[at])) at += 1;
    const character = text[at] ?? '';
    if (!isDigit(character)) break;
    luhn.add(character.charCodeAt(0) - zero);
    if (luhn.digits <= prefixDigits) prefix += character;
    const lengths = lengthsOf(prefix);
    if (lengths.size === 0) break;
    if (lengths.has(luhn.digits) && luhn.isValid() && endsAt(text, at + 1)) end = at + 1;
  }
  return end;
}

/** While digits are missing, no length that a number may have. */
const undecided: ReadonlySet<number> = new Set([0]);

function lengthsOf(prefix: string): ReadonlySet<number> {
  return prefix.length < prefixDigits ? undecided : (lengthsByPrefix.get(prefix) ?? noLengths);
}

/** Luhn's formula (ISO/IEC 7812-1) over digits that come one by one. */
class LuhnSum {
  digits = 0;
  /** By which of every two digits counts twice: the number of digits decides which sum holds. */
  private firstTwice = 0;
  private secondTwice = 0;

  add(digit: number): void {
    const twice = digit > 4 ? digit * 2 - 9 : digit * 2;
    const isFirst = this.digits % 2 === 0;
    this.firstTwice += isFirst ? twice : digit;
    this.secondTwice += isFirst ? digit : twice;
    this.digits += 1;
  }

  isValid(): boolean {
    return (this.digits % 2 === 0 ? this.firstTwice : this.secondTwice) % 10 === 0;
  }
}

function isSeparator(character: string | undefined): boolean {
  return character === ' ' || character === '-' || character === '\u00a0';
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function endsAt(text: string, at: number): boolean {
  afterCard.lastIndex = at;
  return !afterCard.test(text);
}

function hasCheckDigit(digits: string): boolean {
  const luhn = new LuhnSum();
  for (const digit of digits) luhn.add(Number(digit));
  return luhn.isValid();
}
