/** Texts that are remembered before all are forgotten. */
const maxTexts = 1000;
/** Characters of the longest text that is remembered; what a longer one says is read each time. */
export const maxText = 64;
/** Places of which it is remembered what came there last. */
const maxPlaces = 64;

interface Known<Value> {
  readonly text: string;
  readonly value: Value;
}

/**
 * Remembers what was read from short texts. The same few names of headers come in every call, each time as new text: to find one here is to hash it
 * once, where to lower it, to test it and to look it up goes over it three times. Who sends ever new ones costs the others no more than that.
 *
 * A value is its reader's to change: who remembers with a text what was last seen beside it keeps that in the value, and loses it with the text.
 */
export class InternTable<Value> {
  private readonly read: (text: string) => Value;
  private readonly known = new Map<string, Known<Value>>();
  private readonly latest: Known<Value>[] = [];

  /** @param read what a text says, always the same of the same one. */
  constructor(read: (text: string) => Value) {
    this.read = read;
  }

  /** What a text says. Only texts of bytes as Latin-1 are remembered. */
  of(text: string): Value {
    return (this.known.get(text) ?? this.meet(text)).value;
  }

  /**
   * As {@link of}, of one text of several that come in turn. A client sends its headers in the same order in every call, so that a text mostly is the
   * one that was at its place before; to compare the two costs a fifth of hashing it.
   * @param place where it stands among them, from 0.
   */
  at(place: number, text: string): Value {
    const latest = this.latest[place];
    if (latest?.text === text) return latest.value;
    const known = this.known.get(text) ?? this.meet(text);
    // Only what is remembered: any other text may be a part of a larger one, which it would keep in memory.
    if (place < maxPlaces && this.known.get(known.text) === known) this.latest[place] = known;
    return known.value;
  }

  private meet(text: string): Known<Value> {
    if (text.length > maxText) return { text, value: this.read(text) };
    // TRICKY: a part of a text keeps all of that in memory.
    const own = Buffer.from(text, 'latin1').toString('latin1');
    if (own !== text) return { text, value: this.read(text) };
    const known = { text: own, value: this.read(own) };
    if (this.known.size >= maxTexts) this.known.clear();
    this.known.set(own, known);
    return known;
  }
}
