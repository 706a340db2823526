import { expect, test } from 'vitest';
import { correctedFilter, soughtTexts, wordsOf } from './filter.ts';

test.each([
  ['a field without its group', { model: { equals: 'gpt-4o' } }, { request_response_rmt: { model: { equals: 'gpt-4o' } } }],
  [
    'properties without their group',
    { properties: { Team: 'search' } },
    { request_response_rmt: { properties: { Team: { equals: 'search' } } } },
  ],
  [
    'near names of field and operator',
    { request_response_rmt: { modle: { '==': 'x' } } },
    { request_response_rmt: { model: { equals: 'x' } } },
  ],
  ['a number as text', { request_response_rmt: { status: { '>=': '400' } } }, { request_response_rmt: { status: { gte: 400 } } }],
  [
    'two conditions in one leaf',
    { request_response_rmt: { status: { gte: 400, lt: 500 } } },
    {
      left: { request_response_rmt: { status: { gte: 400 } } },
      operator: 'and',
      right: { request_response_rmt: { status: { lt: 500 } } },
    },
  ],
  [
    'a list of alternatives',
    { or: [{ user_id: 'a' }, { user_id: 'b' }] },
    {
      left: { request_response_rmt: { user_id: { equals: 'a' } } },
      operator: 'or',
      right: { request_response_rmt: { user_id: { equals: 'b' } } },
    },
  ],
])('corrects %s', (_what, written, meant) => {
  expect(correctedFilter(written)).toEqual(meant);
});

test.each([
  ['what is right', { request_response_rmt: { status: { gte: 400 } } }],
  ['what nothing is known of', { weather: { equals: 'fine' } }],
  ['what nests too deeply', Array.from({ length: 60 }).reduce((inner: unknown) => [inner], {})],
  ['no object', 7],
])('has no correction for %s', (_what, written) => {
  expect(correctedFilter(written)).toBeUndefined();
});

test('a filter is told in words, and the texts that it looks for are known', () => {
  const filter = {
    left: { request: { prompt: { contains: 'refund' } } },
    operator: 'and',
    right: { request_response_rmt: { status: { gte: 400 } } },
  };
  expect(wordsOf(filter)).toBe('text of the prompt contains "refund" and status is at least 400');
  expect(soughtTexts(filter)).toEqual(['refund']);
});

test('a filter of many values is not corrected: each name of it would be compared with all known ones', () => {
  const fields = Object.fromEntries(Array.from({ length: 501 }, (_, number) => [`modle${number}`, { equals: 'x' }]));
  expect(correctedFilter({ request_response_rmt: fields })).toBeUndefined();
});
