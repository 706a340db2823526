import { describe, expect, test } from 'vitest';
import type { FilterDialect } from './leaf.ts';
import { parseFilter } from './parse.ts';

describe('a filter as older clients write it', () => {
  test.each(['request_response_rmt', 'session', 'values'] as const)('the wrapper %s that holds nothing matches everything', (wrapper) => {
    const everyone: FilterDialect = { wrappers: [wrapper], unwrappedProperties: 'refuse' };
    const parsed = parseFilter({ left: { [wrapper]: {} }, operator: 'and', right: 'all' }, everyone);
    expect(parsed).toMatchObject({ ok: true, value: { filter: { kind: 'all' } } });
    expect(parseFilter({ [wrapper]: [] }, everyone)).toMatchObject({ ok: false });
  });

  test.each([
    ['95', 95],
    ['-0.5e1', -5],
    ['0', 0],
  ])('a score takes the text %j for the number that it is in JSON', (text, value) => {
    const dialect: FilterDialect = { wrappers: ['request_response_rmt'], unwrappedProperties: 'refuse' };
    const parsed = parseFilter({ request_response_rmt: { scores: { quality: { equals: text } } } }, dialect);
    expect(parsed).toMatchObject({ ok: true, value: { filter: { field: 'scores', name: 'quality', value } } });
  });

  test.each(['', ' 1', '01', '1e999', 'NaN', '0x1', '1_000'])('takes no other text for a number: %j', (text) => {
    const dialect: FilterDialect = { wrappers: ['request_response_rmt'], unwrappedProperties: 'refuse' };
    expect(parseFilter({ request_response_rmt: { scores: { quality: { equals: text } } } }, dialect).ok).toBe(false);
    expect(parseFilter({ request_response_rmt: { latency: { equals: '1' } } }, dialect).ok).toBe(false);
  });
});
