/** The texts of one writing, in the order in which they come; undefined while nothing is written in parts. */
let collected: { readonly marker: string; readonly texts: string[] } | undefined;

/**
 * Text that is JSON already, as part of a value that is going to be written as JSON. {@link jsonParts} puts it in as it is; whoever else writes it gets the same
 * by way of parsing it.
 */
export class RawJson {
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
 * A value as JSON in parts that stand one behind the other: neither is a {@link RawJson} parsed and written again, nor is there one text of it all.
 * @param marker a text that no value holds, such as a fresh random one.
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
