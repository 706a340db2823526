import { expect, it } from 'vitest';
import type { RequestId, Uuid } from '../../../model/ids.ts';
import { isSampled } from './chosen.ts';

const ids = Array.from({ length: 20_000 }, (_, index) => `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}` as RequestId);
const chosen = (id: string, sampleRate: number): readonly RequestId[] =>
  ids.filter((each) => isSampled({ id: id as Uuid, sampleRate }, each));

it('a sample has its part of the requests, the same each time, and another webhook has another', () => {
  const sample = chosen('a', 10);
  expect(sample.length / ids.length).toBeGreaterThan(0.09);
  expect(sample.length / ids.length).toBeLessThan(0.11);
  expect(chosen('a', 10)).toEqual(sample);
  expect(chosen('b', 10)).not.toEqual(sample);
});

it('a greater sample has the smaller one in it; 0 has none and 100 all', () => {
  const whole = new Set(chosen('a', 50));
  expect(chosen('a', 5).every((each) => whole.has(each))).toBe(true);
  expect([chosen('a', 0), chosen('a', 100)]).toEqual([[], ids]);
});
