import { expect, test } from 'vitest';
import { RowMemory } from './row-memory.ts';
import { RowWriter } from './row-writer.ts';

const mebibyte = 1024 * 1024;

test('what is given back is taken again, once, by who needs no more than it has', () => {
  const memory = new RowMemory();
  const [small, large] = [memory.take(10), memory.take(1000)];
  memory.release([small, large]);
  expect(memory.take(500)).toBe(large);
  expect([small, large]).not.toContain(memory.take(11));
  expect(memory.take(10)).toBe(small);
  expect(memory.take(10)).not.toBe(small);
});

test('128 MiB are kept, not more', () => {
  const memory = new RowMemory();
  const pieces = Array.from({ length: 33 }, () => memory.take(4 * mebibyte));
  memory.release(pieces);
  const again = Array.from({ length: 33 }, () => memory.take(4 * mebibyte));
  expect(again.map((piece) => pieces.indexOf(piece))).toEqual([...Array.from({ length: 32 }, (_, index) => index), -1]);
});

test('a piece for a very large row is not shared, and not kept', () => {
  const memory = new RowMemory();
  const [usual, large] = [memory.take(8 * mebibyte), memory.take(8 * mebibyte + 1)];
  expect([usual instanceof SharedArrayBuffer, large instanceof SharedArrayBuffer]).toEqual([true, false]);
  memory.release([large]);
  expect(memory.take(9 * mebibyte)).not.toBe(large);
  expect(memory.take(1)).not.toBe(large);
});

test('a row of one very large text has little more memory than the text', () => {
  const writer = new RowWriter();
  const row = writer.row(() => {
    writer.text('before');
    writer.text('x'.repeat(60 * mebibyte));
    for (let index = 0; index < 1000; index += 1) writer.text('behind');
  });
  expect(row.buffer.byteLength).toBeLessThan(65 * mebibyte);
});

test('that there is no memory is said as the system says it', () => {
  expect(() => new RowMemory().take(2 ** 60)).toThrow(expect.objectContaining({ code: 'ENOMEM' }));
});

test('rows are what is written, whatever stood in their memory before', () => {
  const memory = new RowMemory();
  const used = memory.take(4 * mebibyte);
  new Uint8Array(used).fill(0xff);
  memory.release([used]);
  const writer = new RowWriter(memory);
  const row = writer.row(() => writer.text('ab'));
  expect([row.buffer, [...row]]).toEqual([used, [2, 97, 98]]);
});
