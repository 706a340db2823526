/** Providers that this version reaches by name, in paths, in `name/model` and in settings. The built-in `echo` needs no address. */
export const addressedProviders = [
  'openai',
  'anthropic',
  'gemini',
  'vertex',
  'azure',
  'bedrock',
  'groq',
  'together',
  'openrouter',
  'mistral',
  'deepseek',
  'fireworks',
  'perplexity',
  'xai',
  'cerebras',
  'nvidia',
  'deepinfra',
  'hyperbolic',
  'nebius',
  'novita',
  'cohere',
  'ollama',
  'vllm',
  'lmstudio',
] as const;
export type AddressedProvider = (typeof addressedProviders)[number];

/** The provider of `/v1/…`, where neither path nor header nor model names another. */
export const defaultProvider: AddressedProvider = 'openai';

/** Other names of providers, wherever callers name one: those of Helicone's models, hosts and records. */
export const providerAliases: ReadonlyMap<string, AddressedProvider> = new Map([
  ['google', 'gemini'],
  ['google-ai-studio', 'gemini'],
  ['x', 'xai'],
  ['aws', 'bedrock'],
]);

const byName: ReadonlyMap<string, AddressedProvider> = new Map([
  ...addressedProviders.map((name) => [name, name] as const),
  ...providerAliases,
]);

/** The provider of a name or alias, in lower case; undefined when there is none. */
export function addressedProviderNamed(name: string): AddressedProvider | undefined {
  return byName.get(name);
}

/** Names in records that are not simply the provider's own in capitals: Helicone's. */
const otherRecordNames: ReadonlyMap<AddressedProvider, string> = new Map([
  ['gemini', 'GOOGLE'],
  ['vertex', 'GOOGLE'],
  ['bedrock', 'AWS'],
  ['xai', 'X'],
]);

/** The name in records of a provider by a name or alias, in any case; undefined when there is none. */
export function providerInRecords(name: string): string | undefined {
  const provider = addressedProviderNamed(name.toLowerCase());
  return provider === undefined ? undefined : (otherRecordNames.get(provider) ?? provider.toUpperCase());
}
