import { expect, it } from 'vitest';
import { parsePolicy, policyText } from './policy.ts';

it.each(['100;w=60', '5000;w=86400;u=cents', '500;w=3600;u=cents;s=Team', '2;w=60;s=user'])('%s stays as it is in parts', (text) => {
  const policy = parsePolicy(text);
  expect(policy).toBeDefined();
  expect(policy === undefined ? '' : policyText(policy)).toBe(text);
});

it('what is no policy has no parts', () => {
  expect(parsePolicy('many;w=60')).toBeUndefined();
  expect(parsePolicy('5')).toBeUndefined();
});
