import { expect, it } from 'vitest';
import { mailFault } from './mail-fault.ts';

const noAddress = 'Write one address such as ada@example.com, or leave it empty.';

it.each([
  ['', undefined],
  ['  ', undefined],
  [' ada@example.com ', undefined],
  ['ada', noAddress],
  ['ada@', noAddress],
  ['ada@example.com, bob@example.com', noAddress],
  ['Ada <ada@example.com>', noAddress],
  [`${'x'.repeat(243)}@example.com`, 'Write at most 254 characters.'],
])('what is wrong with the e-mail address "%s"', (text, fault) => {
  expect(mailFault(text)).toBe(fault);
});
