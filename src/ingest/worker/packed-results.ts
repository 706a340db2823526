import type { RowPiece } from '../../store/insert/row-memory.ts';
import type { RecordRows } from '../../store/insert/rows.ts';
import { type PackedSpends, spendAt, SpendPacker } from './packed-spends.ts';
import type { Interpretation, InterpretedExchange, InterpretedRows } from './record-builder.ts';

/**
 * Results as they cross from the interpreter's thread: the memory of the rows, the location of each row in it, and the rest, which few
 * exchanges have, beside rows or instead of them. `PackedTasks` has the reason.
 */
export interface PackedResults {
  readonly count: number;
  readonly memory: readonly RowPiece[];
  /** For each exchange and each table of `tables`: index in `memory`, offset, length. */
  readonly spans: Float64Array;
  /** Unix milliseconds at which each exchange ended; NaN where that is not known. */
  readonly endedAt: Float64Array;
  readonly spends: PackedSpends;
  /** By the index of the exchange. */
  readonly beside: ReadonlyMap<number, BesideRows>;
  /** By the index of the exchange. */
  readonly instead: ReadonlyMap<number, InsteadOfRows>;
}

type BesideRows = Pick<
  InterpretedRows,
  'conversation' | 'settlement' | 'completion' | 'awaited' | 'told' | 'redactionFailure' | 'threatCheckFailure'
>;
type InsteadOfRows = Exclude<InterpretedExchange, InterpretedRows>;

const tables = ['request', 'bodies', 'changes'] as const satisfies readonly (keyof RecordRows)[];
const numbersPerSpan = 3;
const numbersPerExchange = tables.length * numbersPerSpan;

/** Packs results one by one, so that no objects of earlier ones are retained. @param count of the results, or more. */
export function packResults(results: Iterable<InterpretedExchange>, count: number): PackedResults {
  const indexes = new Map<ArrayBufferLike, number>();
  const spans = new Float64Array(count * numbersPerExchange);
  const endedAt = new Float64Array(count).fill(Number.NaN);
  const spends = new SpendPacker(count);
  const beside = new Map<number, BesideRows>();
  const instead = new Map<number, InsteadOfRows>();
  let index = 0;
  for (const result of results) {
    if ('request' in result) {
      packRows(result, { indexes, spans, at: index * numbersPerExchange });
      endedAt[index] = result.endedAt ?? Number.NaN;
      if (result.spend !== undefined) spends.add(index, result.spend);
      const { conversation, settlement, completion, awaited, told, redactionFailure, threatCheckFailure } = result;
      if ((conversation ?? settlement ?? completion ?? awaited ?? told ?? redactionFailure ?? threatCheckFailure) !== undefined) {
        beside.set(index, { conversation, settlement, completion, awaited, told, redactionFailure, threatCheckFailure });
      }
    } else {
      instead.set(index, result);
    }
    index += 1;
  }
  return { count: index, memory: [...indexes.keys()], spans, endedAt, spends: spends.packed(), beside, instead };
}

interface Spans {
  /** The index of each piece of memory. */
  readonly indexes: Map<ArrayBufferLike, number>;
  readonly spans: Float64Array;
  readonly at: number;
}

function packRows(rows: RecordRows, { indexes, spans, at }: Spans): void {
  for (const [number, table] of tables.entries()) {
    const { buffer, byteOffset, length } = rows[table];
    const pieceIndex = indexes.get(buffer) ?? indexes.size;
    indexes.set(buffer, pieceIndex);
    const start = at + number * numbersPerSpan;
    spans[start] = pieceIndex;
    spans[start + 1] = byteOffset;
    spans[start + 2] = length;
  }
}

/** The memory of packed results that is transferred instead of copied; that of most rows is shared. */
export function memoryOfResults({ spans, endedAt, spends, memory }: PackedResults): ArrayBuffer[] {
  const numbers = [spans, endedAt, spends.numbers].map(({ buffer }) => buffer);
  return [...numbers, ...memory].flatMap((buffer) => (buffer instanceof ArrayBuffer ? buffer : []));
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
      const memory = borrowed.memory.splice(0).filter((piece) => piece instanceof SharedArrayBuffer);
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

  get spend(): InterpretedRows['spend'] {
    return spendAt(this.packed.spends, this.index);
  }

  get conversation(): InterpretedRows['conversation'] {
    return this.packed.beside.get(this.index)?.conversation;
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

  get told(): InterpretedRows['told'] {
    return this.packed.beside.get(this.index)?.told;
  }

  get redactionFailure(): InterpretedRows['redactionFailure'] {
    return this.packed.beside.get(this.index)?.redactionFailure;
  }

  get threatCheckFailure(): InterpretedRows['threatCheckFailure'] {
    return this.packed.beside.get(this.index)?.threatCheckFailure;
  }

  private bytesOf(table: keyof RecordRows): Uint8Array {
    const { spans, memory } = this.packed;
    const start = this.index * numbersPerExchange + tables.indexOf(table) * numbersPerSpan;
    const buffer = memory[spans[start] ?? 0];
    if (buffer === undefined) throw new Error(`the rows of exchange ${this.index} have no memory, or gave it back`);
    return new Uint8Array(buffer, spans[start + 1], spans[start + 2]);
  }
}
