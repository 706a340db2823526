import { describe, expect, it } from 'vitest';
import type { EstimatedRequest } from '../../model/record/body-summary.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import { readOrganizationPrices } from '../organization-prices.ts';
import { listedPrices } from '../testing/prices.ts';
import { makeCostEstimate, readUser } from './estimate-cost.ts';

const organizationId = '01890000-0000-7000-8000-000000000001' as OrganizationId;
const makeEstimate = (reserveCents: number, prices = listedPrices) => {
  const estimate = makeCostEstimate(reserveCents, () => prices);
  return (call: EstimatedRequest) => estimate(organizationId, call);
};
const estimate = makeEstimate(100);
const at = Date.parse('2025-09-01T00:00:00Z');

function callOf(body: unknown, given: Partial<EstimatedRequest> = {}): EstimatedRequest {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return {
    method: 'POST',
    provider: 'openai',
    path: '/v1/chat/completions',
    body: bytes,
    found: undefined,
    modelOverride: undefined,
    at,
    ...given,
  };
}

const opusOf = (body: object) =>
  estimate(callOf(body, { provider: 'anthropic', path: '/v1/messages', at: Date.parse('2026-09-01T00:00:00Z') }));

const usd = (amount: string) => parseMoney(amount);
const chat = { model: 'gpt-4', messages: [], max_tokens: 100 };
const bytesOf = (body: unknown): number => JSON.stringify(body).length;

describe('what a budget sets aside', () => {
  it('is the most that a call can cost: each byte a token of input, and the answer as long as it may become', () => {
    const dollars = (bytesOf(chat) * 30 + 100 * 60) / 1_000_000;
    expect(estimate(callOf(chat))).toBe(usd(dollars.toFixed(12)));
  });

  it('is not known for a body that nests deeper, or has more values, than is read: the call is refused', () => {
    for (const odd of ['['.repeat(600) + ']'.repeat(600), `[${'{},'.repeat(1_000_000)}{}]`]) {
      const call = callOf(`{"model":"gpt-4","messages":${odd},"max_tokens":100,"user":"ann"}`);
      expect(() => estimate(call)).toThrow('The body has too many values or is nested');
      expect(() => readUser(call)).toThrow('The body has too many values or is nested');
    }
  });

  it.each([
    ['with a byte order mark', Buffer.from(`\ufeff${JSON.stringify({ ...chat, user: 'ann' })}`)],
    ['in UTF-16', Buffer.from(JSON.stringify({ ...chat, user: 'ann' }), 'utf16le')],
    ['in UTF-16 with its mark', Buffer.from(`\ufeff${JSON.stringify({ ...chat, user: 'ann' })}`, 'utf16le')],
  ])('is known of JSON %s, which servers read too', (_how, body) => {
    const call = { ...callOf(chat), body };
    expect(estimate(call)).toBe(usd(((body.length * 30 + 100 * 60) / 1_000_000).toFixed(12)));
    expect(readUser(call)).toBe('ann');
  });

  it('is by the price that the organisation has stored, and its caller cannot name a cheaper model', () => {
    const organization = readOrganizationPrices([
      { model: 'house-model', provider: null, validFrom: null, rates: { input: 0, output: 50 } },
      { model: 'cheap', provider: null, validFrom: null, rates: { input: 0, output: 0 } },
    ]);
    const own = makeEstimate(100, { ...listedPrices, organization });
    expect(own(callOf({ ...chat, model: 'house-model' }))).toBe(usd('0.005'));
    expect(own(callOf(chat, { modelOverride: 'cheap' }))).toBe(estimate(callOf(chat)));
  });

  it.each([
    ['a model without a price', callOf({ ...chat, model: 'nobody-knows' })],
    ['a body that is no JSON', callOf('{')],
    ['a body that was not read', callOf('', { body: undefined })],
    ['an answer without an end', callOf({ model: 'gpt-image-1', prompt: 'a' }, { path: '/v1/images/generations' })],
    ['a tier whose price nobody knows', callOf({ ...chat, service_tier: 'unheard-of' })],
    ['one of several models without a price', callOf({ ...chat, models: ['gpt-4', 'nobody-knows'] })],
  ])('is the setting for %s', (_what, call) => {
    expect(estimate(call)).toBe(usd('1'));
  });

  it('is nothing for a call that generates nothing', () => {
    expect(estimate(callOf('', { method: 'GET', body: undefined }))).toBe(0n);
    const counted = callOf(
      { model: 'claude-sonnet-4-5', messages: [] },
      { provider: 'anthropic', path: '/v1/messages/count_tokens?beta=true' },
    );
    expect(estimate(counted)).toBe(0n);
    const of = (provider: string, path: string) => estimate(callOf({}, { provider, path }));
    expect([of('openai', '/v1/moderations'), of('openai', '/v1/uploads/up_1/complete'), of('openai', '/v1/files')]).toEqual([0n, 0n, 0n]);
    const unknown = [of('mistral', '/v1/moderations'), of('anthropic', '/v1/complete'), of('custom', '/v1/files')];
    expect(unknown).toEqual(unknown.map(() => usd('1')));
  });

  it('of echo is what it says again, and of an order for the usual service what that costs', () => {
    expect(estimate(callOf({ model: 'echo', messages: [] }, { provider: 'echo' }))).toBeLessThan(usd('0.001') ?? 0n);
    const claude = { model: 'claude-sonnet-4-5', max_tokens: 16, messages: [] };
    const claudeOf = (body: object) => estimate(callOf(body, { provider: 'anthropic', path: '/v1/messages' }));
    expect(claudeOf({ ...claude, service_tier: 'standard_only' })).toBeLessThan(usd('0.01') ?? 0n);
  });

  it('is no less than the usual price where a cheaper tier is asked for: who has no room there bills that', () => {
    const mini = { ...chat, model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] };
    const usual = { ...mini, service_tier: 'auto' };
    const flex = { ...mini, service_tier: 'flex' };
    expect(bytesOf(flex)).toBe(bytesOf(usual));
    expect(estimate(callOf(flex))).toBe(estimate(callOf(usual)));
    const sooner = { ...mini, service_tier: 'priority' };
    expect(estimate(callOf(sooner))).toBeGreaterThan(estimate(callOf(usual)));
  });

  it('is the price of the fast mode for who asks for that', () => {
    const opus = { model: 'claude-opus-4-6', max_tokens: 16, messages: [] };
    const usual = { ...opus, speed: 'norm' };
    expect(opusOf({ ...opus, speed: 'fast' })).toBe(6n * opusOf({ ...opus, xpeed: 'fast' }));
    expect(opusOf(usual)).toBe(usd('1'));
  });

  it('is the price of the place in which alone the model may run', () => {
    const plain = { model: 'claude-opus-5-5', max_tokens: 16, messages: [], inference_xxx: 'us' };
    expect(10n * opusOf({ ...plain, inference_xxx: undefined, inference_geo: 'us' })).toBe(11n * opusOf(plain));
  });

  it('counts no limit that the provider does not read: the answer may be as long as the model`s', () => {
    expect(estimate(callOf({ model: 'gpt-4', messages: [], max_output_tokens: 1 }))).toBeGreaterThan(estimate(callOf(chat)));
  });

  it('is that of the most expensive model that may answer', () => {
    const either = { ...chat, model: 'gpt-4o-mini', models: ['gpt-4'] };
    expect(estimate(callOf(either))).toBe(usd(((bytesOf(either) * 30 + 100 * 60) / 1_000_000).toFixed(12)));
  });

  it('does not take the caller`s word for the model, unless the model has no price', () => {
    expect(estimate(callOf(chat, { modelOverride: 'gpt-4o-mini' }))).toBe(estimate(callOf(chat)));
    const deployment = { ...chat, model: 'our-deployment' };
    expect(estimate(callOf(deployment, { provider: 'azure', modelOverride: 'gpt-4' }))).toBeLessThan(usd('0.02') ?? 0n);
  });
});

it('the user is read from a body by its wire format', () => {
  expect(readUser(callOf({ user: 'ann' }))).toBe('ann');
  expect(readUser(callOf({ metadata: { user_id: 'bob' } }, { provider: 'anthropic', path: '/v1/messages' }))).toBe('bob');
  expect([readUser(callOf('{')), readUser(callOf({}, { path: '/v1/unknown' }))]).toEqual(['', '']);
});
