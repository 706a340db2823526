import { describe, expect, it } from 'vitest';
import { addressedProviders } from '../../model/providers/providers.ts';
import { makeAllowList } from '../../egress/allow-list.ts';
import { makeTargetGuard } from '../../egress/target-guard.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { type Authentication, credentialsFor } from '../credentials/credentials.ts';
import { makeProviderTable, type ProviderOverride, type ProviderTable } from './provider-table.ts';
import { type Route, routeByModel, routeByPath, routeToTarget } from './routes.ts';
import type { ProviderKeys } from '../credentials/stored-keys.ts';

function tableOf(overrides: Readonly<Record<string, ProviderOverride>> = {}, allowed: readonly string[] = []): ProviderTable {
  const list = makeAllowList(allowed);
  return makeProviderTable(overrides, { bedrockRegion: 'eu-central-1', allowsLocal: list.allows, targets: makeTargetGuard(list) });
}

const local = ['127.0.0.1:11434', '127.0.0.1:8000', '127.0.0.0/8'];

function addressOf(route: Route): string {
  if (typeof route.destination === 'string') return route.destination;
  const { origin, path } = route.destination.target(route.path);
  return origin + path;
}

/** Where a path goes. */
function native(path: string, providers = tableOf({}, local)): string {
  return addressOf(routeByPath('POST', path, providers));
}

/** Where `POST /v1/chat/completions` goes with this model, and what is left of the model. */
function byModel(model: string, providers = tableOf({}, local)): string {
  const found = routeByModel(routeByPath('POST', '/v1/chat/completions', providers), model, providers);
  return found === undefined ? 'by path' : `${addressOf(found.route)} ${found.model}`;
}

/** Error code of what is refused. */
function codeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

describe('a provider`s own API', () => {
  const paths: readonly [path: string, address: string][] = [
    ['/openai/v1/responses', 'https://api.openai.com/v1/responses'],
    ['/openai/responses', 'https://api.openai.com/v1/responses'],
    ['/anthropic/v1/messages', 'https://api.anthropic.com/v1/messages'],
    ['/anthropic/v1/messages/count_tokens?beta=true', 'https://api.anthropic.com/v1/messages/count_tokens?beta=true'],
    ['/gemini/v1beta/models/g:generateContent', 'https://generativelanguage.googleapis.com/v1beta/models/g:generateContent'],
    [
      '/google/v1beta/models/g:streamGenerateContent?alt=sse',
      'https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent?alt=sse',
    ],
    ['/gemini/v1beta/openai/chat/completions', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions'],
    [
      '/vertex/v1/projects/p/locations/europe-west4/publishers/google/models/g:generateContent',
      'https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google/models/g:generateContent',
    ],
    [
      '/vertex/v1/projects/p/locations/global/endpoints/openapi/chat/completions',
      'https://aiplatform.googleapis.com/v1/projects/p/locations/global/endpoints/openapi/chat/completions',
    ],
    ['/vertex/v1/projects/p/locations/eu/x', 'https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/x'],
    [
      '/vertex/v1/publishers/google/models/g:generateContent',
      'https://aiplatform.googleapis.com/v1/publishers/google/models/g:generateContent',
    ],
    ['/vertex/v1/x?y=/locations/evil/', 'https://aiplatform.googleapis.com/v1/x?y=/locations/evil/'],
    ['/vertex/v1/locations/evil.example#/x', 'https://aiplatform.googleapis.com/v1/locations/evil.example#/x'],
    [
      '/azure/my-resource/openai/deployments/d/chat/completions?api-version=1',
      'https://my-resource.openai.azure.com/openai/deployments/d/chat/completions?api-version=1',
    ],
    ['/azure/My-Resource', 'https://my-resource.openai.azure.com/'],
    ['/bedrock/model/m/converse', 'https://bedrock-runtime.eu-central-1.amazonaws.com/model/m/converse'],
    ['/bedrock/openai/v1/chat/completions', 'https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/chat/completions'],
    ['/groq/openai/v1/models', 'https://api.groq.com/openai/v1/models'],
    ['/groq/v1/models', 'https://api.groq.com/openai/v1/models'],
    ['/groq/models', 'https://api.groq.com/openai/v1/models'],
    ['/groq/v10/models', 'https://api.groq.com/openai/v1/v10/models'],
    ['/together/v1/chat/completions', 'https://api.together.xyz/v1/chat/completions'],
    ['/openrouter/api/v1/chat/completions', 'https://openrouter.ai/api/v1/chat/completions'],
    ['/openrouter/v1?x=1', 'https://openrouter.ai/api/v1?x=1'],
    ['/mistral/v1/fim/completions', 'https://api.mistral.ai/v1/fim/completions'],
    ['/deepseek/chat/completions', 'https://api.deepseek.com/chat/completions'],
    ['/deepseek/anthropic/v1/messages', 'https://api.deepseek.com/anthropic/v1/messages'],
    ['/fireworks/inference/v1/chat/completions', 'https://api.fireworks.ai/inference/v1/chat/completions'],
    ['/perplexity/chat/completions', 'https://api.perplexity.ai/chat/completions'],
    ['/xai/v1/chat/completions', 'https://api.x.ai/v1/chat/completions'],
    ['/x/v1/chat/completions', 'https://api.x.ai/v1/chat/completions'],
    ['/aws/model/m/converse', 'https://bedrock-runtime.eu-central-1.amazonaws.com/model/m/converse'],
    ['/cerebras/v1/chat/completions', 'https://api.cerebras.ai/v1/chat/completions'],
    ['/nvidia/v1/chat/completions', 'https://integrate.api.nvidia.com/v1/chat/completions'],
    ['/deepinfra/v1/inference/m', 'https://api.deepinfra.com/v1/inference/m'],
    ['/deepinfra/v1/openai/chat/completions', 'https://api.deepinfra.com/v1/openai/chat/completions'],
    ['/hyperbolic/v1/chat/completions', 'https://api.hyperbolic.xyz/v1/chat/completions'],
    ['/nebius/v1/chat/completions', 'https://api.tokenfactory.nebius.com/v1/chat/completions'],
    ['/novita/openai/v1/chat/completions', 'https://api.novita.ai/openai/v1/chat/completions'],
    ['/novita/v1/chat/completions', 'https://api.novita.ai/openai/v1/chat/completions'],
    ['/huggingface/v1/chat/completions', 'https://router.huggingface.co/v1/chat/completions'],
    ['/huggingface/hf-inference/models/a/b', 'https://router.huggingface.co/hf-inference/models/a/b'],
    ['/cohere/v2/chat', 'https://api.cohere.com/v2/chat'],
    ['/ollama/api/chat', 'http://127.0.0.1:11434/api/chat'],
    ['/vllm/v1/chat/completions', 'http://127.0.0.1:8000/v1/chat/completions'],
    ['/lmstudio/api/v0/models', 'http://127.0.0.1:1234/api/v0/models'],
    ['/echo/v1/chat/completions', 'echo'],
    // What only one provider's clients call leads to it without its name.
    ['/v1/messages', 'https://api.anthropic.com/v1/messages'],
    ['/v1/messages/batches?limit=1', 'https://api.anthropic.com/v1/messages/batches?limit=1'],
    ['/v1/messages-of-mine', 'https://api.openai.com/v1/messages-of-mine'],
    ['/v1beta/models/g:generateContent', 'https://generativelanguage.googleapis.com/v1beta/models/g:generateContent'],
    ['/v1alpha/models/g:generateContent', 'https://generativelanguage.googleapis.com/v1alpha/models/g:generateContent'],
    ['/upload/v1beta/files?x=1', 'https://generativelanguage.googleapis.com/upload/v1beta/files?x=1'],
    ['/v1/models/g:generateContent', 'https://generativelanguage.googleapis.com/v1/models/g:generateContent'],
    ['/v1/models/g:streamGenerateContent?alt=sse', 'https://generativelanguage.googleapis.com/v1/models/g:streamGenerateContent?alt=sse'],
    ['/v1/tunedModels/t:generateContent', 'https://generativelanguage.googleapis.com/v1/tunedModels/t:generateContent'],
    [
      '/v1beta1/projects/p/locations/eu/publishers/google/models/g:generateContent',
      'https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/p/locations/eu/publishers/google/models/g:generateContent',
    ],
    [
      '/v1beta1/publishers/google/models/g:generateContent',
      'https://aiplatform.googleapis.com/v1beta1/publishers/google/models/g:generateContent',
    ],
    [
      '/v1/projects/p/locations/us-east5/publishers/anthropic/models/c:rawPredict',
      'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic/models/c:rawPredict',
    ],
    ['/v1/publishers/google/models', 'https://aiplatform.googleapis.com/v1/publishers/google/models'],
    // OpenAI's own, which look alike.
    ['/v1/projects/p/groups', 'https://api.openai.com/v1/projects/p/groups'],
    ['/v1/files?x=/models/g:y', 'https://api.openai.com/v1/files?x=/models/g:y'],
    ['/v1/chat/completions', 'https://api.openai.com/v1/chat/completions'],
    ['/v1/moderations', 'https://api.openai.com/v1/moderations'],
    ['/v1/models/gpt-4o', 'https://api.openai.com/v1/models/gpt-4o'],
  ];
  for (const [path, address] of paths) {
    it(`${path} is ${address}`, () => {
      expect(native(path)).toBe(address);
    });
  }

  it.each(['GET', 'DELETE'])('a fine-tuned model of OpenAI has colons in its name, and is asked for with %s', (method) => {
    expect(addressOf(routeByPath(method, '/v1/models/ft:gpt-4o:acme::id', tableOf()))).toBe(
      'https://api.openai.com/v1/models/ft:gpt-4o:acme::id',
    );
  });

  it.each([
    ['/v1/files?beta=true', 'https://api.anthropic.com/v1/files?beta=true'],
    ['/v1/models/claude-sonnet-4-5', 'https://api.anthropic.com/v1/models/claude-sonnet-4-5'],
    ['/v1/complete', 'https://api.anthropic.com/v1/complete'],
    ['/v1/projects/p/locations/global/x', 'https://aiplatform.googleapis.com/v1/projects/p/locations/global/x'],
    ['/v1/chat/completions', 'https://api.openai.com/v1/chat/completions'],
    ['/openai/v1/files', 'https://api.openai.com/v1/files'],
    ['/v1beta/files', 'https://generativelanguage.googleapis.com/v1beta/files'],
  ])('with an anthropic-version %s is %s', (path, address) => {
    expect(addressOf(routeByPath('GET', path, tableOf(), 'anthropic'))).toBe(address);
  });

  it('the API`s paths are refused with an anthropic-version too', () => {
    expect(codeOf(() => routeByPath('POST', '/v1/request/query', tableOf(), 'anthropic'))).toBe('not_found');
  });

  it('every provider is in the table of this test', () => {
    const named = new Set(paths.map(([path]) => path.split('/')[1]));
    expect(addressedProviders.filter((name) => !named.has(name))).toEqual([]);
  });

  it.each([
    ['/azure', 'malformed_request'],
    ['/azure/', 'malformed_request'],
    ['/azure/openai/deployments/d', 'malformed_request'],
    ['/azure/OpenAI/deployments/d', 'malformed_request'],
    ['/azure/anthropic/v1/messages', 'malformed_request'],
    ['/azure/Models/chat/completions', 'malformed_request'],
    ['/azure/evil.example/x', 'malformed_request'],
    ['/azure/-x/y', 'malformed_request'],
    ['/azure/a@b/y', 'malformed_request'],
    ['/nobody/v1/chat/completions', 'not_found'],
    ['/OPENAI/v1/chat/completions', 'not_found'],
    ['/v2/chat/completions', 'not_found'],
    ['/v1beta1/models/g:generateContent', 'not_found'],
    ['/vertex/v1/../x', 'malformed_request'],
  ])('%s is refused: %s', (path, code) => {
    expect(codeOf(() => native(path))).toBe(code);
  });

  it.each(['/ollama/api/chat', '/vllm/v1/models', '/lmstudio/v1/models'])('%s needs the allow-list', (path) => {
    expect(codeOf(() => native(path, tableOf()))).toBe('target_not_allowed');
    expect(codeOf(() => native(path, tableOf({}, ['127.0.0.1:1'])))).toBe('target_not_allowed');
  });

  it('the sentence about a local provider names the entry and the setting', () => {
    expect(() => native('/ollama/api/chat', tableOf())).toThrow(
      'Add 127.0.0.1:11434 to GATELOG_TARGET_ALLOWLIST, or set GATELOG_PROVIDER_OLLAMA_URL.',
    );
  });
});

describe('provider/model on the OpenAI surface', () => {
  const models: readonly [model: string, address: string][] = [
    ['openai/gpt-4o', 'https://api.openai.com/v1/chat/completions gpt-4o'],
    ['anthropic/claude', 'https://api.anthropic.com/v1/chat/completions claude'],
    ['claude/anthropic', 'https://api.anthropic.com/v1/chat/completions claude'],
    ['gemini/gemini-pro', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions gemini-pro'],
    ['google/gemini-pro', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions gemini-pro'],
    ['gemini-pro/google-ai-studio', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions gemini-pro'],
    ['gpt-4o/OpenAI', 'https://api.openai.com/v1/chat/completions gpt-4o'],
    ['GROQ/Llama', 'https://api.groq.com/openai/v1/chat/completions Llama'],
    ['Echo/Demo', 'echo Demo'],
    ['openai.gpt-oss/aws', 'https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/chat/completions openai.gpt-oss'],
    ['bedrock/openai.gpt-oss', 'https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/chat/completions openai.gpt-oss'],
    ['groq/llama', 'https://api.groq.com/openai/v1/chat/completions llama'],
    ['together/meta-llama/llama', 'https://api.together.xyz/v1/chat/completions meta-llama/llama'],
    ['openrouter/openai/gpt-4o', 'https://openrouter.ai/api/v1/chat/completions openai/gpt-4o'],
    ['openai/gpt-4o/openrouter', 'https://api.openai.com/v1/chat/completions gpt-4o/openrouter'],
    ['mistral/m', 'https://api.mistral.ai/v1/chat/completions m'],
    ['deepseek/m', 'https://api.deepseek.com/v1/chat/completions m'],
    ['fireworks/accounts/f/models/m', 'https://api.fireworks.ai/inference/v1/chat/completions accounts/f/models/m'],
    ['perplexity/sonar', 'https://api.perplexity.ai/chat/completions sonar'],
    ['xai/grok', 'https://api.x.ai/v1/chat/completions grok'],
    ['x/grok', 'https://api.x.ai/v1/chat/completions grok'],
    ['cerebras/m', 'https://api.cerebras.ai/v1/chat/completions m'],
    ['nvidia/m', 'https://integrate.api.nvidia.com/v1/chat/completions m'],
    ['deepinfra/m', 'https://api.deepinfra.com/v1/openai/chat/completions m'],
    ['hyperbolic/m', 'https://api.hyperbolic.xyz/v1/chat/completions m'],
    ['nebius/m', 'https://api.tokenfactory.nebius.com/v1/chat/completions m'],
    ['novita/m', 'https://api.novita.ai/openai/v1/chat/completions m'],
    ['huggingface/meta-llama/Llama-3:groq', 'https://router.huggingface.co/v1/chat/completions meta-llama/Llama-3:groq'],
    ['cohere/command', 'https://api.cohere.com/compatibility/v1/chat/completions command'],
    ['ollama/m', 'http://127.0.0.1:11434/v1/chat/completions m'],
    ['vllm/m', 'http://127.0.0.1:8000/v1/chat/completions m'],
    ['lmstudio/m', 'http://127.0.0.1:1234/v1/chat/completions m'],
    ['echo/m', 'echo m'],
    ['mistralai/m', 'by path'],
    ['meta-llama/llama', 'by path'],
    ['constructor/m', 'by path'],
    ['X-AI/grok', 'by path'],
  ];
  for (const [model, address] of models) {
    it(`${model} is ${address}`, () => {
      expect(byModel(model)).toBe(address);
    });
  }

  it('azure needs its resource set, vertex a path', () => {
    expect(codeOf(() => byModel('azure/gpt-4o'))).toBe('provider_address_missing');
    expect(codeOf(() => byModel('vertex/gemini'))).toBe('provider_address_missing');
    const azure = tableOf({ azure: { baseUrl: 'https://mine.openai.azure.com' } });
    expect(byModel('azure/gpt-4o', azure)).toBe('https://mine.openai.azure.com/openai/v1/chat/completions gpt-4o');
    expect(native('/azure/openai/deployments/d', azure)).toBe('https://mine.openai.azure.com/openai/deployments/d');
  });
});

describe('an address that the deployment sets', () => {
  const cases: readonly [name: string, baseUrl: string, nativePath: string, nativeAddress: string, openAiAddress: string][] = [
    ['openai', 'http://h:1', '/v1/x', 'http://h:1/v1/x', 'http://h:1/v1/chat/completions'],
    ['openai', 'http://h:1/v1', '/v1/x', 'http://h:1/v1/x', 'http://h:1/v1/chat/completions'],
    ['openai', 'http://h:1/a/v1/', '/a/v1/x', 'http://h:1/a/v1/x', 'http://h:1/a/v1/chat/completions'],
    ['anthropic', 'http://h:1', '/v1/messages', 'http://h:1/v1/messages', 'http://h:1/v1/chat/completions'],
    ['anthropic', 'http://h:1/v1', '/v1/messages', 'http://h:1/v1/messages', 'http://h:1/v1/chat/completions'],
    ['gemini', 'http://h:1', '/v1beta/x', 'http://h:1/v1beta/x', 'http://h:1/v1beta/openai/chat/completions'],
    ['groq', 'http://h:1', '/openai/v1/x', 'http://h:1/openai/v1/x', 'http://h:1/v1/chat/completions'],
    ['perplexity', 'http://h:1', '/x', 'http://h:1/x', 'http://h:1/chat/completions'],
    ['cohere', 'http://h:1', '/v2/chat', 'http://h:1/v2/chat', 'http://h:1/compatibility/v1/chat/completions'],
    ['bedrock', 'http://h:1', '/model/m/invoke', 'http://h:1/model/m/invoke', 'http://h:1/openai/v1/chat/completions'],
    ['ollama', 'http://gpu:11434/v1', '/v1/x', 'http://gpu:11434/v1/x', 'http://gpu:11434/v1/chat/completions'],
    ['vertex', 'http://h:1', '/v1/projects/p/locations/l/x', 'http://h:1/v1/projects/p/locations/l/x', 'provider_address_missing'],
  ];
  for (const [name, baseUrl, path, nativeAddress, openAiAddress] of cases) {
    it(`${name} at ${baseUrl}`, () => {
      const providers = tableOf({ [name]: { baseUrl } });
      expect(native(`/${name}${path}`, providers)).toBe(nativeAddress);
      expect(String(codeOf(() => byModel(`${name}/m`, providers))).replace(/ m$/, '')).toBe(openAiAddress);
    });
  }
});

const admitted = (...providerCredentials: string[]): Authentication => ({
  principal: { organizationId: 'organization' as OrganizationId, keyId: 'key', keyHash: '', permissions: 'w' },
  providerCredentials,
});
/** An organisation that has stored keys for these providers. */
const storing = (keys: Readonly<Record<string, string>>): ProviderKeys => ({
  find: (_organizationId, provider) => keys[provider],
  providersOf: () => new Set(Object.keys(keys)),
});
const nothingStored = storing({});
const unasked: ProviderKeys = {
  find: () => {
    throw new Error('stored keys were asked');
  },
  providersOf: () => new Set(),
};

describe('whose credential goes along when the caller sends none', () => {
  const key = { key: 'K' };
  const cases: readonly [path: string, overrides: Readonly<Record<string, ProviderOverride>>, lines: unknown][] = [
    ['/openai/v1/x', { openai: key }, ['authorization', 'Bearer K']],
    ['/anthropic/v1/messages', { anthropic: key }, ['x-api-key', 'K']],
    ['/v1/messages', { anthropic: key }, ['x-api-key', 'K']],
    ['/gemini/v1beta/models', { gemini: key }, ['x-goog-api-key', 'K']],
    ['/gemini/v1beta/models?key=AIza', {}, []],
    ['/gemini/v1beta/models?key=', {}, 'no_provider_key'],
    ['/openai/v1/x?key=K', {}, 'no_provider_key'],
    ['/vertex/v1/publishers/google/models/m:generateContent', { vertex: key }, ['x-goog-api-key', 'K']],
    ['/azure/mine/openai/x', { azure: key }, 'no_provider_key'],
    ['/azure/openai/x', { azure: { key: 'K', baseUrl: 'https://mine.openai.azure.com' } }, ['api-key', 'K']],
    ['/bedrock/model/m/converse', { bedrock: key }, ['authorization', 'Bearer K']],
    ['/ollama/api/chat', {}, []],
    ['/vllm/v1/x', { vllm: key }, ['authorization', 'Bearer K']],
    ['/groq/v1/x', {}, 'no_provider_key'],
    ['/groq/v1/x', { openai: key }, 'no_provider_key'],
    ['/echo/v1/x', {}, []],
  ];
  for (const [path, overrides, lines] of cases) {
    it(`${path} with ${JSON.stringify(overrides)}`, () => {
      expect(codeOf(() => credentialsFor(routeByPath('POST', path, tableOf(overrides, local)), admitted(), nothingStored))).toEqual(lines);
    });
  }

  const stored: readonly [path: string, overrides: Readonly<Record<string, ProviderOverride>>, lines: unknown][] = [
    ['/openai/v1/x', { openai: key }, ['authorization', 'Bearer S']],
    ['/openai/v1/x', {}, ['authorization', 'Bearer S']],
    ['/v1/messages', {}, ['x-api-key', 'S']],
    ['/gemini/v1beta/models', {}, ['x-goog-api-key', 'S']],
    ['/vertex/v1/publishers/google/models/m:generateContent', {}, ['x-goog-api-key', 'S']],
    ['/bedrock/model/m/converse', {}, ['authorization', 'Bearer S']],
    ['/vllm/v1/x', {}, ['authorization', 'Bearer S']],
    ['/azure/openai/x', { azure: { baseUrl: 'https://mine.openai.azure.com' } }, ['api-key', 'S']],
    // Of a resource that a caller names nobody knows whose it is.
    ['/azure/mine/openai/x', {}, 'no_provider_key'],
    ['/groq/v1/x', { groq: key }, ['authorization', 'Bearer K']],
    ['/echo/v1/x', {}, []],
  ];
  const keys = storing({ openai: 'S', anthropic: 'S', gemini: 'S', vertex: 'S', bedrock: 'S', vllm: 'S', azure: 'S' });
  for (const [path, overrides, lines] of stored) {
    it(`${path} of an organisation that has stored keys, with ${JSON.stringify(overrides)}`, () => {
      expect(codeOf(() => credentialsFor(routeByPath('POST', path, tableOf(overrides, local)), admitted(), keys))).toEqual(lines);
    });
  }

  it('no stored key goes to an address that the caller names, be it a provider`s own', () => {
    const target = routeToTarget('https://api.openai.com/v1', '/chat/completions', makeTargetGuard(makeAllowList([])));
    expect([target.provider, credentialsFor(target, admitted(), unasked)]).toEqual(['openai', []]);
    expect(credentialsFor(target, admitted('X-Api-Key', 'mine'), unasked)).toEqual(['X-Api-Key', 'mine']);
  });

  it('on the OpenAI surface every provider takes a bearer token, Azure its own header', () => {
    const headers = addressedProviders.map((name) => {
      const found = tableOf({ [name]: { key: 'K', baseUrl: 'https://h' } }).find(name);
      return found?.openAi.deploymentCredentials?.join(': ');
    });
    expect(new Set(headers)).toEqual(new Set(['authorization: Bearer K', 'api-key: K']));
    expect(tableOf({ azure: { key: 'K', baseUrl: 'https://h' } }).find('azure')?.openAi.deploymentCredentials).toEqual(['api-key', 'K']);
  });

  it('a credential of the caller goes as it is, whatever the deployment has', () => {
    const route = routeByPath('POST', '/groq/v1/x', tableOf({ groq: key }));
    expect(credentialsFor(route, admitted('X-Api-Key', 'mine'), unasked)).toEqual(['X-Api-Key', 'mine']);
    const inQuery = routeByPath('POST', '/gemini/v1beta/models?key=AIza', tableOf({ gemini: key }));
    expect(credentialsFor(inQuery, admitted(), unasked)).toEqual([]);
  });

  it('to OpenAI`s surface itself go no headers in which only others take their keys', () => {
    const surface = routeByPath('POST', '/v1/files', tableOf({ openai: key }));
    const others = ['X-Api-Key', 'sk-ant-theirs', 'x-goog-api-key', 'AIza-theirs'];
    expect(credentialsFor(surface, admitted(...others), nothingStored)).toEqual(['authorization', 'Bearer K']);
    expect(credentialsFor(surface, admitted(...others, 'Authorization', 'Bearer theirs', 'api-key', 'a'), unasked)).toEqual([
      'Authorization',
      'Bearer theirs',
      'api-key',
      'a',
    ]);
    expect(codeOf(() => credentialsFor(routeByPath('POST', '/v1/files', tableOf()), admitted(...others), nothingStored))).toBe(
      'no_provider_key',
    );
    const claude = routeByModel(surface, 'claude/anthropic', tableOf())?.route ?? surface;
    // Anthropic gets its own, and Google's goes to Google.
    expect(credentialsFor(claude, admitted(...others), unasked)).toEqual(['X-Api-Key', 'sk-ant-theirs']);
  });

  it('the sentence about a missing one names the settings', () => {
    expect(() => credentialsFor(routeByPath('POST', '/azure/mine/x', tableOf()), admitted(), nothingStored)).toThrow(
      'or set GATELOG_PROVIDER_AZURE_URL for this deployment, so that a stored key or GATELOG_PROVIDER_AZURE_KEY belongs to a known address.',
    );
    expect(() => credentialsFor(routeByPath('POST', '/groq/v1/x', tableOf()), admitted(), nothingStored)).toThrow(
      'No key for the provider groq. Send your Gatelog key as "Svc-Auth: Bearer <Gatelog key>" and the provider\'s key as usual, or store one for your organisation with POST /v1/provider-keys of the API, or set GATELOG_PROVIDER_GROQ_KEY for this deployment.',
    );
  });
});
