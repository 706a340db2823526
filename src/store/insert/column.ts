import type { Uuid } from '../../model/ids.ts';
import type { ColumnType, ColumnValues } from '../../model/record/columns.ts';
import type { Money } from '../../model/pricing/money.ts';
import type { RowWriter } from './row-writer.ts';
import type { Span } from './spans.ts';

export interface Kind<Value> {
  /** The type as SQL. */
  readonly type: string;
  readonly write: (writer: RowWriter, value: Value) => void;
}

export interface Column<Source> {
  readonly name: string;
  readonly type: string;
  readonly write: (writer: RowWriter, source: Source) => void;
}

export function column<Source, Value>(name: string, kind: Kind<Value>, value: (source: Source) => Value): Column<Source> {
  const { type, write } = kind;
  return { name, type, write: (writer, source) => write(writer, value(source)) };
}

/** Writes a row. @throws RangeError with the column's name for a value outside its type; the system's error without memory. */
export function writeRow<Source>(writer: RowWriter, columns: readonly Column<Source>[], source: Source): void {
  let at = 0;
  try {
    for (; at < columns.length; at += 1) columns[at]?.write(writer, source);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`${columns[at]?.name ?? ''}: ${error.message}`, { cause: error });
  }
}

/** Names and types of columns, as the engine writes them. */
export function structureOf(columns: readonly Pick<Column<never>, 'name' | 'type'>[]): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ');
}

const uint32: Kind<number> = { type: 'UInt32', write: (writer, value) => writer.uint32(integer(value, 2 ** 32)) };

export const string: Kind<string> = { type: 'String', write: (writer, value) => writer.text(value) };

export const uint128: Kind<Uuid> = { type: 'UInt128', write: (writer, value) => writer.uint128(value) };

/** The range of the store's times, years 1900 to 2299, Unix milliseconds. */
const [firstTime, lastTime] = [-2_208_988_800_000, 10_413_791_999_999];

/** Unix milliseconds, truncated. */
export const dateTime: Kind<number> = {
  type: "DateTime64(3, 'UTC')",
  write: (writer, value) => {
    const ms = Math.trunc(value);
    if (!(ms >= firstTime && ms <= lastTime)) throw noTime(value);
    if (ms >= 0) writer.uint64(ms);
    else writer.int64(ms);
  },
};

const bool: Kind<boolean> = { type: 'Bool', write: (writer, value) => writer.byte(value ? 1 : 0) };

const uint16: Kind<number> = { type: 'UInt16', write: (writer, value) => writer.uint16(integer(value, 2 ** 16)) };

export const uint64: Kind<number | bigint> = {
  type: 'UInt64',
  write: (writer, value) => writer.uint64(typeof value === 'bigint' ? value : integer(value, 2 ** 64)),
};

const float64: Kind<number> = {
  type: 'Float64',
  write: (writer, value) => {
    if (!Number.isFinite(value)) throw new RangeError(`${value} is no number`);
    writer.float64(value);
  },
};

/** 38 digits. */
const boundOfDecimal = 10n ** 38n;

const decimal: Kind<Money> = {
  type: 'Decimal(38, 12)',
  write: (writer, value) => {
    if (value >= boundOfDecimal || value <= -boundOfDecimal) throw new RangeError('the amount has more than 38 digits');
    writer.int128(value);
  },
};

export function nullable<Value>({ type, write }: Kind<Value>): Kind<Value | null> {
  return {
    type: `Nullable(${type})`,
    write: (writer, value) => {
      writer.byte(value === null ? 1 : 0);
      if (value !== null) write(writer, value);
    },
  };
}

function listOf<Value>({ type, write }: Kind<Value>): Kind<readonly Value[]> {
  return {
    type: `Array(${type})`,
    write: (writer, values) => {
      writer.count(values.length);
      for (const value of values) write(writer, value);
    },
  };
}

export const spans: Kind<readonly Span[]> = listOf({
  type: 'Tuple(UInt32, UInt32)',
  write: (writer, [start, bytes]) => {
    uint32.write(writer, start);
    uint32.write(writer, bytes);
  },
});

function mapOf<Value>({ type, write }: Kind<Value>): Kind<ReadonlyMap<string, Value>> {
  return {
    type: `Map(String, ${type})`,
    write: (writer, values) => {
      writer.count(values.size);
      for (const [name, value] of values) {
        writer.text(name);
        write(writer, value);
      }
    },
  };
}

export const kinds: { readonly [Type in ColumnType]: Kind<ColumnValues[Type]> } = {
  text: string,
  time: dateTime,
  uint16,
  uint64,
  float64,
  money: decimal,
  flag: bool,
  texts: mapOf(string),
  counts: mapOf(uint64),
  numbers: mapOf(float64),
  textList: listOf(string),
  countList: listOf(uint64),
};

function noTime(value: number): RangeError {
  return new RangeError(`${value} is no time of the years from 1900 to 2299 in Unix milliseconds`);
}

function integer(value: number, bound: number): number {
  if (Number.isInteger(value) && value >= 0 && value < bound) return value;
  throw new RangeError(`${value} is no whole number from 0 to below ${BigInt(bound)}`);
}
