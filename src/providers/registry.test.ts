import { describe, expect, it } from 'vitest';
import { openAiChat } from './openai/chat.ts';
import { openAiCompletions } from './openai/completions.ts';
import { providerNamed, wireFormatFor } from './registry.ts';

describe('providerNamed', () => {
  it.each([
    ['openai', 'OPENAI', 'openai'],
    ['echo', 'ECHO', 'echo'],
    ['custom', 'CUSTOM', undefined],
  ])('knows %s', (name, recordName, priceProviderId) => {
    expect(providerNamed(name)).toMatchObject({ name, recordName, priceProviderId });
  });

  it.each(['', 'OPENAI', 'nobody', 'constructor', '__proto__'])('does not know "%s"', (name) => {
    expect(providerNamed(name)).toBeUndefined();
  });
});

describe('wireFormatFor', () => {
  it.each([
    ['openai', '/v1/chat/completions', openAiChat],
    ['openai', '/v1/chat/completions/', openAiChat],
    ['openai', '/v1/chat/completions?a=b/c?d', openAiChat],
    ['openai', '/v1/completions', openAiCompletions],
    ['echo', '/echo/v1/chat/completions', openAiChat],
    ['custom', '/openai/deployments/d/chat/completions?api-version=1', openAiChat],
    ['openai', '/v1/embeddings', undefined],
    ['openai', '/v1/models?x=/chat/completions', undefined],
    ['openai', '', undefined],
    ['nobody', '/v1/chat/completions', undefined],
  ])('%s speaks at %s', (provider, path, format) => {
    expect(wireFormatFor(provider, path)).toBe(format);
  });
});
