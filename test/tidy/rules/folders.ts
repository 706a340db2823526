import { posix } from 'node:path';
import { mutualFolders } from '../law.ts';
import { isProduction, type Rule } from '../rule.ts';
import { targetOf, type Tree } from '../tree.ts';
import { placeOf } from './imports.ts';

/** Two folders of one room that import each other, and a file of the first that imports the second. */
interface Pair {
  readonly room: string;
  readonly one: string;
  readonly other: string;
  readonly path: string;
  readonly line: number;
}

/** Of two folders of a room one stands above the other. */
export const oneWayFolders: Rule = {
  name: 'one-way folders',
  remedy: 'Move what both need into the folder below, or let the folder above pass it in.',
  find: (tree) => {
    const pairs = mutualPairs(tree);
    return pairs.flatMap(({ room, one, other, path, line }) => {
      const count = pairs.filter((pair) => pair.room === room).length;
      const known = mutualFolders[room] ?? 0;
      if (count <= known) return [];
      return [{ path, line, what: `${one} and ${other} import each other; ${room} has ${count} such pairs, the law knows ${known}` }];
    });
  },
};

function mutualPairs({ sources }: Tree): readonly Pair[] {
  const edges = new Map<string, Omit<Pair, 'one' | 'other' | 'room'>>();
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
    return one < other && room === otherRoom && edges.has(`${other} ${one}`) ? [{ room, one, other, ...place }] : [];
  });
}
