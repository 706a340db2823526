import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { packages, rooms, subRooms } from '../law.ts';
import { isProduction, isTestFile, type Rule, sourceRule, type Violation } from '../rule.ts';
import type { Import } from '../source.ts';
import { packageOf, targetOf, type Tree } from '../tree.ts';

/** The path of a file below `src/`: `src/query/requests/query.ts` → `query/requests/query.ts`. @returns undefined outside of `src/`. */
export function placeOf(path: string): string | undefined {
  return path.startsWith('src/') ? path.slice('src/'.length) : undefined;
}

function roomOf(path: string): string | undefined {
  return placeOf(path)?.split('/')[0];
}

/** Every file of `src/` lies in a room of the law table. */
export const knownRoom: Rule = {
  name: 'known room',
  remedy: 'Move it into a room, or give the new room its row in test/tidy/law.ts and ARCHITECTURE.md.',
  find: ({ sources }) =>
    sources.flatMap(({ path }) => {
      const room = roomOf(path);
      return room === undefined || room in rooms ? [] : [{ path, line: 1, what: `${room} is not a room` }];
    }),
};

/** A room imports only what its row allows. */
export const roomImports: Rule = sourceRule(
  {
    name: 'room imports',
    remedy: 'Take it by type in what the room opens with, and pass it in src/main/; where two may stand for it, declare a port.',
  },
  ({ path, imports }) => (isProduction(path) ? imports.flatMap((each) => forbiddenImport(path, each)) : []),
);

function forbiddenImport(path: string, { specifier, typeOnly, line }: Import): Omit<Violation, 'path'>[] {
  const room = roomOf(path);
  const target = targetOf(path, specifier);
  if (room === undefined || target === undefined) return [];
  const place = isTestFile(target) ? undefined : placeOf(target);
  if (place === undefined) return [{ line, what: `${room} imports ${target}, which is not production code` }];
  if (place.split('/')[0] === room) return [];
  if ((rooms[room] ?? []).some((entry) => allows(entry, place, typeOnly))) return [];
  return [{ line, what: `${room} imports ${typeOnly ? 'types' : 'values'} of ${place}` }];
}

function allows(entry: string, place: string, typeOnly: boolean): boolean {
  const allowed = entry.replace(/^type /, '');
  const kindFits = typeOnly || allowed === entry;
  if (allowed.endsWith('/')) return kindFits && `${posix.dirname(place)}/` === allowed;
  return kindFits && (allowed === '*' || place === allowed || place.startsWith(`${allowed}/`));
}

/** A sub-room with a row imports of its own room only what the row allows. */
export const subRoomImports: Rule = sourceRule(
  {
    name: 'sub-room imports',
    remedy:
      'Declare what is needed as an interface in the sub-room, or move what both need into one that may be imported (or src/platform/).',
  },
  ({ path, imports }) => {
    const place = placeOf(path) ?? '';
    const subRoom = place.split('/').slice(0, 2).join('/');
    const row = subRooms[subRoom];
    return row === undefined || !isProduction(path) ? [] : imports.flatMap((each) => forbiddenInRoom(path, { subRoom, row }, each));
  },
);

function forbiddenInRoom(
  path: string,
  { subRoom, row }: { readonly subRoom: string; readonly row: readonly string[] },
  { specifier, typeOnly, line }: Import,
): Omit<Violation, 'path'>[] {
  const target = targetOf(path, specifier);
  const place = target === undefined ? undefined : placeOf(target);
  if (place === undefined || roomOf(path) !== place.split('/')[0] || place.startsWith(`${subRoom}/`)) return [];
  if (row.some((entry) => allows(entry, place, typeOnly))) return [];
  return [{ line, what: `${subRoom} imports ${typeOnly ? 'types' : 'values'} of ${place}` }];
}

/** A package is imported only by the rooms in its row. */
export const packageImports: Rule = sourceRule(
  { name: 'package imports', remedy: 'Go through the room that owns the package; a new package needs a row in test/tidy/law.ts.' },
  ({ path, imports }) => (path.startsWith('src/') && isProduction(path) ? imports.flatMap((each) => forbiddenPackage(path, each)) : []),
);

function forbiddenPackage(path: string, { specifier, line }: Import): Omit<Violation, 'path'>[] {
  const name = packageOf(specifier);
  const room = roomOf(path) ?? '';
  if (name === undefined || packages[name]?.includes(room) === true) return [];
  if (isBuiltin(name)) return [{ line, what: `${specifier} is written without node:` }];
  const owners = packages[name]?.join(', ');
  return [{ line, what: `${room} imports ${name}, ${owners === undefined ? 'which has no row' : `which belongs to ${owners}`}` }];
}

/** No file imports itself through others, not even for types. */
export const noCycles: Rule = {
  name: 'no cycles',
  remedy: 'Move what both need into a file that imports neither.',
  find: (tree) => {
    const graph = importGraph(tree);
    const inOneCycle = new Set<string>();
    return [...graph.keys()].toSorted().flatMap((path) => {
      const cycle = inOneCycle.has(path) ? undefined : pathBack(graph, path);
      if (cycle === undefined) return [];
      for (const member of cycle) inOneCycle.add(member);
      return [{ path, line: graph.get(path)?.get(cycle[1] ?? path) ?? 1, what: cycle.join(' → ') }];
    });
  },
};

type Graph = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** File → the files it imports, each with the line of the import. */
function importGraph({ sources }: Tree): Graph {
  const known = new Set(sources.map(({ path }) => path));
  return new Map(
    sources.map(({ path, imports }) => {
      const edges = imports.flatMap(({ specifier, line }): [string, number][] => {
        const target = targetOf(path, specifier);
        return target !== undefined && known.has(target) ? [[target, line]] : [];
      });
      return [path, new Map(edges)];
    }),
  );
}

/** The shortest import path from a file back to itself. */
function pathBack(graph: Graph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const path of queue) {
    for (const next of graph.get(path)?.keys() ?? []) {
      if (next === start) return [...trail(cameFrom, start, path), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, path);
      queue.push(next);
    }
  }
  return undefined;
}

function trail(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const steps = [end];
  for (let at = end; at !== start;) {
    at = cameFrom.get(at) ?? start;
    steps.unshift(at);
  }
  return steps;
}
