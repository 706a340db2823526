import { expect, it } from 'vitest';
import type { Alert } from '../../../../src/client/client.ts';
import { parseSearch } from '../../../../src/query/language/parse.ts';
import { correctFields } from '../../../ui/form/form.tsx';
import { budgetFault, draftFrom, draftOf, emptyDraft, hasMore, missingIn, type RuleDraft, ruleOf } from './rule-draft.ts';
import { nameFor } from '../whole-text.ts';

const stored: Alert = {
  id: 'rule-1',
  name: 'Spend of a tenant',
  metric: 'latency',
  aggregation: 'percentile',
  percentile: 99,
  threshold: 2.5,
  comparison: 'gt',
  time_window: 90_000,
  window: null,
  minimum_request_count: 20,
  grouping: [{ property: 'Tenant' }, 'model'],
  filter: { request_response_rmt: { properties: { Team: { equals: 'search' } } } },
  baseline: { days: 14 },
  for_ms: 60_000,
  recover_after_ms: 300_000,
  new_group_delay_ms: 0,
  renotify_ms: null,
  no_data: 'keep',
  max_groups: 7,
  enforce: false,
  mute_until: '2026-02-01T08:00:00.000Z',
  channels: [{ id: 'channel-1', type: 'email', to: ['ops@example.com'], readable: true }],
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  offered: false,
  status: {
    state: 'ok',
    groups: 1,
    firing: 0,
    last_incident_at: null,
    delivery_failing: false,
    evaluated_at: null,
    errors: 0,
    error: null,
    cut: false,
    groups_left_out: 0,
  },
};

it('a stored rule that is edited and saved without a change stays as it is', () => {
  const draft = draftOf(stored, 'UTC');
  expect(draft).toMatchObject({ q: 'Team:search', by: ['properties.Tenant', 'model'], windowMinutes: '1.5', renotifyMinutes: '' });
  if (draft === undefined) return;
  const rule = { ...ruleOf(draft, parseSearch(draft.q).filter), window: null };
  const { mute_until, created_at, updated_at, status, offered, id } = stored;
  expect({ ...rule, mute_until, created_at, updated_at, status, offered, id }).toEqual({ ...stored, channels: [{ id: 'channel-1' }] });
});

it('the running month of a zone takes the place of a window', () => {
  const draft = { ...emptyDraft('Europe/Berlin'), name: ' Budget ', threshold: '500', window: 'month' } as const;
  const rule = ruleOf(draft, parseSearch('').filter);
  expect(rule).toMatchObject({
    name: 'Budget',
    metric: 'cost',
    aggregation: 'sum',
    window: { calendar: 'month', timezone: 'Europe/Berlin' },
  });
  expect(rule?.time_window).toBeUndefined();
});

it('an aggregation is only said of a column', () => {
  const rule = ruleOf({ ...emptyDraft('UTC'), metric: 'response.status', threshold: '5' }, parseSearch('').filter);
  expect(rule?.aggregation).toBeUndefined();
});

it.each([
  [
    { type: 'email', target: 'a@example.com, b@example.com' },
    { type: 'email', to: ['a@example.com', 'b@example.com'] },
  ],
  [
    { type: 'slack', target: 'https://hooks.example.com/x' },
    { type: 'slack', url: 'https://hooks.example.com/x' },
  ],
  [
    { type: 'webhook', target: 'https://example.com/x' },
    { type: 'webhook', destination: 'https://example.com/x' },
  ],
  [
    { type: 'webhook', target: 'ops', webhookId: 'w' },
    { type: 'webhook', webhookId: 'w' },
  ],
  [
    { type: 'pagerduty', target: 'key' },
    { type: 'pagerduty', routingKey: 'key' },
  ],
] as const)('a channel %j is sent as %j', (channel, sent) => {
  const draft = { ...emptyDraft('UTC'), threshold: '1', channels: [channel] };
  expect(ruleOf(draft, parseSearch('').filter)?.channels).toEqual([sent]);
});

it('without a threshold there is no rule yet', () => {
  expect(ruleOf(emptyDraft('UTC'), parseSearch('').filter)).toBeUndefined();
});

it.each([['forMinutes'], ['windowMinutes'], ['maxGroups']] as const)(
  'a figure that is none in %s is no rule, and is never left out',
  (field) => {
    expect(ruleOf({ ...emptyDraft('UTC'), threshold: '1', [field]: '5m' }, parseSearch('').filter)).toBeUndefined();
  },
);

function missing(changed: Partial<RuleDraft>): string | undefined {
  const draft = { ...emptyDraft('UTC'), threshold: '1', ...changed };
  return missingIn(draft, ruleOf(draft, parseSearch('').filter));
}

it('what is missing is said, a channel without an address included', () => {
  expect(missing({})).toBeUndefined();
  expect(missing({ threshold: ' ' })).toMatch(/needs a threshold/);
  expect(missing({ threshold: 'much' })).toMatch(/marked fields/);
  expect(missing({ channels: [{ type: 'email', target: ' ' }] })).toMatch(/its address, or remove it/);
  expect(missing({ channels: [{ type: 'slack', target: 'ops' }] })).toMatch(/marked fields/);
  expect(missing({ windowMinutes: '' })).toMatch(/minutes of its window/);
  expect(missing({ channels: [{ id: 'c', type: 'email', shown: '' }] })).toBeUndefined();
});

const faultOf = (changed: Partial<RuleDraft>) => budgetFault({ ...emptyDraft('UTC'), threshold: '20', ...changed });

it('what no budget can do is said before it is sent', () => {
  const budget = { isEnforced: true, by: ['properties.Team'] };
  expect(faultOf(budget)).toBeUndefined();
  expect(faultOf({ ...budget, isEnforced: false, by: ['model'] })).toBeUndefined();
  expect(missing({ ...budget, by: ['model'] })).toBe(correctFields);
  expect(faultOf({ ...budget, by: ['user'] })).toBeUndefined();
  expect(faultOf({ ...budget, aggregation: 'avg' })).toMatch(/sum of cost is at least/);
  expect(faultOf({ ...budget, comparison: 'gt' })).toMatch(/sum of cost is at least/);
  expect(faultOf({ ...budget, q: 'Team:search' })).toMatch(/clear the search and choose under “For each”, or add a limit for one value/);
  expect(faultOf({ ...budget, by: ['model'] })).toMatch(/each value of one property/);
  expect(faultOf({ ...budget, by: ['user', 'properties.Team'] })).toMatch(/each value of one property/);
  for (const field of ['minimumCount', 'baselineDays', 'forMinutes'] as const) {
    expect(faultOf({ ...budget, [field]: '2' })).toMatch(/from the first request on/);
  }
  expect(faultOf({ ...budget, minimumCount: '0', isEnforced: true })).toBeUndefined();
});

it('the address of a budget blocks calls over the running month', () => {
  expect(draftFrom({ metric: 'cost', by: ['properties.Team'], threshold: 20, budget: true }, 'UTC')).toMatchObject({
    isEnforced: true,
    window: 'month',
    threshold: '20',
  });
});

it('the draft of a budget has the window of the limit that it comes from', () => {
  const budget = { metric: 'cost', threshold: 20, budget: true } as const;
  expect(draftFrom({ ...budget, calendar: 'day', zone: 'Europe/Berlin' }, 'UTC')).toMatchObject({ window: 'day', zone: 'Europe/Berlin' });
  expect(draftFrom({ ...budget, minutes: 60 }, 'UTC')).toMatchObject({ window: 'rolling', windowMinutes: '60' });
});

it('a rule without a name is called by its sentence', () => {
  const draft = { ...emptyDraft('UTC'), threshold: '0.5', by: ['session'], q: 'Team:search' };
  const rule = ruleOf(draft, parseSearch(draft.q).filter);
  expect(rule === undefined ? '' : nameFor(rule)).toBe('Cost at least $0.50 over 1 h, for each Session, where Team:search');
  expect(rule === undefined ? '' : nameFor({ ...rule, grouping: { property: 'x'.repeat(300) } })).toHaveLength(256);
});

it('a preview takes a channel without an address for none', () => {
  const draft = { ...emptyDraft('UTC'), threshold: '1', channels: [{ type: 'email', target: ' ' }] } as const;
  expect(ruleOf(draft, parseSearch('').filter)?.channels).toEqual([]);
});

it.each([
  ['p95_latency', { metric: 'latency', aggregation: 'percentile', percentile: '95' }],
  ['avg_cost', { metric: 'cost', aggregation: 'avg' }],
  ['max_time_to_first_token', { metric: 'time_to_first_token', aggregation: 'max' }],
  ['error_rate', { metric: 'response.status' }],
  ['count', { metric: 'count' }],
  ['prompt_cache_read_tokens', { metric: 'prompt_cache_read_tokens', aggregation: 'sum' }],
] as const)('the metric %s of an address is %j in the form', (metric, draft) => {
  expect(draftFrom({ metric, q: 'Team:search', by: ['model'] }, 'UTC')).toMatchObject({ ...draft, q: 'Team:search', by: ['model'] });
});

it('only a rule that says more than its sentence opens what few rules need', () => {
  const draft = draftOf(stored, 'UTC');
  expect([draft !== undefined && hasMore(draft), hasMore(emptyDraft('UTC'))]).toEqual([true, false]);
});
