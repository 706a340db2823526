import { array, constantFrom, integer, property, stringMatching, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  digitsOf,
  isMarkedNumber,
  type Kept,
  MarkedNumbers,
  mayLoseDigits,
  withMarkedNumbers,
  withoutMarks,
  writeExactly,
} from './exact-numbers.ts';
import { assert } from '../../../test/support/seeded.ts';

const through = (json: string, kept?: Kept): string => writeExactly(JSON.parse(withMarkedNumbers(json, kept)));

describe('numbers of JSON', () => {
  it.each([
    '2512292042121000001',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '-0',
    '-0.0',
    '0.1234567890123456789',
    '1e-400',
    '123456789012345678e2',
  ])('keep their value: %s', (digits) => {
    const json = `{"order":${digits},"list":[${digits},"${digits}"]}`;
    expect(through(json)).toBe(json);
  });

  it.each(['1.0', '0.50', '1E5', '1e+5', '100000000000000000000000', '1.5e300', '10.10'])(
    'keep their digits where these are asked for: %s',
    (digits) => {
      const json = `[${digits}]`;
      expect(through(json, 'digits')).toBe(json);
    },
  );

  it.each(['1.0', '0.50', '1E5', '1e+5', '1.5e300', '9007199254740992', '100000000000000000000'])(
    'whose value survives are numbers: %s',
    (digits) => {
      expect(withMarkedNumbers(`{"a": ${digits}}`)).toBe(`{"a": ${digits}}`);
    },
  );

  it('are told from digits in texts and names', () => {
    const json = '{"2512292042121000001":"2512292042121000001, \\"9007199254740993","b":9007199254740993}';
    expect(through(json)).toBe(json);
  });

  it.each(['\u{10FFFF}12', '\u{10FFFF}0', '\uFFFF12'])('are told from texts of noncharacters and digits: %j', (text) => {
    const json = `["${text}",9007199254740993]`;
    expect(through(json)).toBe(json);
    expect(through(`["${text}"]`)).toBe(`["${text}"]`);
    expect(isMarkedNumber(text)).toBe(false);
  });

  it('are recognised while they are marked', () => {
    const [value] = JSON.parse(withMarkedNumbers('[9007199254740993]')) as unknown[];
    expect(isMarkedNumber(value) && digitsOf(value)).toBe('9007199254740993');
    const others = ['9007199254740993', '\u{10FFFF}', '\u{10FFFF}1, 2', 9007199254740992, null];
    expect(others.map(isMarkedNumber)).toEqual(others.map(() => false));
  });

  it.each([
    ['zeros in its middle', `1.${'0'.repeat(300_000)}1`, false],
    ['zeros at its end', `1.5${'0'.repeat(300_000)}`, true],
    ['zeros before its exponent', `0.${'0'.repeat(300_000)}1e300001`, true],
    ['a long exponent', `1e-${'9'.repeat(300_000)}`, false],
    ['a long exponent of zeros', `1e${'0'.repeat(300_000)}1`, true],
    ['nothing but zeros, and a long exponent', `0.${'0'.repeat(300_000)}e${'9'.repeat(300_000)}`, true],
  ])('are read once, however long they are: %s', (_, number, survives) => {
    const json = `[${number}]`;
    expect(withMarkedNumbers(json) === json).toBe(survives);
    expect(through(json, 'digits')).toBe(json);
  });

  it('of several texts are marked up to a number in all', () => {
    const numbers = new MarkedNumbers(5);
    const marked = ['[-0,-0,-0]', '[-0,-0,-0]', '[1,2,3,4,5,6]', '[-0,-0]', '[-0]'].map((json) => numbers.mark(json, 'values'));
    expect(marked.map((json) => json !== undefined)).toEqual([true, false, true, true, false]);
    expect(withoutMarks(String(marked[3]))).toBe('[-0,-0]');
  });

  it('of a text that is no JSON do no harm', () => {
    for (const text of [
      '12345678901234567890123',
      '{"a": 12345678901234567890',
      '"12345678901234567890',
      '1.2.3e4444444444444444',
      '--12345678901234567',
    ]) {
      expect(withoutMarks(withMarkedNumbers(text, 'digits'))).toBe(text);
    }
  });

  const digits = stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?$/);

  it('come out with the digits that went in, whatever they are', () => {
    assert(
      property(array(digits, { minLength: 1, maxLength: 8 }), (all) => {
        const json = `{"list":[${all.join(',')}],"last":${all[0] ?? ''}}`;
        expect(through(json, 'digits')).toBe(json);
      }),
    );
  });

  it('come out with the value that went in, whatever they are', () => {
    assert(
      property(digits, (text) => {
        const out = through(`[${text}]`).slice(1, -1);
        expect(rational(out)).toBe(rational(text));
      }),
    );
  });

  it('that are doubted are all that would change', () => {
    const short = tuple(integer(), constantFrom('', '.5', '.25', '.125')).map(([integerPart, fraction]) => `${integerPart}${fraction}`);
    assert(
      property(short, digits, (small, any) => {
        for (const text of [small, any]) {
          const isSame = JSON.stringify({ a: Number(text) }) === `{"a":${text}}`;
          expect(isSame || mayLoseDigits(`{"a":${text}}`)).toBe(true);
        }
      }),
    );
  });
});

/** A number as an exact fraction of integers, as text. */
function rational(text: string): string {
  const [, sign = '', integerPart = '0', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const power = Number(exponent) - fraction.length + 2000;
  return `${sign}${BigInt(integerPart + fraction) * 10n ** BigInt(power)}`;
}
