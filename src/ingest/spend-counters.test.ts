import { expect, test } from 'vitest';
import type { OrganizationId } from '../model/ids.ts';
import { parseMoney } from '../model/pricing/money.ts';
import type { Spend } from '../model/record/spend.ts';
import { SpendCounters, spendLimits } from './spend-counters.ts';

const acme = 'acme' as OrganizationId;
const spend = (given: Partial<Spend> = {}): Spend => ({
  provider: 'OPENAI',
  model: 'gpt-4o',
  cost: parseMoney('0.1') ?? null,
  inputTokens: 3,
  cacheReadTokens: 2,
  cacheWriteTokens: 1,
  outputTokens: 4,
  ...given,
});

test('the page has every number with its labels, exactly', () => {
  const counters = new SpendCounters();
  for (let call = 0; call < 3; call += 1) counters.count(acme, spend());
  counters.count(acme, spend({ cost: parseMoney('9007199254.740993000001') ?? null }));
  counters.count(acme, spend({ cost: null, model: 'own "one"\n\\' }));
  expect(counters.page()).toBe(`# HELP gatelog_recorded_requests_total Calls that were recorded; those of provider none the gateway refused.
# TYPE gatelog_recorded_requests_total counter
gatelog_recorded_requests_total{organization="acme",provider="OPENAI",model="gpt-4o"} 4
gatelog_recorded_requests_total{organization="acme",provider="OPENAI",model="own \\"one\\"\\n\\\\"} 1
# HELP gatelog_unpriced_requests_total Recorded calls without a known cost, failed ones among them, those not whose usage a later read may bring.
# TYPE gatelog_unpriced_requests_total counter
gatelog_unpriced_requests_total{organization="acme",provider="OPENAI",model="gpt-4o"} 0
gatelog_unpriced_requests_total{organization="acme",provider="OPENAI",model="own \\"one\\"\\n\\\\"} 1
# HELP gatelog_cost_usd_total Cost of recorded calls in US dollars, exact to 12 decimals.
# TYPE gatelog_cost_usd_total counter
gatelog_cost_usd_total{organization="acme",provider="OPENAI",model="gpt-4o"} 9007199255.040993000001
gatelog_cost_usd_total{organization="acme",provider="OPENAI",model="own \\"one\\"\\n\\\\"} 0.000000000000
# HELP gatelog_tokens_total Tokens of recorded calls. Each is of one kind: input is what no cache of the provider had to do with.
# TYPE gatelog_tokens_total counter
gatelog_tokens_total{organization="acme",provider="OPENAI",model="gpt-4o",kind="input"} 12
gatelog_tokens_total{organization="acme",provider="OPENAI",model="gpt-4o",kind="cache_read"} 8
gatelog_tokens_total{organization="acme",provider="OPENAI",model="gpt-4o",kind="cache_write"} 4
gatelog_tokens_total{organization="acme",provider="OPENAI",model="gpt-4o",kind="output"} 16
gatelog_tokens_total{organization="acme",provider="OPENAI",model="own \\"one\\"\\n\\\\",kind="input"} 3
gatelog_tokens_total{organization="acme",provider="OPENAI",model="own \\"one\\"\\n\\\\",kind="cache_read"} 2
gatelog_tokens_total{organization="acme",provider="OPENAI",model="own \\"one\\"\\n\\\\",kind="cache_write"} 1
gatelog_tokens_total{organization="acme",provider="OPENAI",model="own \\"one\\"\\n\\\\",kind="output"} 4
`);
});

const countsOf = (page: string): readonly string[] => page.match(/^gatelog_recorded_requests_total.*$/gm) ?? [];

test('an organisation has so many sets and no more; its other models are counted together', () => {
  const counters = new SpendCounters();
  for (let model = 0; model < 250; model += 1) counters.count(acme, spend({ model: `m${model}` }));
  counters.count(acme, spend({ model: 'm0' }));
  const counts = countsOf(counters.page());
  expect(counts).toHaveLength(spendLimits.setsOfOrganization);
  expect(counts[0]).toBe('gatelog_recorded_requests_total{organization="acme",provider="OPENAI",model="m0"} 2');
  expect(counts.at(-1)).toBe('gatelog_recorded_requests_total{organization="acme",provider="other",model="other"} 151');
});

test('all together have so many sets and no more; what comes later is counted together, and nothing is lost', () => {
  const counters = new SpendCounters();
  for (let organization = 0; organization < 1500; organization += 1) counters.count(`o${organization}` as OrganizationId, spend());
  const counts = countsOf(counters.page());
  expect(counts).toHaveLength(spendLimits.sets);
  expect(counts.at(-1)).toBe('gatelog_recorded_requests_total{organization="other",provider="other",model="other"} 501');
});

test('no number ever falls, and a page without a call is empty', () => {
  const counters = new SpendCounters();
  expect(counters.page()).toBe('');
  counters.count(acme, spend({ cost: parseMoney('-1') ?? null, inputTokens: -5, outputTokens: Number.NaN }));
  expect(counters.page()).toContain('gatelog_cost_usd_total{organization="acme",provider="OPENAI",model="gpt-4o"} 0.000000000000');
  expect(counters.page()).toContain('kind="input"} 0');
});

test('no two sets have the same labels, and names that differ only there are counted together', () => {
  const counters = new SpendCounters();
  const cut = 'x'.repeat(spendLimits.nameCharacters - 1);
  // Halves of two characters, by the cut and by themselves.
  for (const model of [`${cut}😀`, `${cut}🂡`, `${cut}\uD800`]) counters.count(acme, spend({ model }));
  counters.count(acme, spend({ provider: 'a\nb', model: 'c' }));
  counters.count(acme, spend({ provider: 'a', model: 'b\nc' }));
  counters.count(acme, spend({ provider: 'other', model: 'other' }));
  for (let model = 0; model < 250; model += 1) counters.count(acme, spend({ model: `m${model}` }));
  const counts = countsOf(counters.page());
  const series = counts.map((line) => line.slice(0, line.lastIndexOf(' ')));
  expect(new Set(series).size).toBe(series.length);
  expect(counts).toContain(`gatelog_recorded_requests_total{organization="acme",provider="OPENAI",model="${cut}\uFFFD"} 3`);
  expect(counts).toContain(String.raw`gatelog_recorded_requests_total{organization="acme",provider="a\nb",model="c"} 1`);
  expect(counts).toContain(String.raw`gatelog_recorded_requests_total{organization="acme",provider="a",model="b\nc"} 1`);
  expect(counts).toContain('gatelog_recorded_requests_total{organization="acme",provider="other",model="other"} 156');
});

const linesOf = (counters: SpendCounters): readonly string[] =>
  [...counters.page().matchAll(/^gatelog_(\w+)_total\{organization="acme",provider="OPENAI",model="gpt-4o",?(.*)\} (.*)$/gm)].map(
    ([, name, kind, value]) => [name, kind, value].filter((text) => text !== '').join(' '),
  );
const unknown = { cost: null, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

test('a call whose usage a later read brings counts once, with its cost, and as unpriced only if that has none', () => {
  const counters = new SpendCounters();
  counters.count(acme, spend(unknown), { isAwaited: true });
  expect(linesOf(counters)).toEqual(expect.arrayContaining(['recorded_requests 1', 'unpriced_requests 0', 'cost_usd 0.000000000000']));
  counters.complete(acme, { before: spend(unknown), now: spend() });
  const known = ['tokens kind="input" 3', 'tokens kind="cache_read" 2', 'tokens kind="cache_write" 1', 'tokens kind="output" 4'];
  expect(linesOf(counters)).toEqual(['recorded_requests 1', 'unpriced_requests 0', 'cost_usd 0.100000000000', ...known]);
  counters.complete(acme, { before: spend(unknown), now: spend({ ...unknown }) });
  expect(linesOf(counters)).toEqual(['recorded_requests 1', 'unpriced_requests 1', 'cost_usd 0.100000000000', ...known]);
});

test('of an estimate only the difference is added', () => {
  const counters = new SpendCounters();
  const estimate = spend({ cost: parseMoney('0.04') ?? null, inputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 3 });
  counters.count(acme, estimate, { isAwaited: true });
  counters.complete(acme, { before: estimate, now: spend() });
  expect(linesOf(counters)).toEqual([
    'recorded_requests 1',
    'unpriced_requests 0',
    'cost_usd 0.100000000000',
    'tokens kind="input" 5',
    'tokens kind="cache_read" 2',
    'tokens kind="cache_write" 1',
    'tokens kind="output" 4',
  ]);
});

test('calls of today are told apart by whether their cost is known, and start over at midnight', () => {
  let now = Date.parse('2026-11-27T23:59:00Z');
  const counters = new SpendCounters(() => now);
  counters.count(acme, spend());
  counters.count(acme, spend({ cost: null }));
  // Nothing that could have a price: it failed, or its usage is still to come.
  counters.count(acme, spend({ cost: null, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }));
  counters.count(acme, spend({ cost: null }), { isAwaited: true });
  expect(counters.callsToday()).toEqual({ known: 1, unknown: 1 });
  now += 60_000;
  expect(counters.callsToday()).toEqual({ known: 0, unknown: 0 });
});

test('calls of today go on from what was stored before the start, until midnight', () => {
  let now = Date.parse('2026-11-27T23:59:00Z');
  const counters = new SpendCounters(() => now, { known: 7, unknown: 2 });
  counters.count(acme, spend({ cost: null }));
  expect(counters.callsToday()).toEqual({ known: 7, unknown: 3 });
  now += 60_000;
  expect(counters.callsToday()).toEqual({ known: 0, unknown: 0 });
});

test('a recording that is billed by its seconds lacks a price as tokens do', () => {
  const counters = new SpendCounters();
  counters.count(acme, spend({ ...unknown, audioSeconds: 12 }));
  expect(counters.callsToday()).toEqual({ known: 0, unknown: 1 });
});
