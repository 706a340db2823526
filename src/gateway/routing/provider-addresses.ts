import { GatelogError } from '../../model/errors.ts';
import { type AddressedProvider, addressedProviders } from '../../model/vocabulary/providers.ts';

/** The header for a provider's key; `authorization` as a bearer token. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'api-key' | 'x-goog-api-key';

export interface AddressFromPath {
  readonly origin: string;
  /** The rest of the caller's path. */
  readonly path: string;
}

export interface ProviderRow {
  /**
   * Base URL of the provider's own clients, with settings in braces; or a function of the path, where every customer has another address.
   */
  readonly baseUrl: string | ((path: string) => AddressFromPath);
  /** Matches its origins where `baseUrl` is not the only one. */
  readonly origins?: RegExp;
  readonly keyHeader: KeyHeader;
  /**
   * Path of the OpenAI-compatible API under the base URL; undefined where the deployment cannot know one. A path that does not end in `/v1`
   * replaces the `/v1` of OpenAI's paths.
   */
  readonly openAiPath: string | undefined;
  readonly openAiKeyHeader: KeyHeader;
  /** The key may be in the query too (`?key=…`). */
  readonly takesQueryKey?: true;
  /** An address in a path is one customer's, and anybody may name it: only the caller's own key goes there. */
  readonly isCustomers?: true;
  /** Written where a deployment cannot know the OpenAI address. */
  readonly openAiAddressHint?: string;
  /** It runs on the gateway's machine: it needs an entry in the allow-list, and no key. */
  readonly isLocal?: true;
}

const likeOpenAi = (baseUrl: string, openAiPath = ''): ProviderRow => ({
  baseUrl,
  keyHeader: 'authorization',
  openAiPath,
  openAiKeyHeader: 'authorization',
});

const onThisMachine = (port: number): ProviderRow => ({ ...likeOpenAi(`http://127.0.0.1:${port}`, '/v1'), isLocal: true });

/** From the providers' own documentation. */
export const providerRows: Readonly<Record<AddressedProvider, ProviderRow>> = {
  openai: likeOpenAi('https://api.openai.com/v1'),
  anthropic: { ...likeOpenAi('https://api.anthropic.com', '/v1'), keyHeader: 'x-api-key' },
  gemini: {
    ...likeOpenAi('https://generativelanguage.googleapis.com', '/v1beta/openai'),
    keyHeader: 'x-goog-api-key',
    takesQueryKey: true,
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
  },
  bedrock: {
    ...likeOpenAi('https://bedrock-runtime.{bedrockRegion}.amazonaws.com', '/openai/v1'),
    origins: /^https:\/\/bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$/,
  },
  groq: likeOpenAi('https://api.groq.com/openai/v1'),
  together: likeOpenAi('https://api.together.xyz/v1'),
  openrouter: likeOpenAi('https://openrouter.ai/api/v1'),
  mistral: likeOpenAi('https://api.mistral.ai', '/v1'),
  deepseek: likeOpenAi('https://api.deepseek.com', '/v1'),
  fireworks: likeOpenAi('https://api.fireworks.ai/inference/v1'),
  perplexity: likeOpenAi('https://api.perplexity.ai'),
  xai: likeOpenAi('https://api.x.ai/v1'),
  cerebras: likeOpenAi('https://api.cerebras.ai', '/v1'),
  nvidia: likeOpenAi('https://integrate.api.nvidia.com/v1'),
  deepinfra: likeOpenAi('https://api.deepinfra.com', '/v1/openai'),
  hyperbolic: likeOpenAi('https://api.hyperbolic.xyz/v1'),
  nebius: likeOpenAi('https://api.tokenfactory.nebius.com/v1'),
  novita: likeOpenAi('https://api.novita.ai/openai/v1'),
  // The path of OpenAI's clients is `/v1`; those of Hugging Face's inference providers lie beside it.
  huggingface: likeOpenAi('https://router.huggingface.co', '/v1'),
  cohere: likeOpenAi('https://api.cohere.com', '/compatibility/v1'),
  ollama: onThisMachine(11_434),
  vllm: onThisMachine(8000),
  lmstudio: onThisMachine(1234),
};

const byOrigin: ReadonlyMap<string, AddressedProvider> = new Map(
  addressedProviders.flatMap((name) => {
    const { baseUrl, origins, isLocal } = providerRows[name];
    return typeof baseUrl === 'string' && origins === undefined && isLocal !== true ? [[new URL(baseUrl).origin, name] as const] : [];
  }),
);
const ofManyOrigins = addressedProviders.filter((name) => providerRows[name].origins !== undefined);

/** The provider of an origin such as `https://api.groq.com`; local providers have none. */
export function providerAtOrigin(origin: string): AddressedProvider | undefined {
  return byOrigin.get(origin) ?? ofManyOrigins.find((name) => providerRows[name].origins?.test(origin) === true);
}

/** A path that starts with one of Azure's APIs names no resource, and someone else may own a resource of that name. */
const startsOfAzure: ReadonlySet<string> = new Set(['openai', 'anthropic', 'models']);

/** `/<resource>/…` becomes the resource's host. @throws GatelogError for a path without a resource. */
function azureAddress(path: string): AddressFromPath {
  const [start = '', resource = ''] = /^\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?=[/?]|$)/i.exec(path) ?? [];
  if (resource === '' || startsOfAzure.has(resource.toLowerCase())) {
    throw new GatelogError(
      'malformed_request',
      'This path names no Azure resource. Write /azure/<resource>/openai/…, or set GATELOG_PROVIDER_AZURE_URL for this deployment.',
    );
  }
  return { origin: `https://${resource.toLowerCase()}.openai.azure.com`, path: path.slice(start.length) };
}

/** `…/locations/<region>/…` goes to that region's host, any other path to the global one. */
function vertexAddress(path: string): AddressFromPath {
  const [pathname = ''] = path.split('?', 1);
  const region = /\/locations\/([a-z0-9-]{1,40})(?=[/:]|$)/.exec(pathname)?.[1] ?? 'global';
  if (region === 'global') return { origin: 'https://aiplatform.googleapis.com', path };
  const isMultiRegion = region === 'us' || region === 'eu';
  return {
    origin: isMultiRegion ? `https://aiplatform.${region}.rep.googleapis.com` : `https://${region}-aiplatform.googleapis.com`,
    path,
  };
}
