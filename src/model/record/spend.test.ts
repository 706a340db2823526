import { expect, it } from 'vitest';
import { unreportedUsage } from './usage.ts';
import { spendOf } from './spend.ts';

const call = { provider: 'OPENAI', model: 'nosuch/gpt-4o', cost: null, usage: unreportedUsage };

it('a call is of the provider of its record, unless the gateway refused it', () => {
  expect(spendOf(call).provider).toBe('OPENAI');
  expect(spendOf({ ...call, failure: { kind: 'status', type: 'unknown_model', message: '' } }).provider).toBe('OPENAI');
  expect(spendOf({ ...call, failure: { kind: 'refused', type: 'unknown_model', message: '' } }).provider).toBe('none');
});
