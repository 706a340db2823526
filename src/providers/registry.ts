import { providerAliases } from '../model/vocabulary/providers.ts';
import { bedrockConverse } from './amazon/converse.ts';
import { anthropicMessages } from './anthropic/messages.ts';
import { titanEmbeddings } from './amazon/titan-embeddings.ts';
import { cohereChat } from './cohere/chat.ts';
import { cohereEmbed } from './cohere/embed.ts';
import { geminiEmbedContent } from './google/embed-content.ts';
import { geminiGenerateContent } from './google/generate-content.ts';
import { geminiInteractions } from './google/interactions.ts';
import { ollamaChat } from './ollama/chat.ts';
import { openAiChat } from './openai/chat.ts';
import { openAiCompletions } from './openai/completions.ts';
import { openAiEmbeddings } from './openai/embeddings.ts';
import { openAiImages } from './openai/images.ts';
import { openAiResponses } from './openai/responses.ts';
import { openAiSpeech } from './openai/speech.ts';
import { openAiTranscriptions } from './openai/transcriptions.ts';
import type { WireFormat } from './provider.ts';

/** An endpoint that is understood: the end of its path, and the format spoken there. */
interface Endpoint {
  readonly pathEnd: string;
  /** Stands in the path as well, where its end alone does not tell the format. */
  readonly within?: RegExp;
  readonly format: WireFormat;
}

/** What is known about a provider. Where it lives is the gateway's business. */
export interface ProviderEntry {
  /** Name in addresses and settings. */
  readonly name: string;
  /** Name in records. */
  readonly recordName: string;
  /** Name in the price book; undefined: nothing of it is priced, as a model's name alone does not tell who bills for it. */
  readonly priceProviderId: string | undefined;
  readonly endpoints: readonly Endpoint[];
}

/**
 * Paths that mean the same wherever they are served: OpenAI's, which everyone has taken over below a base of their own, and Anthropic's, which
 * many serve beside them. A provider that serves only some of them is never called at the others.
 */
const commonEndpoints: readonly Endpoint[] = [
  { pathEnd: '/chat/completions', format: openAiChat },
  // Mistral's filling in of code answers as chat does.
  { pathEnd: '/fim/completions', format: openAiChat },
  // So do its agents.
  { pathEnd: '/agents/completions', format: openAiChat },
  { pathEnd: '/completions', format: openAiCompletions },
  { pathEnd: '/responses', format: openAiResponses },
  { pathEnd: '/responses/compact', format: openAiResponses },
  { pathEnd: '/v1/messages', format: anthropicMessages },
  { pathEnd: '/embeddings', format: openAiEmbeddings },
  { pathEnd: '/images/generations', format: openAiImages },
  { pathEnd: '/images/edits', format: openAiImages },
  { pathEnd: '/images/variations', format: openAiImages },
  { pathEnd: '/audio/transcriptions', format: openAiTranscriptions },
  { pathEnd: '/audio/translations', format: openAiTranscriptions },
  { pathEnd: '/audio/speech', format: openAiSpeech },
];

const claudeAtGoogle = /\/publishers\/anthropic\/models\//;
const mistralAtGoogle = /\/publishers\/mistralai\/models\//;

/** Google's own, and what Claude and Mistral's models speak at Google's address. */
const googleEndpoints: readonly Endpoint[] = [
  { pathEnd: ':generateContent', format: geminiGenerateContent },
  { pathEnd: ':streamGenerateContent', format: geminiGenerateContent },
  { pathEnd: ':embedContent', format: geminiEmbedContent },
  { pathEnd: ':batchEmbedContents', format: geminiEmbedContent },
  { pathEnd: '/interactions', format: geminiInteractions },
  { pathEnd: ':rawPredict', within: mistralAtGoogle, format: openAiChat },
  { pathEnd: ':streamRawPredict', within: mistralAtGoogle, format: openAiChat },
  { pathEnd: ':rawPredict', within: claudeAtGoogle, format: anthropicMessages },
  { pathEnd: ':streamRawPredict', within: claudeAtGoogle, format: anthropicMessages },
];

const ollamaEndpoints: readonly Endpoint[] = [
  { pathEnd: '/api/chat', format: ollamaChat },
  { pathEnd: '/api/generate', format: ollamaChat },
  { pathEnd: '/api/embed', format: ollamaChat },
];

const cohereEndpoints: readonly Endpoint[] = [
  { pathEnd: '/v2/chat', format: cohereChat },
  { pathEnd: '/v2/embed', format: cohereEmbed },
  { pathEnd: '/v1/embed', format: cohereEmbed },
];

/** What came to be called an agent's answer is written as a response. */
const perplexityEndpoints: readonly Endpoint[] = [{ pathEnd: '/v1/agent', format: openAiResponses }];

const modelAtAmazon = /\/model\//;
/** To an invocation the models of others answer in formats of their own. A profile of the caller's own names no model: what answers as Claude does is read so. */
const claudeAtAmazon =
  /\/model\/[^/?#]*(?:anthropic\.claude|application-inference-profile|provisioned-model)[^/?#]*\/invoke(?:-with-response-stream)?$/;
const titanEmbedsAtAmazon = /\/model\/[^/?#]*amazon\.titan-embed-[^/?#]*\/invoke$/;
const amazonEndpoints: readonly Endpoint[] = [
  { pathEnd: '/invoke', within: titanEmbedsAtAmazon, format: titanEmbeddings },
  { pathEnd: '/converse', within: modelAtAmazon, format: bedrockConverse },
  { pathEnd: '/converse-stream', within: modelAtAmazon, format: bedrockConverse },
  { pathEnd: '/invoke', within: claudeAtAmazon, format: anthropicMessages },
  { pathEnd: '/invoke-with-response-stream', within: claudeAtAmazon, format: anthropicMessages },
];

const withGoogleEndpoints = [...googleEndpoints, ...commonEndpoints];
const withAmazonEndpoints = [...amazonEndpoints, ...commonEndpoints];
const withOllamaEndpoints = [...ollamaEndpoints, ...commonEndpoints];
const withCohereEndpoints = [...cohereEndpoints, ...commonEndpoints];
const withPerplexityEndpoints = [...perplexityEndpoints, ...commonEndpoints];

/** Of an address that nobody knows the paths alone tell what is spoken there; no two providers have one that means different things. */
const everyEndpoint = [...googleEndpoints, ...amazonEndpoints, ...ollamaEndpoints, ...perplexityEndpoints, ...withCohereEndpoints];

/** Name in addresses, name in records, name in the price book, endpoints. `custom` is an address of which only the caller knows whose it is. */
const rows: readonly (readonly [name: string, recordName: string, priceProviderId: string | undefined, endpoints: readonly Endpoint[]])[] =
  [
    ['openai', 'OPENAI', 'openai', commonEndpoints],
    ['anthropic', 'ANTHROPIC', 'anthropic', commonEndpoints],
    ['gemini', 'GOOGLE', 'google', withGoogleEndpoints],
    ['vertex', 'GOOGLE', 'google', withGoogleEndpoints],
    ['azure', 'AZURE', 'azure', commonEndpoints],
    ['bedrock', 'AWS', 'aws', withAmazonEndpoints],
    ['groq', 'GROQ', 'groq', commonEndpoints],
    ['together', 'TOGETHER', 'together', commonEndpoints],
    ['openrouter', 'OPENROUTER', 'openrouter', commonEndpoints],
    ['mistral', 'MISTRAL', 'mistral', commonEndpoints],
    ['deepseek', 'DEEPSEEK', 'deepseek', commonEndpoints],
    ['fireworks', 'FIREWORKS', 'fireworks', commonEndpoints],
    ['perplexity', 'PERPLEXITY', 'perplexity', withPerplexityEndpoints],
    ['xai', 'X', 'x-ai', commonEndpoints],
    ['cerebras', 'CEREBRAS', 'cerebras', commonEndpoints],
    ['nvidia', 'NVIDIA', undefined, commonEndpoints],
    ['deepinfra', 'DEEPINFRA', undefined, commonEndpoints],
    ['hyperbolic', 'HYPERBOLIC', undefined, commonEndpoints],
    ['nebius', 'NEBIUS', undefined, commonEndpoints],
    ['novita', 'NOVITA', 'novita', commonEndpoints],
    ['cohere', 'COHERE', 'cohere', withCohereEndpoints],
    ['ollama', 'OLLAMA', undefined, withOllamaEndpoints],
    ['vllm', 'VLLM', undefined, commonEndpoints],
    ['lmstudio', 'LMSTUDIO', undefined, commonEndpoints],
    ['echo', 'ECHO', 'echo', commonEndpoints],
    ['custom', 'CUSTOM', undefined, everyEndpoint],
  ];

const providers: ReadonlyMap<string, ProviderEntry> = new Map(
  rows.map(([name, recordName, priceProviderId, endpoints]) => [name, { name, recordName, priceProviderId, endpoints }]),
);

/** The entry of a provider by its name in addresses; undefined for one that is not known. */
export function providerNamed(name: string): ProviderEntry | undefined {
  return providers.get(name) ?? providers.get(providerAliases.get(name) ?? '');
}

/** The name in records of a provider by any of its names, in any case; undefined for one that is not known. */
export function recordNameFor(name: string): string | undefined {
  const upper = name.toUpperCase();
  return providerNamed(name.toLowerCase())?.recordName ?? (priceProviders.has(upper) ? upper : undefined);
}

/** The name in the price book of a provider by its name in records; undefined: it has none there. */
export function priceProviderOf(recordName: string): string | undefined {
  return priceProviders.get(recordName);
}

const priceProviders: ReadonlyMap<string, string | undefined> = new Map(
  rows.map(([, recordName, priceProviderId]) => [recordName, priceProviderId]),
);

/**
 * The format that a provider speaks at a path.
 * @param path with or without a query; only its end counts, so that a base address with a path of its own makes no difference.
 * @returns undefined when the exchange is recorded but not understood.
 */
export function wireFormatFor(provider: string, path: string): WireFormat | undefined {
  const [beforeQuery = ''] = path.split('?', 1);
  const trimmed = beforeQuery.endsWith('/') ? beforeQuery.slice(0, -1) : beforeQuery;
  const speaks = ({ pathEnd, within }: Endpoint): boolean => trimmed.endsWith(pathEnd) && (within === undefined || within.test(trimmed));
  return providerNamed(provider)?.endpoints.find(speaks)?.format;
}
