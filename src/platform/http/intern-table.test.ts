import { expect, test } from 'vitest';
import { InternTable } from './intern-table.ts';

test('what a text says is read once', () => {
  const read: string[] = [];
  const texts = new InternTable((text) => {
    read.push(text);
    return { length: text.length };
  });
  const [first, second] = ['Content-Type', 'Content-Type: a'.slice(0, 12)].map((text) => texts.of(text));
  expect(first).toBe(second);
  expect(read).toEqual(['Content-Type']);
});

test('also where it says no', () => {
  let times = 0;
  const texts = new InternTable(() => {
    times += 1;
    return false;
  });
  expect([texts.of('a b'), texts.of('a b'), times]).toEqual([false, false, 1]);
});

test('no more than a thousand are remembered, and no long one', () => {
  const read = new Map<string, number>();
  const texts = new InternTable((text) => {
    read.set(text, (read.get(text) ?? 0) + 1);
    return text.toUpperCase();
  });
  const longest = 'x'.repeat(65);
  const names = [...Array.from({ length: 1001 }, (_, index) => `x-${index}`), longest, longest, 'x-1000', 'x-0'];
  for (const name of names) expect(texts.of(name)).toBe(name.toUpperCase());
  expect([read.get('x-0'), read.get('x-1'), read.get('x-1000'), read.get(longest)]).toEqual([2, 1, 1, 2]);
});

test('a text that is not of bytes is not taken for the one that its low bytes would be', () => {
  const texts = new InternTable((text) => text);
  for (const text of ['ho\u0173t', 'host', 'ho\u0173t', 'caf\u00e9']) expect(texts.of(text)).toBe(text);
});

test('what is thrown is thrown again', () => {
  const texts = new InternTable((text) => {
    throw new RangeError(text);
  });
  const ask = (): unknown => texts.of('no status line');
  expect(ask).toThrow(RangeError);
  expect(ask).toThrow(RangeError);
});

test('of texts in turn each is what it is, whatever came at its place before, and none is read twice', () => {
  const read: string[] = [];
  const texts = new InternTable((text) => {
    read.push(text);
    return text.toUpperCase();
  });
  const rounds = [
    ['host', 'accept'],
    ['accept', 'host'],
    ['host', 'accept', 'x'],
    ['x'.repeat(65), 'ho\u0173t'],
    ['host', 'host'],
  ];
  for (const round of rounds) expect(round.map((text, place) => texts.at(place, text))).toEqual(round.map((text) => text.toUpperCase()));
  expect(read).toEqual(['host', 'accept', 'x', 'x'.repeat(65), 'ho\u0173t']);
  expect([1000, 1000, 3].map((place) => texts.at(place, 'far'))).toEqual(['FAR', 'FAR', 'FAR']);
});
