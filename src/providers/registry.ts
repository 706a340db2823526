import {
  type AddressedProvider,
  addressedProviders,
  providerDeclaration,
  providerAliases,
  providerInRecords,
} from '../model/providers/providers.ts';
import { bedrockConverse } from './amazon/converse.ts';
import { invokedAtBedrock } from './amazon/invocation-metrics.ts';
import { bedrockInvoke } from './amazon/invoke.ts';
import { anthropicMessages } from './anthropic/messages.ts';
import { titanEmbeddings } from './amazon/titan-embeddings.ts';
import { customEvents, pathlessCall } from './custom/events.ts';
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
import type { WireFormat } from './format/provider.ts';

interface Endpoint {
  readonly pathEnd: string;
  /** Must also match the path, where the path's end is ambiguous. */
  readonly within?: RegExp;
  readonly format: WireFormat;
}

/** The gateway knows the addresses. */
export interface ProviderEntry {
  /** Name in addresses and settings. */
  readonly name: string;
  /** Name in records. */
  readonly recordName: string;
  /** Name in the price book; undefined: unpriced, as a model name alone does not determine who bills for it. */
  readonly priceProviderId: string | undefined;
  readonly endpoints: readonly Endpoint[];
}

/**
 * Paths with the same meaning everywhere: OpenAI's, which all others adopted below their own base, and Anthropic's, which many serve
 * beside them. A provider may serve only some of them.
 */
const commonEndpoints: readonly Endpoint[] = [
  { pathEnd: '/chat/completions', format: openAiChat },
  // Mistral's code completion responds like chat.
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

/** Google's own endpoints, and those for Claude's and Mistral's models on Vertex AI. */
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

/** The agent endpoint returns a response object. */
const perplexityEndpoints: readonly Endpoint[] = [{ pathEnd: '/v1/agent', format: openAiResponses }];

const modelAtAmazon = /\/model\//;
const claudeAtAmazon = /\/model\/[^/?#]*anthropic\.claude[^/?#]*\/invoke(?:-with-response-stream)?$/;
const titanEmbedsAtAmazon = /\/model\/[^/?#]*amazon\.titan-embed-[^/?#]*\/invoke$/;
const invokedClaude = invokedAtBedrock(anthropicMessages);
const amazonEndpoints: readonly Endpoint[] = [
  { pathEnd: '/invoke', within: titanEmbedsAtAmazon, format: titanEmbeddings },
  { pathEnd: '/converse', within: modelAtAmazon, format: bedrockConverse },
  { pathEnd: '/converse-stream', within: modelAtAmazon, format: bedrockConverse },
  { pathEnd: '/invoke', within: claudeAtAmazon, format: invokedClaude },
  { pathEnd: '/invoke-with-response-stream', within: claudeAtAmazon, format: invokedClaude },
  // A caller's inference profile names no model, so only the bodies tell whose format they have.
  { pathEnd: '/invoke', within: modelAtAmazon, format: bedrockInvoke },
  { pathEnd: '/invoke-with-response-stream', within: modelAtAmazon, format: bedrockInvoke },
];

const withGoogleEndpoints = [...googleEndpoints, ...commonEndpoints];
const withCohereEndpoints = [...cohereEndpoints, ...commonEndpoints];

/** For targets of unknown providers, where only the path shows the format. No path means different things at two providers. */
const everyEndpoint = [
  { pathEnd: pathlessCall, format: customEvents },
  ...googleEndpoints,
  ...amazonEndpoints,
  ...ollamaEndpoints,
  ...perplexityEndpoints,
  ...withCohereEndpoints,
];

/** Of those that serve more than everybody. */
const furtherEndpoints: Readonly<Partial<Record<AddressedProvider, readonly Endpoint[]>>> = {
  gemini: withGoogleEndpoints,
  vertex: withGoogleEndpoints,
  bedrock: [...amazonEndpoints, ...commonEndpoints],
  perplexity: [...perplexityEndpoints, ...commonEndpoints],
  cohere: withCohereEndpoints,
  ollama: [...ollamaEndpoints, ...commonEndpoints],
};

/** `custom` is a target address set by the caller. */
const withoutAddress: readonly ProviderEntry[] = [
  { name: 'echo', recordName: 'ECHO', priceProviderId: 'echo', endpoints: commonEndpoints },
  { name: 'custom', recordName: 'CUSTOM', priceProviderId: undefined, endpoints: everyEndpoint },
];

const addressed = addressedProviders.map((name): ProviderEntry => {
  const recordName = providerInRecords(name) ?? name;
  return { name, recordName, priceProviderId: providerDeclaration(name).priceId, endpoints: furtherEndpoints[name] ?? commonEndpoints };
});

const providers: ReadonlyMap<string, ProviderEntry> = new Map([...addressed, ...withoutAddress].map((entry) => [entry.name, entry]));

/** @param name a name in addresses or an alias. */
export function providerNamed(name: string): ProviderEntry | undefined {
  return providers.get(name) ?? providers.get(providerAliases.get(name) ?? '');
}

/** @param name any name of a provider, in any case. */
export function recordNameFor(name: string): string | undefined {
  const upper = name.toUpperCase();
  return providerNamed(name.toLowerCase())?.recordName ?? (priceProviders.has(upper) ? upper : undefined);
}

/** @returns undefined when the provider is not in the price book. */
export function priceProviderOf(recordName: string): string | undefined {
  return priceProviders.get(recordName);
}

const priceProviders: ReadonlyMap<string, string | undefined> = new Map(
  Array.from(providers.values(), ({ recordName, priceProviderId }) => [recordName, priceProviderId]),
);

/**
 * The format of a provider's path. @param path with or without a query; only its end counts, so that a base address may have a path of its
 * own. @returns undefined when the exchange is recorded but not understood.
 */
export function wireFormatFor(provider: string, path: string): WireFormat | undefined {
  const [beforeQuery = ''] = path.split('?', 1);
  const trimmed = beforeQuery.endsWith('/') ? beforeQuery.slice(0, -1) : beforeQuery;
  const matches = ({ pathEnd, within }: Endpoint): boolean => trimmed.endsWith(pathEnd) && (within === undefined || within.test(trimmed));
  return providerNamed(provider)?.endpoints.find(matches)?.format;
}

const listedProviders: ReadonlySet<string> = new Set(Array.from(providers.values(), ({ priceProviderId }) => priceProviderId ?? ''));

/** The name of a provider in the price book, by that or any other name of it, in any case. */
export function listedProviderOf(name: string): string | undefined {
  const lower = name.toLowerCase();
  return providerNamed(lower)?.priceProviderId ?? priceProviderOf(name.toUpperCase()) ?? (listedProviders.has(lower) ? lower : undefined);
}
