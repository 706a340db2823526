/**
 * The ClickHouse types of parameters, with the JavaScript types of their values. Scalars of 64 bits and more are sent as decimal text,
 * because a JavaScript number cannot hold them; the elements of an array are sent as numbers or bigints, because the engine refuses quoted
 * ones.
 */
export interface ParamValues {
  String: string;
  Bool: boolean;
  Int64: number | bigint;
  UInt64: number | bigint;
  UInt128: bigint;
  Float64: number;
  /** Decimal text with at most twelve digits after the point. */
  'Decimal(38, 12)': string;
  'Array(Int64)': readonly number[];
  /** Unix seconds. */
  "Array(DateTime('UTC'))": readonly number[];
  /** Texts such as `2026-06-01 09:58:30.123`. */
  "Array(DateTime64(3, 'UTC'))": readonly string[];
  'Array(UInt8)': readonly number[];
  'Array(UInt64)': readonly (number | bigint)[];
  'Array(UInt128)': readonly bigint[];
  'Array(String)': readonly string[];
  'Array(Array(String))': readonly (readonly string[])[];
  'Array(Array(Float64))': readonly (readonly number[])[];
}

export type ParamType = keyof ParamValues;

/** A typed value outside the text of the SQL. */
export interface Param {
  readonly kind: 'param';
  readonly type: ParamType;
  readonly value: string | boolean | readonly unknown[];
  /** Undefined: the statement numbers it. */
  readonly name: string | undefined;
}

/**
 * A piece of SQL: literal text, a value, the organisation of the statement (`tenant`), or a mark for a table that is read over all
 * organisations (`across`). A table that is being replaced has pieces for the time until then.
 */
export type Piece = string | Param | { readonly kind: 'tenant' } | { readonly kind: 'across' } | Moving;

/** Pieces with which a statement runs, and others while rows are being moved between tables. */
export interface Moving {
  readonly kind: 'moving';
  readonly after: readonly Piece[];
  readonly meanwhile: readonly Piece[];
}

/** An immutable part of a query: an expression, or several separated by commas. */
export interface Fragment {
  readonly kind: 'fragment';
  readonly pieces: readonly Piece[];
}

/** A SELECT made by `select`. Inside an expression it gets parentheses. */
export interface Query {
  readonly kind: 'query';
  readonly pieces: readonly Piece[];
}

/**
 * A value as a typed parameter. Lone surrogates become U+FFFD, because UTF-8 cannot encode them.
 * @param name absent: the statement numbers it, and equal values share a number.
 */
export function param<Type extends ParamType>(value: ParamValues[Type], type: Type, name?: string): Param {
  return Object.freeze({ kind: 'param', type, value: wireValue(value), name });
}

/**
 * An expression as a template: literal text with parameters, fragments and queries in its holes. Holes take nothing else, so a caller's
 * value never becomes text of a query.
 *
 * Invariant: the text contains no statement and no table name. Only `select` and the other functions of this room write those, and they
 * restrict a table to its organisation.
 * @throws TypeError otherwise, and for text that would not end with the fragment: bugs of ours.
 */
export function sql(texts: TemplateStringsArray, ...holes: readonly (Param | Fragment | Query)[]): Fragment {
  for (const index of holesBehindIn(texts)) {
    if (holes[index]?.kind === 'fragment') throw new TypeError('A parameter or a query stands behind IN.');
  }
  return fragmentOf(concat(texts.flatMap((text, index) => [text, holes[index]])));
}

/** Joins fragments by a separator; an empty list gives an empty fragment. */
export function join(fragments: readonly Fragment[], separator: ', ' | ' AND ' | ' OR '): Fragment {
  return fragmentOf(concat(fragments.flatMap((fragment, index) => (index === 0 ? [fragment] : [separator, fragment]))));
}

/** Unchecked: only for files of this room. */
export function fragmentOf(pieces: readonly Piece[]): Fragment {
  return Object.freeze({ kind: 'fragment', pieces: Object.freeze(pieces) });
}

export type Parts = readonly (string | Param | Fragment | Query | undefined)[];

/** Concatenates text and fragments, with a query in parentheses. Unchecked: only for files of this room. */
export function concat(parts: Parts): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const part of parts) {
    if (part === undefined) continue;
    if (typeof part === 'string' || part.kind === 'param') append(pieces, part);
    else for (const piece of part.kind === 'query' ? ['(', ...part.pieces, ')'] : part.pieces) append(pieces, piece);
  }
  return pieces;
}

function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (typeof piece !== 'string') pieces.push(piece);
  else if (typeof last === 'string') pieces[pieces.length - 1] = last + piece;
  else if (piece !== '') pieces.push(piece);
}

/** The checked templates, each with its holes behind `IN`. */
const checkedTemplates = new WeakMap<TemplateStringsArray, readonly number[]>();

/** Words that begin a statement or name a table, functions that read a table by its name, and signs that end a text early. */
const notInExpressions = /\b(?:SELECT|FROM|JOIN|UNION|INTO|EXISTS|SETTINGS|(?:dictGet|dictHas|joinGet)\w*)\b|--|\/\*|;/i;
/** The engine reads a single name behind `IN` as a table, even in parentheses. */
const tableBehindIn = /\bIN\b\s*\(?\s*[a-z_]\w*\s*(?![\w.(])/i;

function holesBehindIn(texts: TemplateStringsArray): readonly number[] {
  const known = checkedTemplates.get(texts);
  if (known !== undefined) return known;
  const text = texts.join('{}').replaceAll(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/gs, "''");
  const found = (notInExpressions.exec(text) ?? tableBehindIn.exec(text))?.[0];
  if (found !== undefined) throw new TypeError(`${found} does not stand in an expression.`);
  if (!isBalanced(text)) throw new TypeError('Every parenthesis of an expression is closed in it.');
  const holes = [...texts.keys()].filter((index) => /\bIN\b\s*\(?\s*$/i.test(texts[index] ?? ''));
  checkedTemplates.set(texts, holes);
  return holes;
}

function isBalanced(text: string): boolean {
  let open = 0;
  for (const [sign] of text.matchAll(/[()]/g)) {
    open += sign === '(' ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
}

function wireValue(value: ParamValues[ParamType]): Param['value'] {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return typeof value === 'boolean' ? value : Object.freeze([...value]);
}
