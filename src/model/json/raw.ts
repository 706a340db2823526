/** The raw texts of the `jsonParts` call that is running, in order; undefined outside one. */
let collected: { readonly marker: string; readonly texts: string[] } | undefined;

/**
 * Text that is already JSON, embedded in a value to serialise. {@link jsonParts} inserts it verbatim; plain `JSON.stringify` parses and
 * rewrites it.
 */
export class RawJson<Value = unknown> {
  /** What the text is the JSON of; for the compiler alone. */
  declare readonly value?: Value;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    if (collected === undefined) return JSON.parse(this.text);
    collected.texts.push(this.text);
    return collected.marker;
  }
}

/**
 * Serialises a value to consecutive JSON parts, without parsing a {@link RawJson} and without building one large string. @param marker a
 * text that occurs in no value, such as a fresh random one.
 */
export function jsonParts(value: unknown, marker: string): readonly string[] {
  const texts: string[] = [];
  collected = { marker, texts };
  try {
    const between = JSON.stringify(value).split(JSON.stringify(marker));
    return between.flatMap((part, index) => (index === 0 ? [part] : [texts[index - 1] ?? '', part]));
  } finally {
    collected = undefined;
  }
}
