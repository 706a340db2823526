import type { RecordRows } from '../../store/insert/rows.ts';
import type { Interpretation, InterpretedExchange, InterpretedRows } from './interpreter.ts';

/**
 * What came of a batch as it crosses from the interpreter's thread: the memory of its rows, where in it each row stands, and what few exchanges have beside
 * rows, or instead of them. See `PackedTasks` for why.
 */
export interface PackedResults {
  /** How many exchanges they are. */
  readonly count: number;
  readonly memory: readonly SharedArrayBuffer[];
  /** Of each exchange, for each table of `tables`: the place of its memory, the offset in it, and the bytes. */
  readonly spans: Float64Array;
  /** Of each exchange when it ended, Unix milliseconds; not a number where that is not known. */
  readonly endedAt: Float64Array;
  /** What exchanges with rows have beside them, by place. */
  readonly beside: ReadonlyMap<number, BesideRows>;
  /** What there is instead of rows, by place. */
  readonly instead: ReadonlyMap<number, InsteadOfRows>;
}

type BesideRows = Pick<InterpretedRows, 'settlement' | 'completion' | 'awaited' | 'redactionFailure' | 'threatCheckFailure'>;
type InsteadOfRows = Exclude<InterpretedExchange, InterpretedRows>;

const tables = ['request', 'bodies', 'changes'] as const satisfies readonly (keyof RecordRows)[];
const numbersOfSpan = 3;
const numbersOfExchange = tables.length * numbersOfSpan;

/** Packs what is given, one after the other, so that of each only numbers are kept. @param count how many they are. */
export function packResults(results: Iterable<InterpretedExchange>, count: number): PackedResults {
  const places = new Map<ArrayBufferLike, number>();
  const spans = new Float64Array(count * numbersOfExchange);
  const endedAt = new Float64Array(count).fill(Number.NaN);
  const beside = new Map<number, BesideRows>();
  const instead = new Map<number, InsteadOfRows>();
  let index = 0;
  for (const result of results) {
    if ('request' in result) {
      packRows(result, { places, spans, at: index * numbersOfExchange });
      endedAt[index] = result.endedAt ?? Number.NaN;
      const { settlement, completion, awaited, redactionFailure, threatCheckFailure } = result;
      if ((settlement ?? completion ?? awaited ?? redactionFailure ?? threatCheckFailure) !== undefined) {
        beside.set(index, { settlement, completion, awaited, redactionFailure, threatCheckFailure });
      }
    } else {
      instead.set(index, result);
    }
    index += 1;
  }
  const memory = [...places.keys()].flatMap((buffer) => (buffer instanceof SharedArrayBuffer ? buffer : []));
  return { count: index, memory, spans, endedAt, beside, instead };
}

interface Spans {
  /** Memory that is known, with its place. */
  readonly places: Map<ArrayBufferLike, number>;
  readonly spans: Float64Array;
  readonly at: number;
}

function packRows(rows: RecordRows, { places, spans, at }: Spans): void {
  for (const [number, table] of tables.entries()) {
    const { buffer, byteOffset, length } = rows[table];
    const place = places.get(buffer) ?? places.size;
    places.set(buffer, place);
    const start = at + number * numbersOfSpan;
    spans[start] = place;
    spans[start + 1] = byteOffset;
    spans[start + 2] = length;
  }
}

/** The memory of packed results that is handed over instead of being copied; that of the rows is shared. */
export function memoryOfResults({ spans, endedAt }: PackedResults): ArrayBuffer[] {
  return [spans, endedAt].flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? buffer : []));
}

/**
 * Unpacks results in their order.
 * Invariant: once disposed of, no row can be reached through them, and the memory is given back once.
 * @param giveBack the memory of the rows, which will be written again.
 */
export function unpackResults(packed: PackedResults, giveBack: (memory: readonly SharedArrayBuffer[]) => void): Interpretation {
  const borrowed = { ...packed, memory: [...packed.memory] };
  return {
    results: Array.from({ length: packed.count }, (_, index) => packed.instead.get(index) ?? new PackedRows(borrowed, index)),
    [Symbol.dispose]: () => {
      const memory = borrowed.memory.splice(0);
      if (memory.length > 0) giveBack(memory);
    },
  };
}

/** The rows of one exchange, looked up at each access. */
class PackedRows implements InterpretedRows {
  private readonly packed: PackedResults;
  private readonly index: number;

  constructor(packed: PackedResults, index: number) {
    this.packed = packed;
    this.index = index;
  }

  get request(): Uint8Array {
    return this.bytesOf('request');
  }

  get bodies(): Uint8Array {
    return this.bytesOf('bodies');
  }

  get changes(): Uint8Array {
    return this.bytesOf('changes');
  }

  get endedAt(): number | null {
    const endedAt = this.packed.endedAt[this.index] ?? Number.NaN;
    return Number.isNaN(endedAt) ? null : endedAt;
  }

  get settlement(): InterpretedRows['settlement'] {
    return this.packed.beside.get(this.index)?.settlement;
  }

  get completion(): InterpretedRows['completion'] {
    return this.packed.beside.get(this.index)?.completion;
  }

  get awaited(): InterpretedRows['awaited'] {
    return this.packed.beside.get(this.index)?.awaited;
  }

  get redactionFailure(): InterpretedRows['redactionFailure'] {
    return this.packed.beside.get(this.index)?.redactionFailure;
  }

  get threatCheckFailure(): InterpretedRows['threatCheckFailure'] {
    return this.packed.beside.get(this.index)?.threatCheckFailure;
  }

  private bytesOf(table: keyof RecordRows): Uint8Array {
    const { spans, memory } = this.packed;
    const start = this.index * numbersOfExchange + tables.indexOf(table) * numbersOfSpan;
    const buffer = memory[spans[start] ?? 0];
    if (buffer === undefined) throw new Error(`the rows of exchange ${this.index} have no memory, or gave it back`);
    return new Uint8Array(buffer, spans[start + 1], spans[start + 2]);
  }
}
