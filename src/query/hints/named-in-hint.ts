/** The name or value on record that a hint offers in place of the one sought; undefined: it offers none. */
export function namedInHint(hint: string | undefined): string | undefined {
  const [, text] = /; there is (?:one named )?("(?:[^"\\]|\\.)*")(?:, and names are case-sensitive)?$/u.exec(hint ?? '') ?? [];
  return text === undefined ? undefined : (JSON.parse(text) as string);
}
