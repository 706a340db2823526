import { azureAddress, vertexAddress } from './customers-addresses.ts';
import type { ProviderDeclaration } from './declaration.ts';

const likeOpenAi = (baseUrl: string, openAiPath = ''): ProviderDeclaration => ({
  baseUrl,
  keyHeader: 'authorization',
  openAiPath,
  openAiKeyHeader: 'authorization',
});

const onThisMachine = (port: number): ProviderDeclaration => ({
  ...likeOpenAi(`http://127.0.0.1:${port}`, '/v1'),
  isLocal: true,
  models: 'any',
});

/**
 * Every provider that has an address, one row each; from here routing, records, prices, telemetry and documentation have it. Addresses are
 * from the providers' own documentation. Sources of `telemetryNames`: `gen_ai.provider.name` and the older `gen_ai.system`
 * (open-telemetry/semantic-conventions-genai docs/gen-ai/gen-ai-spans.md), `llm.provider` and `llm.system` (OpenInference), `GenAISystem` of
 * traceloop/openllmetry MIGRATION.md, provider names of the AI SDK. Models that others serve too, such as `llama`, are in no `madeModels`.
 */
export const providerRows = {
  openai: {
    ...likeOpenAi('https://api.openai.com/v1'),
    priceId: 'openai',
    models: 'own',
    madeModels: /^(?:gpt-|chatgpt-|o[134](?:-|$)|text-embedding-|dall-e|whisper|tts-|codex-|davinci|babbage)/,
    freePath: /\/moderations$/,
    tokenIdMembers: ['tokens'],
  },
  anthropic: {
    ...likeOpenAi('https://api.anthropic.com', '/v1'),
    keyHeader: 'x-api-key',
    priceId: 'anthropic',
    models: 'own',
    modelPrefix: 'claude-',
    madeModels: /^claude-/,
  },
  gemini: {
    ...likeOpenAi('https://generativelanguage.googleapis.com', '/v1beta/openai'),
    keyHeader: 'x-goog-api-key',
    takesQueryKey: true,
    recordName: 'GOOGLE',
    priceId: 'google',
    telemetryNames: ['gcp.gemini', 'gcp.gen_ai', 'google.generative-ai', 'google.generativeai', 'google_genai'],
    models: 'own',
    modelPrefix: 'gemini-',
    madeModels: /^gemini-/,
    listsModelsItself: true,
  },
  vertex: {
    baseUrl: vertexAddress,
    origins: /^https:\/\/(?:(?:[a-z0-9-]+-)?aiplatform|aiplatform\.(?:us|eu)\.rep)\.googleapis\.com$/,
    keyHeader: 'x-goog-api-key',
    openAiPath: undefined,
    openAiKeyHeader: 'authorization',
    takesQueryKey: true,
    openAiAddressHint:
      'By its model alone vertex cannot be reached, since its address names a project. Write the path: /vertex/v1/projects/<project>/locations/<region>/endpoints/openapi/….',
    recordName: 'GOOGLE',
    priceId: 'google',
    telemetryNames: ['gcp.vertex_ai', 'google.vertex', 'google-vertex', 'vertexai', 'vertex_ai'],
  },
  azure: {
    baseUrl: azureAddress,
    origins: /^https:\/\/[a-z0-9-]+\.openai\.azure\.com$/,
    keyHeader: 'api-key',
    openAiPath: '/openai/v1',
    openAiKeyHeader: 'api-key',
    isCustomers: true,
    openAiAddressHint:
      'This deployment has no Azure resource of its own. Set GATELOG_PROVIDER_AZURE_URL (https://<resource>.openai.azure.com), or name the resource in the path: /azure/<resource>/openai/v1/….',
    priceId: 'azure',
    telemetryNames: ['az.ai.openai', 'az.ai.inference', 'azure.ai.openai', 'azure.ai.inference', 'azure-openai', 'azure_openai'],
    furtherHosts: /\.(?:openai|services\.ai)\.azure\.com$/,
    hasDeployments: true,
  },
  bedrock: {
    ...likeOpenAi('https://bedrock-runtime.{bedrockRegion}.amazonaws.com', '/openai/v1'),
    origins: /^https:\/\/bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$/,
    recordName: 'AWS',
    priceId: 'aws',
    telemetryNames: ['aws.bedrock', 'aws_bedrock', 'amazon', 'amazon-bedrock'],
    signedByAws: true,
  },
  groq: { ...likeOpenAi('https://api.groq.com/openai/v1'), priceId: 'groq' },
  together: {
    ...likeOpenAi('https://api.together.xyz/v1'),
    priceId: 'together',
    telemetryNames: ['together_ai', 'togetherai', 'together.ai'],
    furtherHosts: /^api\.together\.ai$/,
  },
  openrouter: {
    ...likeOpenAi('https://openrouter.ai/api/v1'),
    priceId: 'openrouter',
    furtherHosts: /\.openrouter\.ai$/,
    models: 'any',
    searchesOnline: true,
  },
  mistral: {
    ...likeOpenAi('https://api.mistral.ai', '/v1'),
    priceId: 'mistral',
    telemetryNames: ['mistral_ai', 'mistralai'],
    models: 'own',
    madeModels: /^(?:mistral-|ministral-|magistral-|codestral-|devstral-|pixtral-)/,
    rejectsUsageOption: true,
  },
  deepseek: { ...likeOpenAi('https://api.deepseek.com', '/v1'), priceId: 'deepseek', models: 'own', madeModels: /^deepseek-/ },
  fireworks: {
    ...likeOpenAi('https://api.fireworks.ai/inference/v1'),
    priceId: 'fireworks',
    telemetryNames: ['fireworks_ai'],
  },
  perplexity: { ...likeOpenAi('https://api.perplexity.ai'), priceId: 'perplexity', models: 'own', madeModels: /^sonar/ },
  xai: {
    ...likeOpenAi('https://api.x.ai/v1'),
    recordName: 'X',
    priceId: 'x-ai',
    telemetryNames: ['x_ai'],
    models: 'own',
    madeModels: /^grok-/,
  },
  cerebras: { ...likeOpenAi('https://api.cerebras.ai', '/v1'), priceId: 'cerebras' },
  nvidia: { ...likeOpenAi('https://integrate.api.nvidia.com/v1'), telemetryNames: ['nvidia_nim'] },
  deepinfra: likeOpenAi('https://api.deepinfra.com', '/v1/openai'),
  hyperbolic: likeOpenAi('https://api.hyperbolic.xyz/v1'),
  nebius: likeOpenAi('https://api.tokenfactory.nebius.com/v1'),
  novita: { ...likeOpenAi('https://api.novita.ai/openai/v1'), priceId: 'novita' },
  // The path of OpenAI's clients is `/v1`; those of Hugging Face's inference providers lie beside it. It bills what the provider behind it
  // charges.
  huggingface: { ...likeOpenAi('https://router.huggingface.co', '/v1'), models: 'any', isHub: true, keyPrefix: 'hf_' },
  cohere: {
    ...likeOpenAi('https://api.cohere.com', '/compatibility/v1'),
    priceId: 'cohere',
    models: 'own',
    madeModels: /^(?:command-|embed-)/,
    tokenIdMembers: ['token_ids'],
  },
  ollama: { ...onThisMachine(11_434), tokenIdMembers: ['context'] },
  vllm: onThisMachine(8000),
  lmstudio: { ...onThisMachine(1234), telemetryNames: ['lm_studio'] },
} satisfies Readonly<Record<string, ProviderDeclaration>>;
