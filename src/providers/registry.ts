import { openAiChat } from './openai/chat.ts';
import { openAiCompletions } from './openai/completions.ts';
import type { WireFormat } from './provider.ts';

/** An endpoint that is understood: the end of its path, and the format spoken there. */
interface Endpoint {
  readonly pathEnd: string;
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

const openAiEndpoints: readonly Endpoint[] = [
  { pathEnd: '/chat/completions', format: openAiChat },
  { pathEnd: '/completions', format: openAiCompletions },
];

const providers: ReadonlyMap<string, ProviderEntry> = new Map(
  [
    { name: 'openai', recordName: 'OPENAI', priceProviderId: 'openai', endpoints: openAiEndpoints },
    { name: 'echo', recordName: 'ECHO', priceProviderId: 'echo', endpoints: openAiEndpoints },
    { name: 'custom', recordName: 'CUSTOM', priceProviderId: undefined, endpoints: openAiEndpoints },
  ].map((entry) => [entry.name, entry]),
);

/** The entry of a provider by its name in addresses; undefined for one that is not known. */
export function providerNamed(name: string): ProviderEntry | undefined {
  return providers.get(name);
}

/**
 * The format that a provider speaks at a path.
 * @param path with or without a query; only its end counts, so that a base address with a path of its own makes no difference.
 * @returns undefined when the exchange is recorded but not understood.
 */
export function wireFormatFor(provider: string, path: string): WireFormat | undefined {
  const [beforeQuery = ''] = path.split('?', 1);
  const trimmed = beforeQuery.endsWith('/') ? beforeQuery.slice(0, -1) : beforeQuery;
  return providerNamed(provider)?.endpoints.find((endpoint) => trimmed.endsWith(endpoint.pathEnd))?.format;
}
