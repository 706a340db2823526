/** When the table is full, it is cleared. */
const maxTexts = 1000;
/** Max length of an interned text, in characters; longer ones are parsed each time. */
export const maxText = 64;
/** Positions with a cached latest text. */
const maxIndexes = 64;

interface Known<Value> {
  readonly text: string;
  readonly value: Value;
}

/**
 * Caches parsed short texts. The same few header names come in every call, each time as a new string. A lookup hashes the name once;
 * lower-casing, validating and looking it up would scan it three times. A client that keeps sending new names only causes misses. Values
 * may be mutable: a caller that caches what last occurred with a text stores it in the value and loses it with the text.
 */
export class InternTable<Value> {
  private readonly read: (text: string) => Value;
  private readonly known = new Map<string, Known<Value>>();
  private readonly latest: Known<Value>[] = [];

  /** @param read a pure function of the text. */
  constructor(read: (text: string) => Value) {
    this.read = read;
  }

  /** The parsed value. Caches only Latin-1 texts. */
  of(text: string): Value {
    return (this.known.get(text) ?? this.intern(text)).value;
  }

  /**
   * As {@link of}, for a text in a sequence. A client sends its headers in the same order in every call, and comparing with the previous
   * text at the same index costs a fifth of hashing. @param index index in the sequence, from 0.
   */
  at(index: number, text: string): Value {
    const latest = this.latest[index];
    if (latest?.text === text) return latest.value;
    const known = this.known.get(text) ?? this.intern(text);
    // Interned texts only: any other string may be a slice that keeps its parent in memory.
    if (index < maxIndexes && this.known.get(known.text) === known) this.latest[index] = known;
    return known.value;
  }

  private intern(text: string): Known<Value> {
    if (text.length > maxText) return { text, value: this.read(text) };
    // TRICKY: a slice keeps its whole parent string in memory, so copy it.
    const own = Buffer.from(text, 'latin1').toString('latin1');
    if (own !== text) return { text, value: this.read(text) };
    const known = { text: own, value: this.read(own) };
    if (this.known.size >= maxTexts) this.known.clear();
    this.known.set(own, known);
    return known;
  }
}
