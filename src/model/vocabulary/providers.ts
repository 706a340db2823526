/** Providers addressable by name: in paths, in `name/model` and in settings. The built-in `echo` needs no address. */
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
  'huggingface',
  'cohere',
  'ollama',
  'vllm',
  'lmstudio',
] as const;
export type AddressedProvider = (typeof addressedProviders)[number];

/** The provider of `/v1/…` when neither path, header nor model names another. */
export const defaultProvider: AddressedProvider = 'openai';

/** Aliases accepted wherever callers name a provider: those of Helicone's models, hosts and records. */
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

/** @param name a name or alias in lower case. */
export function addressedProviderNamed(name: string): AddressedProvider | undefined {
  return byName.get(name);
}

/** Helicone's names in records that are not simply the provider's name in capitals. */
const otherRecordNames: ReadonlyMap<AddressedProvider, string> = new Map([
  ['gemini', 'GOOGLE'],
  ['vertex', 'GOOGLE'],
  ['bedrock', 'AWS'],
  ['xai', 'X'],
]);

/** The provider's name in records. @param name a name or alias in any case. */
export function providerInRecords(name: string): string | undefined {
  const provider = addressedProviderNamed(name.toLowerCase());
  return provider === undefined ? undefined : (otherRecordNames.get(provider) ?? provider.toUpperCase());
}
