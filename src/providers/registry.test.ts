import { describe, expect, it } from 'vitest';
import { addressedProviders, providerAliases, providerInRecords } from '../model/providers/providers.ts';
import { bedrockInvoke } from './amazon/invoke.ts';
import { bedrockConverse } from './amazon/converse.ts';
import { anthropicMessages } from './anthropic/messages.ts';
import { cohereChat } from './cohere/chat.ts';
import { geminiGenerateContent } from './google/generate-content.ts';
import { ollamaChat } from './ollama/chat.ts';
import { openAiChat } from './openai/chat.ts';
import { openAiCompletions } from './openai/completions.ts';
import { openAiEmbeddings } from './openai/embeddings.ts';
import { openAiImages } from './openai/images.ts';
import { openAiResponses } from './openai/responses.ts';
import { openAiSpeech } from './openai/speech.ts';
import { openAiTranscriptions } from './openai/transcriptions.ts';
import { providerNamed, recordNameFor, wireFormatFor } from './registry.ts';

describe('providerNamed', () => {
  it.each([
    ['openai', 'OPENAI', 'openai'],
    ['anthropic', 'ANTHROPIC', 'anthropic'],
    ['gemini', 'GOOGLE', 'google'],
    ['vertex', 'GOOGLE', 'google'],
    ['azure', 'AZURE', 'azure'],
    ['bedrock', 'AWS', 'aws'],
    ['groq', 'GROQ', 'groq'],
    ['together', 'TOGETHER', 'together'],
    ['openrouter', 'OPENROUTER', 'openrouter'],
    ['mistral', 'MISTRAL', 'mistral'],
    ['deepseek', 'DEEPSEEK', 'deepseek'],
    ['fireworks', 'FIREWORKS', 'fireworks'],
    ['perplexity', 'PERPLEXITY', 'perplexity'],
    ['xai', 'X', 'x-ai'],
    ['cerebras', 'CEREBRAS', 'cerebras'],
    ['nvidia', 'NVIDIA', undefined],
    ['deepinfra', 'DEEPINFRA', undefined],
    ['hyperbolic', 'HYPERBOLIC', undefined],
    ['nebius', 'NEBIUS', undefined],
    ['novita', 'NOVITA', 'novita'],
    ['huggingface', 'HUGGINGFACE', undefined],
    ['cohere', 'COHERE', 'cohere'],
    ['ollama', 'OLLAMA', undefined],
    ['vllm', 'VLLM', undefined],
    ['lmstudio', 'LMSTUDIO', undefined],
    ['echo', 'ECHO', 'echo'],
    ['custom', 'CUSTOM', undefined],
  ])('knows %s', (name, recordName, priceProviderId) => {
    expect(providerNamed(name)).toMatchObject({ name, recordName, priceProviderId });
  });

  it.each(addressedProviders)('knows %s, to which calls are sent', (name) => {
    expect(providerNamed(name)).toMatchObject({ name });
  });

  it.each([
    ['google', 'gemini'],
    ['google-ai-studio', 'gemini'],
    ['x', 'xai'],
    ['aws', 'bedrock'],
  ])('knows by the name %s too %s', (alias, name) => {
    expect(providerNamed(alias)).toBe(providerNamed(name));
  });

  it.each(['', 'OPENAI', 'nobody', 'constructor', '__proto__'])('does not know "%s"', (name) => {
    expect(providerNamed(name)).toBeUndefined();
  });
});

it('records have each provider under the name that the vocabulary says', () => {
  for (const name of [...addressedProviders, ...providerAliases.keys()]) expect(providerInRecords(name)).toBe(recordNameFor(name));
});

describe('wireFormatFor', () => {
  it.each([
    ['openai', '/v1/chat/completions', openAiChat],
    ['openai', '/v1/chat/completions/', openAiChat],
    ['openai', '/v1/chat/completions?a=b/c?d', openAiChat],
    ['openai', '/v1/completions', openAiCompletions],
    ['openai', '/v1/responses', openAiResponses],
    ['openai', '/v1/embeddings', openAiEmbeddings],
    ['openai', '/v1/images/generations', openAiImages],
    ['openai', '/v1/images/edits', openAiImages],
    ['openai', '/v1/audio/transcriptions', openAiTranscriptions],
    ['openai', '/v1/audio/translations', openAiTranscriptions],
    ['openai', '/v1/audio/speech', openAiSpeech],
    ['anthropic', '/v1/messages', anthropicMessages],
    ['anthropic', '/v1/messages?beta=true', anthropicMessages],
    ['anthropic', '/v1/chat/completions', openAiChat],
    ['gemini', '/v1beta/models/gemini-2.5-pro:generateContent', geminiGenerateContent],
    ['gemini', '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse', geminiGenerateContent],
    ['google', '/v1beta/openai/chat/completions', openAiChat],
    ['vertex', '/v1/projects/p/locations/eu/publishers/google/models/gemini-2.5-pro:generateContent', geminiGenerateContent],
    ['vertex', '/v1/projects/p/locations/eu/publishers/anthropic/models/claude-opus-4-1:streamRawPredict', anthropicMessages],
    ['vertex', '/v1/projects/p/locations/eu/endpoints/openapi/chat/completions', openAiChat],
    ['azure', '/resource/openai/deployments/d/chat/completions?api-version=2024-10-21', openAiChat],
    ['azure', '/openai/v1/responses', openAiResponses],
    ['bedrock', '/openai/v1/chat/completions', openAiChat],
    ['bedrock', '/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/invoke', anthropicMessages],
    [
      'bedrock',
      '/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.anthropic.claude-sonnet-4-20250514-v1%3A0/invoke',
      anthropicMessages,
    ],
    ['bedrock', '/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/invoke-with-response-stream', anthropicMessages],
    ['bedrock', '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fabc123/invoke', bedrockInvoke],
    ['bedrock', '/model/amazon.nova-lite-v1:0/invoke', bedrockInvoke],
    ['openai', '/v1/responses/compact', openAiResponses],
    ['bedrock', '/model/amazon.nova-lite-v1:0/invoke-with-response-stream', bedrockInvoke],
    ['bedrock', '/model/amazon.nova-lite-v1:0/converse', bedrockConverse],
    ['bedrock', '/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/converse-stream', bedrockConverse],
    ['bedrock', '/model/amazon.nova-lite-v1:0/count-tokens', undefined],
    ['groq', '/openai/v1/audio/transcriptions', openAiTranscriptions],
    ['perplexity', '/chat/completions', openAiChat],
    ['mistral', '/v1/fim/completions', openAiChat],
    ['mistral', '/v1/agents/completions', openAiChat],
    ['mistral', '/v1/agents', undefined],
    ['cohere', '/compatibility/v1/chat/completions', openAiChat],
    ['cohere', '/v2/chat', cohereChat],
    ['cohere', '/v1/chat', undefined],
    ['cohere', '/v2/rerank', undefined],
    ['deepinfra', '/v1/openai/embeddings', openAiEmbeddings],
    ['ollama', '/v1/chat/completions', openAiChat],
    ['echo', '/echo/v1/chat/completions', openAiChat],
    ['custom', '/openai/deployments/d/chat/completions?api-version=1', openAiChat],
    ['custom', '/v1beta/models/m:generateContent', geminiGenerateContent],
    ['custom', '/v1/projects/p/locations/eu/publishers/anthropic/models/c:rawPredict', anthropicMessages],
    ['custom', '/base/model/amazon.nova-lite-v1:0/converse', bedrockConverse],
    ['custom', '/model/m/converse-stream', bedrockConverse],
    ['custom', '/model/us.anthropic.claude-sonnet-4/invoke', anthropicMessages],
    ['custom', '/api/chat', ollamaChat],
    ['custom', '/api/generate', ollamaChat],
    ['custom', '/api/embed', ollamaChat],
    ['custom', '/v2/chat', cohereChat],
    ['custom', '/talk/converse', undefined],
    ['custom', '/v1/invoke', undefined],
    ['vertex', '/v1/projects/p/locations/eu/publishers/mistralai/models/codestral:rawPredict', openAiChat],
    ['vertex', '/v1/projects/p/locations/eu/publishers/meta/models/llama:rawPredict', undefined],
    ['perplexity', '/v1/agent', openAiResponses],
    ['custom', '/v1/agent', openAiResponses],
    ['anthropic', '/v1/messages/count_tokens', undefined],
    ['openai', '/v1/threads/t/messages', undefined],
    ['openai', '/v1/responses/resp_1', undefined],
    ['openai', '/v1/models?x=/chat/completions', undefined],
    ['ollama', '/api/chat', ollamaChat],
    ['ollama', '/api/generate', ollamaChat],
    ['ollama', '/api/embed', ollamaChat],
    ['ollama', '/api/tags', undefined],
    ['openai', '', undefined],
    ['nobody', '/v1/chat/completions', undefined],
  ])('%s speaks at %s', (provider, path, format) => {
    expect(wireFormatFor(provider, path)?.name).toBe(format?.name);
  });
});
