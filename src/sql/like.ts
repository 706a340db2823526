/** Longest pattern of LIKE that is let through: the engine's regular expressions give up at some ten times this length. */
export const maxLikePattern = 16_384;

/** The text as a LIKE pattern that matches exactly it: nothing in it is special any more. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (special) => `\\${special}`);
}

/** A pattern that ends in the middle of an escape; the engine refuses it. */
export function endsInOpenEscape(pattern: string): boolean {
  const backslashes = /\\*$/.exec(pattern)?.[0].length ?? 0;
  return backslashes % 2 === 1;
}
