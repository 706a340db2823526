import { describe, expect, test } from 'vitest';
import { requestsOfRule } from './rule-requests.ts';

const at = Date.parse('2026-03-05T10:00:00Z');
const hour = 3_600_000;

describe('a point of the chart of a rule', () => {
  test('leads to the requests of the window that ended then', () => {
    expect(requestsOfRule({ metric: 'cost', time_window: 600_000 }, at)).toEqual({ q: undefined, from: at - 600_000, to: at });
    expect(requestsOfRule({ metric: 'cost' }, at)).toEqual({ q: undefined, from: at - hour, to: at });
  });
  test('of a running day, week or month, to those since it began in its time zone', () => {
    const window = { calendar: 'day', timezone: 'America/New_York' } as const;
    expect(requestsOfRule({ metric: 'cost', window }, at)).toMatchObject({ from: Date.parse('2026-03-05T05:00:00Z'), to: at });
  });
  test('has the filter of the rule, what the metric counts, and the values of its group', () => {
    const filter = { request_response_rmt: { model: { equals: 'gpt-4o' } } };
    expect(requestsOfRule({ metric: 'errors', filter }, at, { 'properties.Team': 'search' })?.q).toBe(
      'model:gpt-4o Team:search failed:true',
    );
    expect(requestsOfRule({ metric: 'response.status', filter }, at)?.q).toBe('model:gpt-4o');
  });
  test('leads nowhere where no search says which requests they are', () => {
    expect(requestsOfRule({ metric: 'count' }, at, { hour_of_day: 9 })).toBeUndefined();
    expect(requestsOfRule({ metric: 'unpriced_count' }, at)).toBeUndefined();
  });
});
