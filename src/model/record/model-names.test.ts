import { expect, it } from 'vitest';
import { isSameModel } from './model-names.ts';

it.each([
  ['gpt-4o', 'gpt-4o-2024-08-06'],
  ['GPT-5', 'openai/gpt-5'],
  ['gemini-2.5-flash', 'models/gemini-2.5-flash'],
  ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5-20250929'],
  ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
  ['claude-sonnet-4-5', 'claude-sonnet-4-5@20250929'],
  ['anthropic.claude-3-haiku', 'anthropic.claude-3-haiku-20240307-v1:0'],
  ['gemini-2.0-flash', 'gemini-2.0-flash-001'],
  ['gemini-2.5-pro-preview', 'gemini-2.5-pro-preview-06-05'],
  ['command-r', 'command-r-08-2024'],
  ['gpt-3.5-turbo', 'gpt-3.5-turbo-0125'],
  ['mistral-large-latest', 'mistral-large-2411'],
  ['deepseek-chat', 'deepseek-chat-v3-0324'],
  ['llama3.2', 'llama3.2:latest'],
])('%s and %s are one model', (one, other) => {
  expect([isSameModel(one, other), isSameModel(other, one)]).toEqual([true, true]);
});

it.each([
  ['gpt-5', 'gpt-5-mini'],
  ['gpt-4', 'gpt-4o'],
  ['gpt-5', 'gpt-5.1'],
  ['claude-opus-4', 'claude-opus-4-1'],
  ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06'],
  ['gpt-4', 'gpt-4-32k'],
  ['qwen3', 'qwen3:8b'],
  ['o3', 'o3-2025-04-16-mini'],
  ['', 'gpt-4o'],
])('%s and %s are two', (one, other) => {
  expect([isSameModel(one, other), isSameModel(other, one)]).toEqual([false, false]);
});
