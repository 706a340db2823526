import { expect, it } from 'vitest';
import type { NewAlertSearch } from '../alerts/search.ts';
import { alertBefore } from './limit-alert.ts';
import { parsePolicy } from './policy.ts';

const cases: readonly (readonly [policy: string, value: string | undefined, alert: NewAlertSearch])[] = [
  ['2000;calendar=day;tz=Europe/Berlin;u=cents', undefined, { metric: 'cost', threshold: 16, calendar: 'day', zone: 'Europe/Berlin' }],
  ['3;w=3600;u=cents;s=user', undefined, { metric: 'cost', threshold: 0.024, minutes: 60, by: ['user'] }],
  ['101;w=60;s=Team', undefined, { metric: 'count', threshold: 81, minutes: 1, by: ['properties.Team'] }],
  ['1;w=60', undefined, { metric: 'count', threshold: 1, minutes: 1 }],
  ['500;w=3600;u=cents;s=Team', 'search', { metric: 'cost', threshold: 4, minutes: 60, q: 'Team:search' }],
];

it.each(cases)('an alert before the limit %s, of the value %s, fires at 80 %% of its amount', (text, value, alert) => {
  const policy = parsePolicy(text);
  expect(policy === undefined ? undefined : alertBefore(policy, value)).toEqual(alert);
});
