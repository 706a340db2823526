/** Texts that are remembered before all are forgotten, and the longest of them. */
const mostTexts = 1000;
const longestText = 64;

/**
 * Remembers what was read from short texts. The same few names of headers come in every call, each time as new text: to find one here is to hash it
 * once, where to lower it, to test it and to look it up goes over it three times. Who sends ever new ones costs the others no more than that.
 */
export class KnownTexts<Value> {
  private readonly read: (text: string) => Value;
  private readonly known = new Map<string, Value>();

  /** @param read what a text says, always the same of the same one; undefined is no value. */
  constructor(read: (text: string) => Value) {
    this.read = read;
  }

  /** What a text says. Only texts of bytes as Latin-1 are remembered. */
  of(text: string): Value {
    return this.known.get(text) ?? this.meet(text);
  }

  private meet(text: string): Value {
    if (text.length > longestText) return this.read(text);
    // TRICKY: a part of a text keeps all of that in memory.
    const own = Buffer.from(text, 'latin1').toString('latin1');
    if (own !== text) return this.read(text);
    const value = this.read(own);
    if (this.known.size >= mostTexts) this.known.clear();
    this.known.set(own, value);
    return value;
  }
}
