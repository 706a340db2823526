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
 * Makers by how their models' names begin, for spans that name no provider. A name that other providers serve as well, such as `llama`, has
 * no row: who bills for it is not known.
 */
const makers: readonly (readonly [models: RegExp, provider: string])[] = [
  [/^(?:gpt-|chatgpt-|o[134](?:-|$)|text-embedding-|dall-e|whisper|tts-|codex-|davinci|babbage)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'gemini'],
  [/^(?:mistral-|ministral-|magistral-|codestral-|devstral-|pixtral-)/, 'mistral'],
  [/^deepseek-/, 'deepseek'],
  [/^grok-/, 'xai'],
  [/^(?:command-|embed-)/, 'cohere'],
  [/^sonar/, 'perplexity'],
];

/** Names of frameworks, which some instrumentations give in place of a provider's; and none. */
const frameworks: ReadonlySet<string> = new Set(['', 'langchain', 'llamaindex', 'llama_index', 'litellm', 'crewai', 'haystack', 'autogen']);

/**
 * Our name of the provider. @param told a dialect's name, in any case; with the API behind a dot, as in the AI SDK's `openai.chat`. @param
 * host of the called address, which decides where it is a provider's. @param model of the request, whose maker stands in where no provider
 * is named. @returns `custom` for one without a name here.
 */
export function providerOf(told: string, host: string, model: string): string {
  const ofHost = hosts.find(([pattern]) => pattern.test(host.toLowerCase()))?.[1];
  const name = told.trim().toLowerCase();
  const ofMaker = frameworks.has(name) ? makers.find(([models]) => models.test(model.toLowerCase()))?.[1] : undefined;
  return ofHost ?? namedProvider(name) ?? ofMaker ?? unknownProvider;
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
