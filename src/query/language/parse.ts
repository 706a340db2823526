import { misspeltName } from '../../model/nearest-name.ts';
import { allOf, anyOf, everything, type FilterNode } from '../filter/ast.ts';
import { type Compared, conditionWith, textSearch, wildcardPattern } from './conditions.ts';
import { SearchFault } from './fault.ts';
import { fieldNamed, isFieldName, presence, type SearchField, searchFieldNames } from './fields.ts';
import { negated } from './negate.ts';
import { Scanner } from './scanner.ts';

/** Maximum characters of a search, and parentheses inside each other. */
const searchLimits = { characters: 65_536, depth: 200 } as const;
/** More is read by nobody, and each takes another reading of the search. */
const maxHints = 5;

export interface ParsedSearch {
  readonly filter: FilterNode;
  /** About names that were read as properties and may be misspelt fields. */
  readonly hints: readonly SearchHint[];
}

export interface SearchHint {
  /** As it was written. */
  readonly name: string;
  /** The field that may be meant. */
  readonly meant: string;
  /** The whole search with that field. */
  readonly corrected: string;
}

/**
 * Reads a search such as `model:gpt-4o status:>=400 Team:search -user:ann has:Environment "exact words" (A:1 OR B:2)`.
 *
 * Terms side by side must all hold; `OR` between them binds less. `-` or `NOT` before a term or a group denies it. A term is a word or a
 * quoted text, which a body contains; or a field or property with `:` and a value, before which an operator may stand: `>`, `>=`, `<`,
 * `<=`, `~` contains, `like:` and `ilike:` patterns. `from..to` is a range, `*` stands for any characters, and `field:(a OR b)` is one of
 * several values. @throws SearchFault
 */
export function parseSearch(text: string): ParsedSearch {
  if (text.length > searchLimits.characters) {
    throw new SearchFault(`A search has at most ${searchLimits.characters} characters.`, searchLimits.characters, text.length);
  }
  const { filter, hints } = new Parser(text).parse();
  return { filter, hints: hints.filter(({ corrected }) => canBeRead(corrected)) };
}

function canBeRead(text: string): boolean {
  try {
    new Parser(text).parse();
    return true;
  } catch (error) {
    if (error instanceof SearchFault) return false;
    throw error;
  }
}

class Parser {
  private readonly scanner: Scanner;
  private readonly text: string;
  /** By the names that they are about. */
  private readonly hints = new Map<string, SearchHint>();
  private depth = 0;

  constructor(text: string) {
    this.text = text;
    this.scanner = new Scanner(text);
  }

  parse(): ParsedSearch {
    const { scanner } = this;
    scanner.skipSpace();
    if (scanner.isAtEnd) return { filter: everything, hints: [] };
    const filter = this.alternatives();
    if (!scanner.isAtEnd) throw new SearchFault('There is no opening parenthesis for this one.', scanner.at, scanner.at + 1);
    return { filter, hints: [...this.hints.values()] };
  }

  private alternatives(): FilterNode {
    const first = this.terms();
    const others: FilterNode[] = [];
    while (this.scanner.takeKeyword('OR')) others.push(this.terms());
    return anyOf([first, ...others]);
  }

  private terms(): FilterNode {
    const { scanner } = this;
    const found: FilterNode[] = [];
    for (;;) {
      scanner.skipSpace();
      if (found.length > 0 && scanner.takeKeyword('AND')) continue;
      if (scanner.isAtEnd || scanner.peek() === ')' || this.isBeforeOr()) break;
      found.push(this.term());
    }
    if (found.length > 0) return allOf(found);
    throw new SearchFault('Here a term is missing, such as model:gpt-4o.', scanner.at, scanner.at + 1);
  }

  private isBeforeOr(): boolean {
    const { scanner } = this;
    const { at } = scanner;
    const isOr = scanner.takeKeyword('OR');
    scanner.at = at;
    return isOr;
  }

  private term(): FilterNode {
    const { scanner } = this;
    const from = scanner.at;
    const isDenied = scanner.takeKeyword('NOT') || (scanner.peek() === '-' && !/[\s)]/.test(scanner.peek(1)) && scanner.take('-'));
    if (isDenied) scanner.skipSpace();
    const node = scanner.peek() === '(' ? this.group() : this.comparison();
    if (!isDenied) return node;
    const denied = negated(node);
    if (denied === undefined) {
      throw new SearchFault('This cannot be denied: records without the value would be neither in it nor out of it.', from, scanner.at);
    }
    return denied;
  }

  private group(): FilterNode {
    const { scanner } = this;
    const from = scanner.at;
    scanner.at += 1;
    this.depth += 1;
    if (this.depth > searchLimits.depth) {
      throw new SearchFault(`A search has at most ${searchLimits.depth} parentheses inside each other.`, from, from + 1);
    }
    const node = this.alternatives();
    if (!scanner.take(')')) throw new SearchFault('The closing parenthesis is missing.', from, scanner.at);
    this.depth -= 1;
    return node;
  }

  private comparison(): FilterNode {
    const { scanner } = this;
    const from = scanner.at;
    const isQuoted = scanner.peek() === '"';
    const name = isQuoted ? scanner.quoted() : this.bareName();
    if (!scanner.take(':')) return this.words(name, from);
    if (name === '' && !isQuoted) throw new SearchFault('Before the colon a field or a property is missing.', from, scanner.at);
    if (name === presence && !isQuoted) return this.present();
    const field = this.field(name, from, isQuoted);
    if (scanner.peek() === '(') return this.oneOf(field);
    return this.compared(field);
  }

  /** A name without quotation marks; of a score or an input, the name behind the dot may have them: `scores."my score"`. */
  private bareName(): string {
    const { scanner } = this;
    const name = scanner.bare(':');
    return name.endsWith('.') && isFieldName(name) && scanner.peek() === '"' ? name + scanner.quoted() : name;
  }

  private words(text: string, from: number): FilterNode {
    if (text !== '') return textSearch(text);
    throw new SearchFault('A text to search for is missing.', from, Math.max(this.scanner.at, from + 1));
  }

  /** TRICKY: a name in quotation marks is one of a property, also when a field has it. */
  private field(name: string, from: number, isQuoted: boolean): SearchField {
    if (isQuoted) return fieldNamed(isFieldName(name) ? `properties.${name}` : name);
    const field = fieldNamed(name);
    // An empty name is meant when it has quotation marks.
    if (field.reference.name === '' && this.scanner.peek(-2) !== '"') {
      throw new SearchFault(`Behind "${name}" a name is missing.`, from, this.scanner.at);
    }
    if (field.reference.name === name) this.hintOf(name, from);
    return field;
  }

  private hintOf(name: string, from: number): void {
    if (this.hints.has(name) || this.hints.size === maxHints) return;
    const meant = misspeltName(name, searchFieldNames);
    if (meant === undefined || meant.endsWith('.')) return;
    const corrected = this.text.slice(0, from) + meant + this.text.slice(from + name.length);
    this.hints.set(name, { name, meant, corrected });
  }

  private present(): FilterNode {
    const from = this.scanner.at;
    const isQuoted = this.scanner.peek() === '"';
    const name = this.value();
    if (name === '' && !isQuoted) throw new SearchFault('Behind "has:" the name of a property is missing.', from, from + 1);
    return conditionWith(fieldNamed('properties.x'), { operator: 'present', value: name }, { from, to: this.scanner.at });
  }

  private oneOf(field: SearchField): FilterNode {
    const { scanner } = this;
    const from = scanner.at;
    scanner.at += 1;
    const found: FilterNode[] = [];
    do {
      scanner.skipSpace();
      found.push(this.compared(field));
      scanner.skipSpace();
    } while (scanner.takeKeyword('OR'));
    const [first, ...others] = found;
    if (first === undefined || !scanner.take(')')) {
      throw new SearchFault('Values in parentheses are joined by OR: model:(gpt-4o OR gpt-4o-mini).', from, scanner.at + 1);
    }
    return anyOf([first, ...others]);
  }

  private compared(field: SearchField): FilterNode {
    const { scanner } = this;
    const from = scanner.at;
    const sign = (['>=', '<=', '>', '<', '~', '=', 'ilike:', 'like:'] as const).find((each) => scanner.take(each));
    const isQuoted = scanner.peek() === '"';
    const value = this.value();
    const to = Math.max(scanner.at, from + 1);
    if (value === '' && !isQuoted) throw new SearchFault('A value is missing; write "" for an empty one.', from, to);
    return conditionWith(field, this.comparedWith({ sign, value, isQuoted }), { from, to });
  }

  private comparedWith({ sign, value, isQuoted }: Written): Compared {
    if (sign !== undefined) return { operator: signs[sign], value };
    if (isQuoted) return { operator: 'equals', value };
    const range = /^(?<low>.+?)\.\.(?<high>.+)$/.exec(value)?.groups;
    if (range !== undefined) return { operator: 'range', value: range['low'] ?? '', high: range['high'] ?? '', written: value };
    return value.includes('*') ? { operator: 'ilike', value: wildcardPattern(value) } : { operator: 'equals', value };
  }

  private value(): string {
    return this.scanner.peek() === '"' ? this.scanner.quoted() : this.scanner.bare();
  }
}

const signs = {
  '>=': 'gte',
  '<=': 'lte',
  '>': 'gt',
  '<': 'lt',
  '~': 'contains',
  '=': 'equals',
  'ilike:': 'ilike',
  'like:': 'like',
} as const;

interface Written {
  readonly sign: keyof typeof signs | undefined;
  readonly value: string;
  readonly isQuoted: boolean;
}
