import { expect, test } from 'vitest';
import { outputLimitOf } from './output-limits.ts';

test.each<readonly [string, number | undefined]>([
  ['gpt-4o', 16_384],
  ['gpt-4o-mini-2024-07-18', 16_384],
  ['openai/gpt-4.1-mini', 32_768],
  ['ft:gpt-4o-mini:my-org::abc123', 16_384],
  ['chatgpt-4o-latest', 16_384],
  ['o3-mini-2025-01-31', 100_000],
  ['gpt-5', 128_000],
  ['claude-3-5-sonnet-20241022', 8_192],
  ['claude-sonnet-4-5@20250929', 64_000],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 64_000],
  ['anthropic.claude-3-haiku-20240307-v1:0', 4_096],
  ['models/gemini-2.5-pro', 65_536],
  ['gemini-2.0-flash-001', 8_192],
  // Names that begin alike and mean another limit.
  ['gpt-5-pro', undefined],
  ['gpt-4o-64k-output-alpha', undefined],
  ['gpt-4.1x', undefined],
  ['gpt-3.5-turbo-16k', undefined],
  ['meta-llama/llama-3', undefined],
  ['', undefined],
  [`${'a'.repeat(1_000_000)}/gpt-4o`, undefined],
])('%.60s generates at most %s tokens', (model, tokens) => {
  expect(outputLimitOf(model)).toBe(tokens);
});
