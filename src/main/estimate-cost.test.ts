import { describe, expect, it } from 'vitest';
import type { OutgoingCall } from '../gateway/call-limits.ts';
import { parseMoney } from '../model/money.ts';
import { makeCostEstimate, readUser } from './estimate-cost.ts';

const estimate = makeCostEstimate(100);
const at = Date.parse('2025-09-01T00:00:00Z');

function callOf(body: unknown, given: Partial<OutgoingCall> = {}): OutgoingCall {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { method: 'POST', provider: 'openai', path: '/v1/chat/completions', body: bytes, modelOverride: undefined, at, ...given };
}

const usd = (amount: string) => parseMoney(amount);
const chat = { model: 'gpt-4', messages: [], max_tokens: 100 };
const bytesOf = (body: unknown): number => JSON.stringify(body).length;

describe('what a budget sets aside', () => {
  it('is the most that a call can cost: each byte a token of input, and the answer as long as it may become', () => {
    const dollars = (bytesOf(chat) * 30 + 100 * 60) / 1_000_000;
    expect(estimate(callOf(chat))).toBe(usd(dollars.toFixed(12)));
  });

  it.each([
    ['a model without a price', callOf({ ...chat, model: 'nobody-knows' })],
    ['a body that is no JSON', callOf('{')],
    ['a body that was not read', callOf('', { body: undefined })],
    ['an answer without an end', callOf({ model: 'echo' }, { provider: 'echo' })],
    ['a tier whose price nobody knows', callOf({ ...chat, service_tier: 'unheard-of' })],
    ['one of several models without a price', callOf({ ...chat, models: ['gpt-4', 'nobody-knows'] })],
  ])('is the setting for %s', (_what, call) => {
    expect(estimate(call)).toBe(usd('1'));
  });

  it('is nothing for a call that generates nothing', () => {
    expect(estimate(callOf('', { method: 'GET', body: undefined }))).toBe(0n);
  });

  it('is that of the dearest model that may answer', () => {
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
