import { expect, it } from 'vitest';
import { declaredNameFault, lengthFault, propertyNameFault, propertyValueFault, savedNameFault } from './name-faults.ts';

const tooLong = 'Write at most 128 characters.';
const control = 'Leave out tabs and other control characters.';

it.each([
  ['nothing', '', {}],
  ['the longest', 'x'.repeat(128), {}],
  ['a character more', 'x'.repeat(129), { saved: tooLong, property: tooLong, declared: tooLong }],
  ['space around the longest', ` ${'x'.repeat(128)} `, {}],
  ['the longest of characters that take two units', '😀'.repeat(128), {}],
  ['a tab within', 'Te\tam', { saved: control, declared: control }],
  ['a tab at the end', 'Team\t', {}],
])('what is wrong with a name: %s', (_title, name, faults) => {
  const found = { saved: savedNameFault(name), property: propertyNameFault(name), declared: declaredNameFault(name) };
  expect(Object.fromEntries(Object.entries(found).filter(([, fault]) => fault !== undefined))).toEqual(faults);
});

it.each([
  ['the longest', 'x'.repeat(8192), undefined],
  ['a byte more', 'x'.repeat(8193), 'Write at most 8,192 bytes. This value has 8,193.'],
  ['fewer characters with more bytes', 'é'.repeat(4097), 'Write at most 8,192 bytes. This value has 8,194.'],
  ['space at the end', `${'x'.repeat(8192)} `, 'Write at most 8,192 bytes. This value has 8,193.'],
])('what is wrong with the value of a property: %s', (_title, value, fault) => {
  expect(propertyValueFault(value)).toBe(fault);
});

it('a long limit is written as readers write it', () => {
  expect(lengthFault('x'.repeat(1001), 1000)).toBe('Write at most 1,000 characters.');
});
