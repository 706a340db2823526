import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { rooms, subRooms } from './tidy/law.ts';
import { planted as plantedSources } from './tidy/planted.ts';
import { plantedDocuments } from './tidy/planted-documents.ts';
import { plantedImports } from './tidy/planted-imports.ts';
import { sentenceOf } from './tidy/rule.ts';
import { rules } from './tidy/rules.ts';
import { readTree, treeOf } from './tidy/tree.ts';

const repository = readTree(fileURLToPath(new URL('..', import.meta.url)));
const planted = [...plantedSources, ...plantedImports, ...plantedDocuments];

describe('the repository keeps its law', () => {
  for (const rule of rules) {
    it(rule.name, () => {
      expect(rule.find(repository).map((violation) => sentenceOf(rule, violation))).toEqual([]);
    });
  }

  it('the tree that was read is the whole tree', () => {
    const expected = ['package.json', 'package-lock.json', '.ci/run', 'src/model/errors.ts', 'test/tidy.test.ts', 'scripts/start.mjs'];
    expect(expected.filter((path) => !repository.files.has(path))).toEqual([]);
    expect(repository.sources.length).toBeGreaterThan(20);
  });
});

describe('each rule finds what is planted for it', () => {
  for (const { name, find } of rules) {
    const cases = planted.filter(({ rule }) => rule === name);

    it(`${name}: is shown able to fail`, () => {
      expect(cases.filter(({ at }) => at.length > 0)).not.toEqual([]);
    });

    for (const { title, files, at } of cases) {
      it(`${name}: ${title}`, () => {
        const found = find(treeOf(files)).map(({ path, line }) => `${path}:${line}`);
        expect(found.toSorted()).toEqual(at.toSorted());
      });
    }
  }

  it('nothing is planted for a rule that does not exist', () => {
    const names = new Set(rules.map(({ name }) => name));
    expect(planted.filter(({ rule }) => !names.has(rule))).toEqual([]);
  });
});

describe('the law itself', () => {
  it('lets a room import only rooms that have a row of their own', () => {
    const named = Object.values(rooms)
      .flat()
      .map((entry) => entry.replace(/^type /, '').split('/')[0]);
    expect(named.filter((room) => room !== '*' && !(room !== undefined && room in rooms))).toEqual([]);
  });

  it('has sub-rooms that exist, in rooms that exist', () => {
    const paths = [...repository.files.keys()];
    const named = Object.entries(subRooms).flatMap(([subRoom, row]) => [subRoom, ...row.map((entry) => entry.replace(/^type /, ''))]);
    const exists = (place: string): boolean =>
      paths.some((path) => path === `src/${place}` || path.startsWith(`src/${place.replace(/\/$/, '')}/`));
    expect(named.filter((place) => !exists(place))).toEqual([]);
  });

  it('leads in one direction: a room is listed only where nothing below it leads back', () => {
    const below = (room: string, seen: ReadonlySet<string>): boolean =>
      seen.has(room) ||
      (rooms[room] ?? []).some((entry) => below(entry.replace(/^type /, '').split('/')[0] ?? '', new Set([...seen, room])));
    expect(Object.keys(rooms).filter((room) => below(room, new Set()))).toEqual([]);
  });
});
