/** Levels of a tree below its root. */
const deepestLevel = 32;

/**
 * The levels of a session path: split at slashes without empty parts, so that `a//b/` is `/a/b` and an empty path is the root. Deeper
 * levels fold into the last one. `statement.ts` does the same in SQL.
 */
export function levelsOf(sessionPath: string): readonly string[] {
  return sessionPath
    .split('/')
    .filter((name) => name !== '')
    .slice(0, deepestLevel);
}

export function nodePathOf(levels: readonly string[]): string {
  return `/${levels.join('/')}`;
}
