/** Levels of a tree below its root. */
const deepestLevel = 32;

/**
 * A session path as the names of its levels: parted at slashes, empty parts left out, so that `a//b/` is `/a/b` and nothing is the root. What
 * is deeper than the tree stands at its last level. `session/view.ts` does the same in SQL.
 */
export function levelsOf(sessionPath: string): readonly string[] {
  return sessionPath
    .split('/')
    .filter((name) => name !== '')
    .slice(0, deepestLevel);
}

/** The path of a node by the names of its levels. */
export function nodePathOf(levels: readonly string[]): string {
  return `/${levels.join('/')}`;
}
