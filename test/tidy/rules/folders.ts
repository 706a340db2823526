import { posix } from 'node:path';
import { limits } from '../law.ts';
import { isProduction, type Rule } from '../rule.ts';
import type { SourceFile } from '../source.ts';
import { targetOf, type Tree } from '../tree.ts';
import { placeOf } from './imports.ts';

/** Two folders of one room that import each other, and a file of the first that imports the second. */
interface Pair {
  readonly one: string;
  readonly other: string;
  readonly path: string;
  readonly line: number;
}

/** Of two folders of a room one stands above the other. */
export const oneWayFolders: Rule = {
  name: 'one-way folders',
  remedy: 'Move what both need into the folder below, or let the folder above pass it in.',
  find: (tree) => mutualPairs(tree).map(({ one, other, path, line }) => ({ path, line, what: `${one} and ${other} import each other` })),
};

function mutualPairs({ sources }: Tree): readonly Pair[] {
  const edges = new Map<string, Omit<Pair, 'one' | 'other'>>();
  for (const { path, imports } of sources.filter((source) => isProduction(source.path))) {
    for (const { specifier, line } of imports) {
      const target = targetOf(path, specifier);
      if (target === undefined) continue;
      const edge = `${posix.dirname(path)} ${posix.dirname(target)}`;
      if (!edges.has(edge)) edges.set(edge, { path, line });
    }
  }
  return [...edges].flatMap(([edge, place]) => {
    const [one = '', other = ''] = edge.split(' ');
    const [room = '', otherRoom] = [one, other].map((folder) => placeOf(`${folder}/`)?.split('/')[0]);
    return one < other && room === otherRoom && edges.has(`${other} ${one}`) ? [{ one, other, ...place }] : [];
  });
}

/** A folder is one thing, or a list of equals: not two things that know nothing of each other. */
export const oneThingFolders: Rule = {
  name: 'one thing in a folder',
  remedy: 'Give each part a folder of its own: neither imports anything of the other.',
  find: ({ sources }) => {
    const folders = new Map<string, SourceFile[]>();
    for (const source of sources.filter(({ path }) => isProduction(path))) {
      const folder = posix.dirname(source.path);
      folders.set(folder, [...(folders.get(folder) ?? []), source]);
    }
    return [...folders].flatMap(([folder, files]) => {
      const parts = partsOf(files).filter((part) => part.length >= limits.partFiles);
      if (parts.length < 2) return [];
      return parts.map(([first = folder, ...others]) => ({
        path: first,
        line: 1,
        what: `${folder} has ${parts.length} parts that import nothing of each other; one begins here, with ${others.join(', ')}`,
      }));
    });
  },
};

/** Paths of the files that are connected by imports of each other, the first in the order of the tree. */
function partsOf(files: readonly SourceFile[]): readonly (readonly string[])[] {
  let parts: readonly (readonly string[])[] = files.map(({ path }) => [path]);
  for (const { path, imports } of files) {
    const near = new Set([path, ...imports.map(({ specifier }) => targetOf(path, specifier))]);
    const joined = parts.filter((part) => part.some((member) => near.has(member)));
    parts = [joined.flat(), ...parts.filter((part) => !joined.includes(part))];
  }
  return parts.map((part) => part.toSorted());
}
