import { describe, expect, it } from 'vitest';
import { bookWithoutOperator } from './layers/books.ts';
import { nearestModel } from './nearest.ts';

const nearest = (providerId: string | undefined, model: string) =>
  nearestModel(bookWithoutOperator, providerId, model, Date.parse('2026-11-27'));

describe('the nearest known model', () => {
  it.each([
    ['openai', 'gpt-6.3-sol', 'gpt-6.2-sol'],
    ['anthropic', 'claude-haiku-6', 'claude-haiku-5-5'],
    ['anthropic', 'claude-sonnet-5-6', 'claude-sonnet-5-5'],
    ['google', 'gemini-4-argon-next', 'gemini-4-argon'],
    [undefined, 'gpt-6.2-sol-custom', 'gpt-6.2-sol'],
  ])('of %s`s %s is %s', (providerId, model, expected) => {
    expect(nearest(providerId, model)?.model).toBe(expected);
  });

  it('has a price, and is none where no name is like it', () => {
    expect(nearest('openai', 'gpt-6.3-sol')?.price.rates.has('input')).toBe(true);
    expect(nearest('openai', 'house-7b')).toBeUndefined();
    expect(nearest('nobody', 'gpt-6.3-sol')).toBeUndefined();
  });

  it('of a name of any length is found at once', () => {
    expect(nearest('openai', `gpt-${'9'.repeat(1_000_000)}`)).toBeDefined();
  });
});
