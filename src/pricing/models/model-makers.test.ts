import { describe, expect, it } from 'vitest';
import { bookWithoutOperator } from '../layers/books.ts';
import { makeMakerOf } from './model-makers.ts';

describe('who makes a model that OpenAI does not list', () => {
  const makerOf = makeMakerOf(bookWithoutOperator, () => Date.UTC(2026, 10, 1));

  it.each([
    ['claude-sonnet-4-5', 'anthropic'],
    ['claude-4.5-sonnet', 'anthropic'],
    ['gemini-2.5-flash', 'gemini'],
    ['mistral-large-latest', 'mistral'],
    ['deepseek-chat', 'deepseek'],
    ['grok-4', 'xai'],
    ['sonar', 'perplexity'],
  ])('%s: %s', (model, maker) => {
    expect([makerOf(model), makerOf(model)]).toEqual([maker, maker]);
  });

  it.each(['gpt-4o', 'gpt-oss-120b', 'ft:gpt-4o:acme::id', 'ft:claude-sonnet-4-5:x', 'my-own-model', 'llama-3.3-70b-versatile', ''])(
    '%j is left to OpenAI: it lists the model, or no maker does',
    (model) => {
      expect([makerOf(model), makerOf(model)]).toEqual([undefined, undefined]);
    },
  );
});
