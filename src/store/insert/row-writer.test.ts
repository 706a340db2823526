import { array, assert, constant, integer, nat, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { joinedRows, RowWriter } from './row-writer.ts';

const seed = 4711;

/** What `write` puts in, as hexadecimal digits. */
function written(write: (writer: RowWriter) => void): string {
  const writer = new RowWriter();
  return Buffer.from(writer.row(() => write(writer))).toString('hex');
}

describe('a value', () => {
  it.each([
    [0, '0000000000000000'],
    [1, '0100000000000000'],
    [2 ** 32, '0000000001000000'],
    [2 ** 53 - 1, 'ffffffffffff1f00'],
    [2 ** 64 - 2 ** 11, '00f8ffffffffffff'],
    [2n ** 64n - 1n, 'ffffffffffffffff'],
  ])('the whole number %s', (value, hex) => {
    expect(written((writer) => writer.uint64(value))).toBe(hex);
  });

  it.each([-1, 2 ** 64, 0.5, Number.NaN, -1n, 2n ** 64n])('%s is no whole number of 64 bits', (value) => {
    expect(() => written((writer) => writer.uint64(value))).toThrow(RangeError);
  });

  it.each([
    [0n, '00'.repeat(16)],
    [-1n, 'ff'.repeat(16)],
    [1n, `01${'00'.repeat(15)}`],
    [2n ** 64n, `${'00'.repeat(8)}01${'00'.repeat(7)}`],
    [-(2n ** 127n), `${'00'.repeat(15)}80`],
  ])('the signed number %s', (value, hex) => {
    expect(written((writer) => writer.int128(value))).toBe(hex);
  });

  it.each(['0123456789abcdef0011223344556677', '01234567-89AB-cdef-0011-223344556677'])(
    'a number of 128 bits by its digits, %s',
    (digits) => {
      expect(written((writer) => writer.uint128(digits))).toBe('7766554433221100efcdab8967452301');
    },
  );

  it.each([
    '',
    '0',
    '0123456789abcdef001122334455667',
    '0123456789abcdef00112233445566778',
    '01234567-89ab-cdef-0011-22334455667g',
    '0123é567-89ab-cdef-0011-223344556677',
    '-0123456789abcdef0011223344556677',
  ])('%s is no number of 128 bits', (digits) => {
    expect(() => written((writer) => writer.uint128(digits))).toThrow(RangeError);
  });

  it('any text: its bytes behind their number, as Node writes them', () => {
    const longer = tuple(string({ unit: 'binary', maxLength: 60 }), oneof(nat(400), nat(4000))).map(([text, times]) => text.repeat(times));
    const halves = string({ unit: integer({ min: 0xd7f0, max: 0xe010 }).map((unit) => String.fromCharCode(unit)) });
    assert(
      property(oneof(string({ unit: 'binary' }), longer, halves), (text) => {
        const bytes = Buffer.from(text);
        expect(written((writer) => writer.text(text))).toBe(written((writer) => writer.count(bytes.length)) + bytes.toString('hex'));
      }),
      { seed },
    );
  });

  it.each([
    [0, '00'],
    [127, '7f'],
    [128, '8001'],
    [300, 'ac02'],
    [2 ** 32, '8080808010'],
  ])('the count %i', (value, hex) => {
    expect(written((writer) => writer.count(value))).toBe(hex);
  });
});

describe('rows', () => {
  it('stay whole whatever their sizes, and those in one piece of memory are joined without a copy', () => {
    const sizes = array(oneof(nat(100), nat(70_000), constant(5_000_000)), { maxLength: 30 });
    assert(
      property(sizes, (lengths) => {
        const writer = new RowWriter();
        const rows = lengths.map((length, index) => {
          const text = String.fromCharCode(97 + (index % 26)).repeat(length);
          return writer.row(() => {
            writer.byte(index);
            writer.text(text);
          });
        });
        const joined = joinedRows(rows);
        expect(Buffer.concat(joined).equals(Buffer.concat(rows))).toBe(true);
        const memory = new Set(rows.map(({ buffer }) => buffer));
        expect(new Set(joined.map(({ buffer }) => buffer))).toEqual(memory);
        expect(joined.length).toBe(memory.size);
        for (const [index, row] of rows.entries()) expect([row[0], row.length]).toEqual([index, 1 + lengthBytes(lengths[index] ?? 0)]);
      }),
      { seed, numRuns: 30 },
    );
  });

  it('of many values are not copied for each of them', () => {
    const allocated = vi.spyOn(Buffer, 'from');
    const writer = new RowWriter();
    const row = writer.row(() => {
      for (let index = 0; index < 20_000; index += 1) writer.text('x'.repeat(1000));
    });
    expect(allocated.mock.calls.length).toBeLessThan(20);
    expect(row.buffer.byteLength).toBeLessThan(3 * 20_000 * 1000);
  });

  it('that fail leave nothing', () => {
    const writer = new RowWriter();
    const before = writer.row(() => writer.text('before'));
    const failing = (): unknown =>
      writer.row(() => {
        writer.text('x'.repeat(1_000_000));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    const after = writer.row(() => writer.text('after'));
    expect([before, after].map((row) => Buffer.from(row).toString('latin1'))).toEqual(['\u0006before', '\u0005after']);
  });

  it('of none are none', () => {
    expect(joinedRows([])).toEqual([]);
  });
});

function lengthBytes(length: number): number {
  return length + (length < 2 ** 7 ? 1 : length < 2 ** 14 ? 2 : length < 2 ** 21 ? 3 : 4);
}
