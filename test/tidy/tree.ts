import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { sourcePaths } from './law.ts';
import { parseSource, type SourceFile } from './source.ts';

/** The files of a repository, and those among them that are our own code, parsed. Paths are relative, with forward slashes. */
export interface Tree {
  readonly files: ReadonlyMap<string, string>;
  readonly sources: readonly SourceFile[];
}

/** Folders that are never committed. */
const uncommitted: ReadonlySet<string> = new Set(['.git', '.cache', 'node_modules', 'dist', 'data', 'coverage']);

/** Folders of made files, which are not committed either. */
const made: ReadonlySet<string> = new Set(['src/client/types', 'src/client/endpoints']);

/** Larger files are recorded data. */
const maxTextBytes = 2_000_000;

/** A tree from texts in memory. */
export function treeOf(files: Readonly<Record<string, string>>): Tree {
  const paths = Object.keys(files).filter(isSource);
  return { files: new Map(Object.entries(files)), sources: paths.map((path) => parseSource(path, files[path] ?? '')) };
}

/** Reads the tree below a folder: every file that is, or would be, committed. Pictures are there without their content. */
export function readTree(root: string): Tree {
  const files: Record<string, string> = {};
  for (const path of pathsBelow(root, '')) {
    const text = readFileSync(join(root, path), 'utf8');
    files[path] = text.includes('\0') ? '' : text;
  }
  return treeOf(files);
}

function pathsBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    // In a linked working tree `.git` is a file.
    if (uncommitted.has(entry.name)) return [];
    const path = posix.join(folder, entry.name);
    if (made.has(path)) return [];
    if (entry.isDirectory()) return pathsBelow(root, path);
    return entry.isFile() && statSync(join(root, path)).size <= maxTextBytes ? [path] : [];
  });
}

function isSource(path: string): boolean {
  return /\.(ts|tsx|mts|mjs)$/.test(path) && (!path.includes('/') || sourcePaths.some((prefix) => path.startsWith(prefix)));
}

/** The path a relative import names. @returns undefined for packages and Node's own modules. */
export function targetOf(importer: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(importer), specifier).replace(/\.js$/, '.ts');
}

/** The package of a bare import: `chdb/connection` → `chdb`. @returns undefined for relative paths and `node:` modules. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
