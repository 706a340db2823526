import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { endOfString } from './scan.ts';
import { findModelField } from './model-field.ts';

const modelIn = (json: string): string | undefined => findModelField(Buffer.from(json))?.text;

describe('the end of a string', () => {
  it('is its first quote without a backslash before it, however long it is (seed 7)', () => {
    const piece = fc.constantFrom('a', '\\"', '\\\\', '\\\\\\"', 'x'.repeat(63), 'y'.repeat(64), 'z'.repeat(65), 'é');
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece), (inside, behind) => {
        const text = inside.join('');
        const json = Buffer.from(`"${text}"${behind.join('')}"`);
        expect(endOfString(json, 1)).toBe(1 + Buffer.byteLength(text));
      }),
      { seed: 7, numRuns: 2000 },
    );
    expect(endOfString(Buffer.from(`"${'a'.repeat(200)}\\"`), 1)).toBe(-1);
    expect(endOfString(Buffer.from('"a\\'), 1)).toBe(-1);
  });
});

describe('the model of a body', () => {
  it('is what a JSON parser reads, in bodies of any size (seed 8)', () => {
    const name = fc.constantFrom('model', 'a', 'xmodel', 'model"', 'models');
    const value = fc.oneof(fc.constantFrom('gpt', 'o/x', '"model"', 'model":'), fc.jsonValue({ maxDepth: 2 }));
    const member = fc.tuple(name, value).map(([key, held]) => `${JSON.stringify(key)}:${JSON.stringify(held)}`);
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), fc.constantFrom('', ' '.repeat(70_000)), (members, room) => {
        const json = `{${members.join(',')}${room}}`;
        const parsed = parseJson(json);
        const model = isJsonObject(parsed) && typeof parsed['model'] === 'string' ? parsed['model'] : undefined;
        expect(modelIn(json)).toBe(model);
        expect(modelIn(json)).toBe(model);
      }),
      { seed: 8, numRuns: 2000 },
    );
  });

  it('is the last of very many, also where it stands in many texts', () => {
    expect(modelIn(`{${'"model":"a",'.repeat(10_000)}"model":"b"}`)).toBe('b');
    expect(modelIn(`{"model":"a","m":"${String.raw`xmodel\"`.repeat(10_000)}","model":"b"}`)).toBe('b');
    expect(modelIn(`{"model":"a","m":"${String.raw`xmodel\"`.repeat(10_000)}"}`)).toBe('a');
  });
});
