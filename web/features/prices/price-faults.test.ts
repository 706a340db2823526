import { describe, expect, it } from 'vitest';
import { dayFault, rangeFault } from './past-costs.ts';
import { faultsOf } from './price-faults.ts';

const stored = [{ model: 'acme-9b', provider: 'OPENAI', valid_from: null, input: 1, output: 2 }];
const typed = { model: 'acme-10b', provider: '', from: '' };

describe('what is wrong with a price', () => {
  it.each([
    ['nothing', {}, {}],
    ['a name that begins many', { model: 'acme-*' }, {}],
    ['a star in the middle', { model: 'acme-*-b' }, { model: 'A “*” stands only at the end, such as my-model-*.' }],
    ['a long name', { model: 'x'.repeat(257) }, { model: 'Write at most 256 characters.' }],
    ['a provider by its name in paths', { provider: 'openai' }, {}],
    ['a provider by its name in records', { provider: 'OPENAI' }, {}],
    [
      'a provider that is none',
      { provider: 'opnai' },
      { provider: 'No provider has this name. Write one such as openai, or leave it empty.' },
    ],
    ['the same model, for any provider', { model: 'acme-9b' }, {}],
    [
      'a price that there is',
      { model: ' acme-9b', provider: 'openai' },
      { model: 'This model has a price for the same provider from the same day. Edit that one.' },
    ],
    ['the same from another day', { model: 'acme-9b', provider: 'openai', from: '2026-01-31' }, {}],
    ['no day', { from: 'January' }, { from: 'Write a day such as 2026-01-31, or leave it empty.' }],
  ])('%s', (_name, changed, faults) => {
    expect(
      Object.fromEntries(Object.entries(faultsOf({ ...typed, ...changed }, stored)).filter(([, fault]) => fault !== undefined)),
    ).toEqual(faults);
  });
});

it.each(['2026-02-31', '31.1.2026', '5', '2026-1-5'])('%s is no day', (text) => {
  expect(dayFault(text)).toBeDefined();
});

it('a span of days ends on its first day or later', () => {
  expect([rangeFault('2026-01-02', '2026-01-01'), rangeFault('2026-01-02', '2026-01-02'), rangeFault('', '2026-01-01')]).toEqual([
    'Write the first day or a later one.',
    undefined,
    undefined,
  ]);
});
