import { expect, it } from 'vitest';
import { parsePolicy, policyText, windowStart, windowTitle } from './policy.ts';

it.each([
  '100;w=60',
  '5000;w=86400;u=cents',
  '500;w=3600;u=cents;s=Team',
  '2;w=60;s=user',
  '5000;calendar=month;tz=Europe/Berlin;u=cents;s=Team',
])('%s stays as it is in parts', (text) => {
  const policy = parsePolicy(text);
  expect(policy).toBeDefined();
  expect(policy === undefined ? '' : policyText(policy)).toBe(text);
});

it('what is no policy has no parts', () => {
  expect(parsePolicy('many;w=60')).toBeUndefined();
  expect(parsePolicy('5')).toBeUndefined();
  expect(parsePolicy('5;calendar=day;tz=Europe/Atlantis')).toBeUndefined();
});

it.each([
  ['1;w=3600', '1 h', '2026-11-28T11:00:00.000Z'],
  ['1;calendar=day', 'a day of UTC', '2026-11-28T00:00:00.000Z'],
  ['1;calendar=week;tz=Europe/Berlin', 'a week of Europe/Berlin', '2026-11-22T23:00:00.000Z'],
  ['1;calendar=month;tz=America/New_York', 'a month of America/New_York', '2026-11-01T04:00:00.000Z'],
])('%s counts in the window that runs', (text, title, start) => {
  const policy = parsePolicy(text);
  if (policy === undefined) throw new Error('No policy.');
  expect(windowTitle(policy)).toBe(title);
  expect(new Date(windowStart(policy, Date.parse('2026-11-28T12:00:00Z'))).toISOString()).toBe(start);
});
