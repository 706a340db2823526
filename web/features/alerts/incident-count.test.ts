import { expect, it } from 'vitest';
import { countText } from './incident-count.ts';

const from = Date.parse('2026-03-01T00:00:00Z');
const [span, zone] = ['the last 7 days', 'UTC'];
const incidents = [{ ended_at: null }, { ended_at: '2026-02-01T00:00:00Z' }];

it('an old rule tells its incidents of the span', () => {
  const madeAt = '2026-01-01T00:00:00Z';
  expect(countText({ incidents, from, madeAt, span, zone })).toBe('1 incident in the last 7 days');
  expect(countText({ incidents: [], from, madeAt, span, zone })).toBe('No incident in the last 7 days');
});

it('a rule that is younger than the span tells when it was made', () => {
  const madeAt = '2026-03-03T00:00:00Z';
  expect(countText({ incidents: [], from, madeAt, span, zone })).toMatch(/^No incident in the last 7 days; the rule was made .*3/);
});
