import { expect, it } from 'vitest';
import { limitText, parsePolicy, policyText, segmentText } from './policy.ts';

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
  ['1;w=3600', '1 request per hour', 'all requests together'],
  ['100;w=60;s=user', '100 requests per minute', 'each user'],
  ['500;w=86400', '500 requests per 24 h', 'all requests together'],
  ['5000;calendar=day;u=cents', '$50.00 per day (UTC)', 'all requests together'],
  ['5000;calendar=month;tz=Europe/Berlin;u=cents;s=Team', '$50.00 per month (Europe/Berlin)', 'each Team'],
])('%s is %s for %s', (text, limit, segment) => {
  const policy = parsePolicy(text);
  if (policy === undefined) throw new Error('No policy.');
  expect([limitText(policy), segmentText(policy)]).toEqual([limit, segment]);
});
