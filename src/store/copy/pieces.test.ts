import { expect, test } from 'vitest';
import { joinedPieces, piecesOf } from './pieces.ts';

const digest = (rows: number, hash: string, bytes = 10) => ({ rows, hash, bytes, largest: bytes });

test('both stores stand side by side: what is equal, what differs, and what only one of them has', () => {
  const here = new Map([
    [300, digest(1, 'a')],
    [100, digest(2, 'b')],
  ]);
  const there = new Map([
    [100, digest(2, 'b')],
    [200, digest(1, 'c')],
  ]);
  expect(piecesOf(here, there, 100)).toEqual([
    { from: 100, to: 200, rows: 2, bytes: 10, largest: 10, isEqual: true, isReplaced: true },
    { from: 200, to: 300, rows: 0, bytes: 0, largest: 0, isEqual: false, isReplaced: true },
    { from: 300, to: 400, rows: 1, bytes: 10, largest: 10, isEqual: false, isReplaced: false },
  ]);
});

const piece = (from: number, isEqual: boolean, isReplaced = false) => ({
  from,
  to: from + 1,
  rows: 1,
  bytes: 10,
  largest: 10,
  isEqual,
  isReplaced,
});

test('neighbours that differ are one piece up to a size, never across what is equal', () => {
  const pieces = [piece(1, false), piece(3, false, true), piece(4, true), piece(5, false), piece(6, false), piece(7, false)];
  expect(joinedPieces(pieces, 20).map(({ from, to, rows, isReplaced }) => [from, to, rows, isReplaced])).toEqual([
    [1, 4, 2, true],
    [5, 7, 2, false],
    [7, 8, 1, false],
  ]);
});
