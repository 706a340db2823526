/** Places in a text are counted in code units, wildcards in characters (code points). */

/** The place behind so many characters; undefined when the text ends before. */
export function indexAfter(text: string, from: number, characters: number): number | undefined {
  let position = from;
  for (let count = 0; count < characters; count += 1) {
    if (position >= text.length) return undefined;
    position += unitsAt(text, position);
  }
  return position;
}

/** The place so many characters earlier; undefined when the text begins later. */
export function indexBefore(text: string, from: number, characters: number): number | undefined {
  let position = from;
  for (let count = 0; count < characters; count += 1) {
    if (position === 0) return undefined;
    position -= (text.codePointAt(position - 2) ?? 0) > 0xffff ? 2 : 1;
  }
  return position;
}

export function unitsAt(text: string, position: number): number {
  return (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1;
}

/** Characters of a text from a place on, at most so many. */
export function charactersFrom(text: string, from: number, max: number): Int32Array {
  const characters = new Int32Array(Math.min(max, text.length - from));
  let count = 0;
  for (let position = from; count < characters.length && position < text.length; count += 1) {
    characters[count] = text.codePointAt(position) ?? 0;
    position += unitsAt(text, position);
  }
  return characters.subarray(0, count);
}
