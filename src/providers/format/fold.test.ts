import { describe, expect, it } from 'vitest';
import { parseJson } from '../../model/text.ts';
import { objectOf } from './fields.ts';
import { deltaTable, foldKeys, foldList, joinLists, joinText, lastPresent, leaveOut, reducerTable, runsOf } from './fold.ts';

const deep = (text: string): unknown => parseJson(`${'{"a":'.repeat(5_000)}"${text}"${'}'.repeat(5_000)}`);

const noRows = deltaTable({});

describe('foldKeys without rows', () => {
  it.each([
    { case: 'joins texts', pieces: [{ a: 'x' }, { a: '' }, { a: 'y' }], folded: { a: 'xy' } },
    { case: 'takes the last number', pieces: [{ a: 1 }, { a: 2 }], folded: { a: 2 } },
    { case: 'keeps what null would erase', pieces: [{ a: null }, { a: 'x' }, { a: null }], folded: { a: 'x' } },
    { case: 'keeps a null that is never filled', pieces: [{ a: null }, {}], folded: { a: null } },
    { case: 'keeps false', pieces: [{ a: true }, { a: false }], folded: { a: false } },
    { case: 'takes the last of mixed values', pieces: [{ a: 'x' }, { a: 3 }], folded: { a: 3 } },
    { case: 'takes the last plain list', pieces: [{ a: [1] }, { a: [2] }], folded: { a: [2] } },
    { case: 'does not join names', pieces: [{ a: { id: 'i', t: 'x' } }, { a: { id: 'i', t: 'y' } }], folded: { a: { id: 'i', t: 'xy' } } },
    {
      case: 'merges lists by index',
      pieces: [
        { a: [{ index: 1, t: 'p' }] },
        {
          a: [
            { index: 0, t: 'x' },
            { index: 1, t: 'q' },
          ],
        },
      ],
      folded: {
        a: [
          { index: 0, t: 'x' },
          { index: 1, t: 'pq' },
        ],
      },
    },
  ])('$case', ({ pieces, folded }) => {
    expect(foldKeys(pieces, noRows)).toEqual(folded);
  });

  it('treats keys that objects are born with as any other', () => {
    const pieces = ['{"__proto__":"a","constructor":"b"}', '{"__proto__":"c","constructor":"d"}'].map((text) => objectOf(parseJson(text)));
    const folded = foldKeys(pieces, noRows);
    expect(JSON.stringify(folded)).toBe('{"__proto__":"ac","constructor":"bd"}');
    expect(Object.getPrototypeOf(folded)).toBe(Object.prototype);
  });

  it('survives nesting deeper than the stack', () => {
    expect(() => foldKeys([{ a: deep('x') }, { a: deep('y') }], noRows)).not.toThrow();
  });
});

describe('texts without a row', () => {
  const pieces = [
    { a: 'x', b: { c: 'x' } },
    { a: '', b: { c: 'y' } },
  ];

  it('are joined where pieces are cut', () => {
    expect(foldKeys(pieces, deltaTable({}))).toEqual({ a: 'x', b: { c: 'xy' } });
  });

  it('are the last that says something elsewhere, however deep', () => {
    expect(foldKeys(pieces, reducerTable({}))).toEqual({ a: 'x', b: { c: 'y' } });
  });
});

describe('rows', () => {
  it('decide for their key', () => {
    const rows = reducerTable({ a: lastPresent, b: joinText, c: joinLists, d: leaveOut });
    const pieces = [
      { a: 'x', b: 'x', c: [1], d: 1 },
      { a: 'y', b: null, c: null, d: 2 },
      { a: '', b: 'y', c: [2], d: 3 },
    ];
    expect(foldKeys(pieces, rows)).toEqual({ a: 'y', b: 'xy', c: [1, 2] });
  });
});

describe('foldList', () => {
  const fold = foldList(reducerTable({ t: joinText }));

  it.each([
    {
      case: 'orders by index',
      lists: [[{ index: 7, t: 'b' }], [{ index: 2, t: 'a' }]],
      folded: [
        { index: 2, t: 'a' },
        { index: 7, t: 'b' },
      ],
    },
    {
      case: 'without an index goes by id',
      lists: [[{ id: 'p', t: 'a' }], [{ t: 'b' }], [{ id: 'q', t: 'c' }]],
      folded: [
        { id: 'p', t: 'ab' },
        { id: 'q', t: 'c' },
      ],
    },
    { case: 'without either continues the element before', lists: [[{ t: 'a' }], [{ t: 'b' }]], folded: [{ t: 'ab' }] },
    {
      case: 'allocates nothing for the gap before a large index',
      lists: [[{ index: 2 ** 50, t: 'a' }]],
      folded: [{ index: 2 ** 50, t: 'a' }],
    },
    { case: 'skips what is no element', lists: [[null, 3, { index: 0, t: 'a' }]], folded: [{ index: 0, t: 'a' }] },
  ])('$case', ({ lists, folded }) => {
    expect(fold(lists)).toEqual(folded);
  });
});

describe('runsOf', () => {
  it('parts a list where a part does not continue the one before it', () => {
    const parts = [{ a: 1 }, { a: 1 }, { a: 2 }, { a: 1 }];
    expect(runsOf(parts, (last, part) => last['a'] === part['a'])).toEqual([[{ a: 1 }, { a: 1 }], [{ a: 2 }], [{ a: 1 }]]);
    expect(runsOf([], () => true)).toEqual([]);
  });
});
