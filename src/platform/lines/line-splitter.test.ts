import { describe, expect, test } from 'vitest';
import { type Line, LineSplitter } from './line-splitter.ts';

interface Split {
  readonly lines: readonly (readonly [number, string])[];
  readonly tooLong: string;
}

/** @param size of the pieces. */
function split(text: string, size: number, maxBytes = 1000): Split {
  const bytes = Buffer.from(text);
  let tooLong = '';
  const splitter = new LineSplitter(maxBytes, (piece) => (tooLong += piece.toString()));
  const found: Line[] = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...splitter.take(bytes.subarray(at, at + size)));
  found.push(...splitter.end());
  return { lines: found.map((line) => [line.number, line.isTooLong ? 'too long' : line.bytes.toString()] as const), tooLong };
}

describe.each([1, 2, 3, 7, 1000])('a text in pieces of %i bytes', (size) => {
  test('is split at its line feeds, without blanks, blank lines and a byte order mark', () => {
    const { lines } = split('\u{feff}{"ä":1}\r\n\n  \n\t{"b":2} \nlast', size);
    expect(lines).toEqual([
      [1, '{"ä":1}'],
      [4, '{"b":2}'],
      [5, 'last'],
    ]);
    expect(split('', size).lines).toEqual([]);
    expect(split('\n\r\n', size).lines).toEqual([]);
  });

  test('tells a line over the limit, passes its bytes on, and goes on behind it', () => {
    const long = 'x'.repeat(21);
    const { lines, tooLong } = split(`one\n${long}\n${'y'.repeat(20)}\n${long}`, size, 20);
    expect(lines).toEqual([
      [1, 'one'],
      [2, 'too long'],
      [3, 'y'.repeat(20)],
      [4, 'too long'],
    ]);
    expect(tooLong).toBe(long + long);
  });
});

test('of a line over the limit nothing is held', () => {
  let passed = 0;
  const splitter = new LineSplitter(100, (piece) => (passed += piece.length));
  for (let count = 0; count < 1000; count += 1) expect([...splitter.take(Buffer.alloc(64, 'x'))]).toEqual([]);
  expect(passed).toBe(64_000);
  expect([...splitter.take(Buffer.from('\n{}\n'))]).toMatchObject([{ number: 1, isTooLong: true }, { number: 2 }]);
});
