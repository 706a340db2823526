/** Maximum length of a LIKE pattern: the engine's regular expressions fail at about ten times this length. */
export const maxLikePattern = 16_384;

/** The LIKE pattern that matches exactly the text. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (special) => `\\${special}`);
}

/** Whether a pattern ends within an escape; the engine refuses it then. */
export function endsInOpenEscape(pattern: string): boolean {
  // TRICKY: a regular expression for the end of a text begins at every place of it, and takes quadratic time.
  let end = pattern.length;
  while (pattern.charAt(end - 1) === '\\') end -= 1;
  return (pattern.length - end) % 2 === 1;
}

/**
 * The same pattern with each literal backslash written as two. TRICKY: before any other character than `%`, `_` and itself a backslash is
 * literal, but the text index takes the character behind it for the next of the word: of `a\nb` it looks for `anb`, and rows are lost.
 */
export function withEscapedBackslashes(pattern: string): string {
  return pattern.replaceAll(/\\(.)/gsu, (escape, character: string) => ('\\%_'.includes(character) ? escape : `\\\\${character}`));
}
