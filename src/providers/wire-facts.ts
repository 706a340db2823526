import type { AddressedProvider } from '../model/vocabulary/providers.ts';
import { amazonWire } from './amazon/wire.ts';
import { anthropicWire } from './anthropic/wire.ts';
import { cohereWire } from './cohere/wire.ts';
import { googleWire } from './google/wire.ts';
import { openAiWire } from './openai/wire.ts';
import type { WireFacts } from './wire.ts';

const formats: readonly WireFacts[] = [openAiWire, googleWire, anthropicWire, amazonWire, cohereWire];

function all<Name extends keyof WireFacts>(name: Name): NonNullable<WireFacts[Name]>[number][] {
  return formats.flatMap((format) => (format[name] ?? []) as NonNullable<WireFacts[Name]>[number][]);
}

/**
 * The facts of all wire formats together. The gateway looks ends and failures up in all of them, as any address may respond in any format.
 */
export const wireFacts = {
  streamEndMarkers: all('streamEndMarkers'),
  finalEventTypes: all('finalEventTypes'),
  finalEventTexts: all('finalEventTexts'),
  failureEvents: all('failureEvents'),
  failedFinishReasons: all('failedFinishReasons'),
  failedElements: all('failedElements'),
  binaryStreamTypes: all('binaryStreamTypes'),
  failureMessageHeaders: all('failureMessageHeaders'),
  usageMembers: all('usageMembers'),
  userMembers: all('userMembers'),
  backgroundPaths: all('backgroundPaths'),
  addressHeaders: all('addressHeaders'),
  addressMembers: all('addressMembers'),
  keyHeaders: all('keyHeaders'),
  clientHeaders: all('clientHeaders'),
  versionHeaders: all('versionHeaders'),
  cacheKeyHeaders: all('cacheKeyHeaders'),
  recordedRequestHeaders: all('recordedRequestHeaders'),
  recordedResponseHeaders: all('recordedResponseHeaders'),
  repeatedHeaders: all('repeatedHeaders'),
  perDeliveryPrefixes: all('perDeliveryPrefixes'),
  nativePrefixes: all('nativePrefixes'),
  nativePaths: all('nativePaths'),
} as const;

/** Differences between providers of one format. */
export interface ProviderFacts {
  /** Reports the usage of every stream and rejects the member that asks for it. */
  readonly rejectsUsageOption?: true;
  /**
   * `own`: sells the models it makes. `any`: sells others' models or serves any that are installed, so names may have slashes and any
   * suffix.
   */
  readonly models?: 'own' | 'any';
  /** Common prefix of all its models and of no others. */
  readonly modelPrefix?: string;
  /** Serves models of all makers as `maker/model`, with or without a suffix, where no other provider is named. */
  readonly isHub?: true;
  /** Start of all its keys and of nobody else's. */
  readonly keyPrefix?: string;
  /** Supports the suffix `:online`. */
  readonly searchesOnline?: true;
  /** Calls are signed with the keys of an AWS account. */
  readonly signedByAws?: true;
  /** `model/<provider>/<deployment>` names one of the customer's deployments. */
  readonly hasDeployments?: true;
  /** Its clients read a list of models that only it has: with limits, actions and pages. */
  readonly listsModelsItself?: true;
  /** Paths that are free of charge. */
  readonly freePath?: RegExp;
}

/** In order of precedence among makers of models. */
const providerFacts: Readonly<Partial<Record<AddressedProvider, ProviderFacts>>> = {
  openai: { models: 'own', freePath: /\/moderations$/ },
  anthropic: { models: 'own', modelPrefix: 'claude-' },
  gemini: { models: 'own', modelPrefix: 'gemini-', listsModelsItself: true },
  azure: { hasDeployments: true },
  bedrock: { signedByAws: true },
  mistral: { models: 'own', rejectsUsageOption: true },
  deepseek: { models: 'own' },
  xai: { models: 'own' },
  cohere: { models: 'own' },
  perplexity: { models: 'own' },
  openrouter: { models: 'any', searchesOnline: true },
  huggingface: { models: 'any', isHub: true, keyPrefix: 'hf_' },
  ollama: { models: 'any' },
  vllm: { models: 'any' },
  lmstudio: { models: 'any' },
};

/** Where models named `maker/model` go. */
export const modelHubs: readonly AddressedProvider[] = (Object.keys(providerFacts) as AddressedProvider[]).filter(
  (name) => providerFacts[name]?.isHub === true,
);

/** Providers that sell the models they make. The first that lists a model counts as its maker. */
export const modelMakers: readonly AddressedProvider[] = (Object.keys(providerFacts) as AddressedProvider[]).filter(
  (name) => providerFacts[name]?.models === 'own',
);

const factsByName: ReadonlyMap<string, ProviderFacts> = new Map(Object.entries(providerFacts));
const noFacts: ProviderFacts = {};

/** @param name a name in addresses. @returns no facts for a provider without a row. */
export function factsOfProvider(name: string): ProviderFacts {
  return factsByName.get(name) ?? noFacts;
}
