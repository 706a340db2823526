/**
 * ClickHouse parameter types with the value that each takes. Scalars of 64 bits and more travel as decimal text, because a JavaScript number
 * cannot hold them; the elements of an array travel as numbers or bigints, because the engine refuses quoted ones.
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
  'Array(UInt128)': readonly bigint[];
}

/** One of the types of {@link ParamValues}. */
export type ParamType = keyof ParamValues;

/** A typed value that stands outside the text of the SQL. */
export interface Param {
  readonly kind: 'param';
  readonly type: ParamType;
  readonly value: string | boolean | readonly (number | bigint)[];
}

/** A table held to the rows of the tenant whose Statement it becomes a part of; `condition` narrows it further. */
export interface OwnTable {
  readonly kind: 'table';
  readonly name: 'requests' | 'bodies' | 'changes' | 'session_tags' | 'session_changes';
  readonly condition: readonly Piece[];
}

/** Literal SQL, a value, or a table of the tenant. */
export type Piece = string | Param | OwnTable;

/** An immutable part of a query: literal text, values and tables. It cannot be run: only a Statement can. */
export interface Fragment {
  readonly kind: 'fragment';
  readonly pieces: readonly Piece[];
}

/** A value as a typed parameter. Lone surrogates in text become U+FFFD, as UTF-8 has no place for them. */
export function param<Type extends ParamType>(value: ParamValues[Type], type: Type): Param {
  return Object.freeze({ kind: 'param', type, value: wireValue(value) });
}

/**
 * SQL as a template: literal text with parameters and fragments in its holes. Nothing else fits into a hole, so a value of a caller can never
 * become text of a query.
 */
export function sql(texts: TemplateStringsArray, ...holes: readonly (Param | Fragment)[]): Fragment {
  const pieces: Piece[] = [];
  for (const [index, text] of texts.entries()) {
    append(pieces, text);
    const hole = holes[index];
    if (hole === undefined) continue;
    if (hole.kind === 'param') append(pieces, hole);
    else for (const piece of hole.pieces) append(pieces, piece);
  }
  return fragmentOf(pieces);
}

/** The fragments in a row, with a separator between each two. @returns an empty fragment for an empty list. */
export function join(fragments: readonly Fragment[], separator: ', ' | ' AND ' | ' OR '): Fragment {
  const pieces: Piece[] = [];
  for (const [index, fragment] of fragments.entries()) {
    if (index > 0) append(pieces, separator);
    for (const piece of fragment.pieces) append(pieces, piece);
  }
  return fragmentOf(pieces);
}

/** A fragment made of pieces, for the files of this room. */
export function fragmentOf(pieces: readonly Piece[]): Fragment {
  return Object.freeze({ kind: 'fragment', pieces: Object.freeze(pieces) });
}

function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (typeof piece !== 'string') pieces.push(piece);
  else if (typeof last === 'string') pieces[pieces.length - 1] = last + piece;
  else if (piece !== '') pieces.push(piece);
}

function wireValue(value: ParamValues[ParamType]): Param['value'] {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return typeof value === 'boolean' ? value : Object.freeze([...value]);
}
