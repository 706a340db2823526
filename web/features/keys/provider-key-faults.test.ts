import { expect, it } from 'vitest';
import { providerKeyFaults } from './provider-key-faults.ts';

const stored = [{ id: '1', provider: 'openai', name: 'main', hint: null, created_at: '2026-01-31T12:00:00.000Z', readable: true }];
const typed = { provider: 'openai', key: 'sk-abc', name: '' };

it.each([
  ['nothing', {}, {}],
  ['an alias, in capitals', { provider: 'Google' }, {}],
  ['a provider that is none', { provider: 'opnai' }, { provider: 'No provider has this name. Choose one of the list.' }],
  ['a whole header', { key: 'Bearer sk-abc' }, { key: 'Leave “Bearer” out.' }],
  ['a key of ours', { key: 'sk-svc-us-abc' }, { key: 'This is a key of Gatelog. Enter the one that the provider gave you.' }],
  ['two lines', { key: 'sk-a\nb' }, { key: 'A key has neither spaces nor special characters. Copy it again from the provider.' }],
  [
    'a name that is taken',
    { name: 'main' },
    { name: 'The provider has a key of this name. Delete that one first, or write another name.' },
  ],
  ['the name of another provider\u2019s key', { provider: 'anthropic', name: 'main' }, {}],
  ['a long name', { name: 'x'.repeat(129) }, { name: 'Write at most 128 characters.' }],
])('what is wrong with a key of a provider: %s', (_name, changed, faults) => {
  const found = Object.entries(providerKeyFaults({ ...typed, ...changed }, stored));
  expect(Object.fromEntries(found.filter(([, fault]) => fault !== undefined))).toEqual(faults);
});
