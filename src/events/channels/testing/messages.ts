import type { AlertMessage } from '../../../model/events/alert-message.ts';

const at = Date.UTC(2026, 10, 26, 10, 5, 0);

const plain: AlertMessage = {
  kind: 'triggered',
  ruleId: '0193a0c4-0000-7000-8000-000000000001',
  ruleName: 'High spend',
  incidentId: '0193a0c4-0000-7000-8000-000000000002',
  dedupKey: '0193a0c4-0000-7000-8000-000000000002',
  open: 1,
  groups: [{ group: {}, value: 12.5 }],
  more: 0,
  metric: 'sum of cost',
  unit: 'usd',
  comparison: 'gte',
  threshold: 10,
  window: { from: at - 3_600_000, to: at },
  at,
  startedAt: at - 60_000,
  peak: 12.5,
  link: 'https://gatelog.example.com/alerts/0193a0c4-0000-7000-8000-000000000001',
  reason: null,
};

const grouped: AlertMessage = {
  ...plain,
  groups: [
    { group: { user_id: 'alice', Team: 'core' }, value: 2301 },
    { group: { user_id: 'bob', Team: null }, value: null },
  ],
  more: 41,
  metric: 'p95 of latency',
  unit: 'milliseconds',
};

/** Texts that every format has a meaning for. */
const hostileText = '<!channel> @everyone <b onload="x">&amp; *bold* `code` [pay here](https://evil.example) \r\nBcc: x@evil.example\u202E';

const hostile: AlertMessage = {
  ...plain,
  ruleName: hostileText,
  metric: hostileText,
  groups: [{ group: { [hostileText]: hostileText }, value: 1 }],
  reason: hostileText,
};

const long: AlertMessage = {
  ...plain,
  ruleName: '🚀'.repeat(256),
  metric: 'm'.repeat(500),
  dedupKey: 'k'.repeat(400),
  groups: Array.from({ length: 500 }, (_, index) => ({
    group: { user_id: `${index}${'🚀'.repeat(3000)}`, Team: '<'.repeat(3000), Feature: '&'.repeat(3000) },
    value: index,
  })),
  more: 4500,
  reason: '&'.repeat(5000),
};

/** A message of each kind, and those that are hard to write. */
export const messages = {
  plain,
  grouped,
  hostile,
  long,
  resolved: { ...plain, kind: 'resolved', open: 0 },
  stillFiring: { ...plain, kind: 'still_firing' },
  noData: { ...plain, kind: 'no_data', groups: [{ group: {}, value: null }], peak: null },
  error: { ...plain, kind: 'error', incidentId: null, groups: [], startedAt: null, peak: null, reason: 'The store was away.' },
  test: { ...plain, kind: 'test', incidentId: null, groups: [], startedAt: null, peak: null, reason: 'This is a test.' },
} as const satisfies Readonly<Record<string, AlertMessage>>;
