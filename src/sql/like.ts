/** Maximum length of a LIKE pattern: the engine's regular expressions fail at about ten times this length. */
export const maxLikePattern = 16_384;

/** The LIKE pattern that matches exactly the text. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (special) => `\\${special}`);
}

/** Whether a pattern ends within an escape; the engine refuses it then. */
export function endsInOpenEscape(pattern: string): boolean {
  const backslashes = /\\*$/.exec(pattern)?.[0].length ?? 0;
  return backslashes % 2 === 1;
}
