import { addressedProviderNamed, providerAliases } from '../../model/vocabulary/providers.ts';

/** A provider without a row, and one that nobody named. */
export const unknownProvider = 'custom';

/**
 * Names of providers in the dialects, where ours differs. Sources: `gen_ai.provider.name` and the older `gen_ai.system`
 * (open-telemetry/semantic-conventions-genai docs/gen-ai/gen-ai-spans.md), `llm.provider` and `llm.system` (OpenInference), `GenAISystem` of
 * traceloop/openllmetry MIGRATION.md, provider names of the AI SDK.
 */
const names: ReadonlyMap<string, string> = new Map([
  ['aws.bedrock', 'bedrock'],
  ['aws_bedrock', 'bedrock'],
  ['amazon', 'bedrock'],
  ['amazon-bedrock', 'bedrock'],
  ['az.ai.openai', 'azure'],
  ['az.ai.inference', 'azure'],
  ['azure.ai.openai', 'azure'],
  ['azure.ai.inference', 'azure'],
  ['azure-openai', 'azure'],
  ['azure_openai', 'azure'],
  ['gcp.gemini', 'gemini'],
  ['gcp.gen_ai', 'gemini'],
  ['gcp.vertex_ai', 'vertex'],
  ['google', 'gemini'],
  ['google.generative-ai', 'gemini'],
  ['google.generativeai', 'gemini'],
  ['google.vertex', 'vertex'],
  ['google-vertex', 'vertex'],
  ['google_genai', 'gemini'],
  ['vertexai', 'vertex'],
  ['vertex_ai', 'vertex'],
  ['mistral_ai', 'mistral'],
  ['mistralai', 'mistral'],
  ['x_ai', 'xai'],
  ['together_ai', 'together'],
  ['togetherai', 'together'],
  ['together.ai', 'together'],
  ['fireworks_ai', 'fireworks'],
  ['lm_studio', 'lmstudio'],
  ['nvidia_nim', 'nvidia'],
]);

/** Hosts of providers with OpenAI's API. An instrumentation of OpenAI's client takes each for OpenAI. */
const hosts: readonly (readonly [host: RegExp, provider: string])[] = [
  [/(^|\.)openrouter\.ai$/, 'openrouter'],
  [/\.openai\.azure\.com$|\.services\.ai\.azure\.com$/, 'azure'],
  [/^api\.groq\.com$/, 'groq'],
  [/^api\.deepseek\.com$/, 'deepseek'],
  [/^api\.mistral\.ai$/, 'mistral'],
  [/^api\.x\.ai$/, 'xai'],
  [/^api\.together\.(xyz|ai)$/, 'together'],
  [/^api\.fireworks\.ai$/, 'fireworks'],
  [/^api\.perplexity\.ai$/, 'perplexity'],
  [/^api\.cerebras\.ai$/, 'cerebras'],
  [/^api\.deepinfra\.com$/, 'deepinfra'],
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'gemini'],
  [/aiplatform\.googleapis\.com$/, 'vertex'],
  [/^bedrock-runtime\..*\.amazonaws\.com$/, 'bedrock'],
  [/^api\.openai\.com$/, 'openai'],
];

/**
 * Our name of the provider. @param told a dialect's name, in any case; with the API behind a dot or a hyphen, as in the AI SDK's
 * `openai.chat`. @param host of the called address, which decides where it is a provider's. @returns `custom` for one without a name here.
 */
export function providerOf(told: string, host: string): string {
  const ofHost = hosts.find(([pattern]) => pattern.test(host.toLowerCase()))?.[1];
  return ofHost ?? namedProvider(told.trim().toLowerCase()) ?? unknownProvider;
}

/** Whole names first, then without what follows the last dot. */
function namedProvider(told: string): string | undefined {
  if (told === '') return undefined;
  const name = names.get(told) ?? providerAliases.get(told) ?? addressedProviderNamed(told);
  if (name !== undefined) return name;
  const dot = told.lastIndexOf('.');
  return dot > 0 ? namedProvider(told.slice(0, dot)) : undefined;
}

/** The host in an address or in `server.address`, which is one. */
export function hostOf(address: string): string {
  const [, host = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?([^/:?#]+)/i.exec(address) ?? [];
  return host;
}
