import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeAllowList } from '../../egress/allow-list.ts';
import { makeTargetGuard } from '../../egress/target-guard.ts';
import { makeProviderTable } from './provider-table.ts';
import { joinAddress, parseBaseUrl } from './base-url.ts';
import { originForm, type Route, routeByModel, routeByPath, routeToTarget } from './routes.ts';

const providers = makeProviderTable(
  {},
  { bedrockRegion: 'us-east-1', allowsLocal: () => false, targets: makeTargetGuard(makeAllowList([])) },
);
const bases = [
  'https://api.example',
  'https://api.example/',
  'https://api.example/v1',
  'http://127.0.0.1:9101/a/v1/',
  'https://api.example:8443/deep/path',
];

describe('where a call goes', () => {
  it.each([
    '/v1/request/query-clickhouse',
    '/v1/request/count/query',
    '/v1/session/query',
    '/v1/property/Team',
    '/v1/session?x=1',
    '/v1/provider-keys',
    '/v1/provider-keys/1',
    '/v1/rate-limits',
    '/v1/prices/apply',
    '/v1/redaction-rules',
    '/v1/api-keys',
    '/v1/trace/custom/log',
    '/v1/export?format=csv',
    '/v1/webhooks/1/test',
    '/v1/alerts/preview',
    '/v1/metrics/query',
    '/v1/user/query',
  ])('the paths of the API reach no provider: %s', (path) => {
    expect(() => routeByPath('POST', path, providers)).toThrow("This path is the API's");
  });

  it.each([
    '/v1/sessions',
    '/v1/users',
    '/v1/models/gpt-4o',
    '/v1/files',
    '/v1/organization/api_keys',
    '/v1/evals',
    '/v1/realtime/sessions',
  ])('paths that OpenAI has, or that only begin alike, do: %s', (path) => {
    expect(routeByPath('POST', path, providers).provider).toBe('openai');
  });

  it.each([
    ['POST', '/chat/completions', '/v1/chat/completions'],
    ['POST', '/responses?x=1', '/v1/responses?x=1'],
    ['GET', '/responses/resp_1', '/v1/responses/resp_1'],
    ['POST', '/embeddings', '/v1/embeddings'],
    ['POST', '/completions', '/v1/completions'],
    ['POST', '/images/generations', '/v1/images/generations'],
    ['POST', '/audio/speech', '/v1/audio/speech'],
    ['POST', '/moderations', '/v1/moderations'],
    ['GET', '/models/gpt-4o', '/v1/models/gpt-4o'],
  ])('%s %s is OpenAI`s under /v1', (method, path, routed) => {
    expect(routeByPath(method, path, providers)).toMatchObject({ provider: 'openai', path: routed, routedByModel: true });
  });

  it('what only begins like one of them is none; the list of models is answered here without /v1 too', () => {
    expect(() => routeByPath('POST', '/chat/completionsx', providers)).toThrow('No provider is reached');
    expect(() => routeByPath('POST', '/files', providers)).toThrow('No provider is reached');
    expect(routeByPath('GET', '/models', providers).destination).toBe('models');
  });

  it.each([
    '/v1/interactions',
    '/v1/interactions/i-1?stream=false',
    '/v1/cachedContents/c',
    '/v1/tunedModels',
    '/v1/fileSearchStores/s/documents',
    '/upload/v1/files',
    '/download/v1/files/a:download?alt=media',
    '/download/v1beta/files/a:download?alt=media',
    '/upload/v1beta/files',
  ])('%s is Gemini`s', (path) => {
    expect(routeByPath('GET', path, providers)).toMatchObject({ provider: 'gemini', path });
  });

  it.each([
    ['GET', '/v1/files'],
    ['POST', '/v1/files?uploadType=multipart'],
    ['GET', '/v1/files/a'],
    ['GET', '/v1/batches/1'],
    ['POST', '/v1/batches'],
    ['GET', '/v1/models'],
    ['GET', '/v1/models/m'],
    ['GET', '/v1/models/m/operations/o'],
    ['GET', '/v1/operations/o'],
  ])('%s %s is Gemini`s where its client calls, OpenAI`s or ours otherwise', (method, path) => {
    expect(routeByPath(method, path, providers, 'gemini')).toMatchObject({ provider: 'gemini', path });
    expect(routeByPath(method, path, providers).provider).toBe(path === '/v1/models' ? 'custom' : 'openai');
  });

  it.each(['chat/completions', 'responses', 'completions', 'embeddings', 'images/generations', 'audio/speech', 'moderations'])(
    '/v1/%s is OpenAI`s, in whosever header the key stands',
    (path) => {
      for (const client of ['gemini', 'anthropic']) expect(routeByPath('POST', `/v1/${path}`, providers, client).provider).toBe('openai');
    },
  );

  it('a region of Amazon`s before a model is Bedrock`s address there', () => {
    const { destination, ...route } = routeByPath('POST', '/v1/ap-southeast-2/model/m%3A0/converse-stream', providers);
    expect(route).toEqual({ provider: 'bedrock', path: '/model/m%3A0/converse-stream', routedByModel: false, region: 'ap-southeast-2' });
    expect(typeof destination === 'string' ? '' : destination.target(route.path).shown).toBe(
      'https://bedrock-runtime.ap-southeast-2.amazonaws.com/model/m%3A0/converse-stream',
    );
    for (const path of ['/v1/us-east-1.evil/model/x', '/v1/us/model/x', '/v1/us-east-1/files']) {
      expect(routeByPath('POST', path, providers).provider).toBe('openai');
    }
  });

  it('no request target leaves the provider`s origin or base path (seed 11)', () => {
    const pieces = fc.constantFrom(
      '/',
      '//',
      '..',
      '.',
      '%2e',
      '%2E%2e',
      '%2f',
      '\\',
      '@',
      ':',
      '#',
      '?',
      ';',
      'evil.example',
      'http:',
      'https://',
      'v1',
      '/v1/',
      '/openai/',
      'openai',
      '%',
      '\u00e9',
      '%00',
    );
    const targets = fc.array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          targets,
          targets.map((rest) => `/v1/${rest}`),
          targets.map((rest) => `/openai/${rest}`),
        ),
        fc.constantFrom(...bases),
        (target, baseUrl) => {
          let path: string;
          try {
            path = routeByPath('POST', originForm(target), providers).path;
          } catch {
            return;
          }
          const base = new URL(baseUrl);
          const joined = joinAddress(parseBaseUrl(baseUrl), path);
          expect(joined.origin).toBe(base.origin);
          expect(joined.path).not.toContain('#');
          // However a server resolves it, as `URL` does or after decoding once more, it stays below the base.
          const pathname = joined.path.split('?', 1)[0] ?? '';
          for (const read of [pathname, pathname.replaceAll(/%2e/gi, '.').replaceAll(/%2f/gi, '/')]) {
            const resolved = new URL(base.origin + read);
            expect(resolved.origin).toBe(base.origin);
            expect(`${resolved.pathname}/`.startsWith(base.pathname.replace(/\/*$/, '/'))).toBe(true);
          }
        },
      ),
      { seed: 11, numRuns: 3000 },
    );
  });

  it('a model names a provider only where it is one', () => {
    const route: Route = { provider: 'openai', destination: providers.openAi, path: '/v1/x', routedByModel: true };
    const read = (model: string): readonly (string | undefined)[] => {
      const found = routeByModel(route, model, providers);
      return [found?.route.provider, found?.model];
    };
    expect(['openai/gpt', 'gpt/openai', 'echo/a/b', 'a/b/echo', 'a/b', 'gpt', '/openai', 'openai/', 'echo/openai'].map(read)).toEqual([
      ['openai', 'gpt'],
      ['openai', 'gpt'],
      ['echo', 'a/b'],
      ['echo', 'a/b'],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
      ['echo', 'openai'],
    ]);
  });
});

describe('whose an address that the caller names is', () => {
  const guard = makeTargetGuard(makeAllowList(['api.openai.com', '127.0.0.1']));
  const providerAt = (address: string): string => routeToTarget(address, '/x', guard).provider;

  it.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://API.OpenAI.com./v1', 'openai'],
    ['https://api.anthropic.com:443', 'anthropic'],
    ['https://api.groq.com/openai', 'groq'],
    ['https://generativelanguage.googleapis.com', 'gemini'],
    ['https://aiplatform.googleapis.com', 'vertex'],
    ['https://europe-west4-aiplatform.googleapis.com', 'vertex'],
    ['https://aiplatform.eu.rep.googleapis.com', 'vertex'],
    ['https://mine.openai.azure.com/openai/deployments/d', 'azure'],
    ['https://bedrock-runtime.us-east-1.amazonaws.com', 'bedrock'],
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://api.openai.com:8443/v1', 'custom'],
    ['http://api.openai.com/v1', 'custom'],
    ['https://api.openai.com.evil.example', 'custom'],
    ['https://a.b.openai.azure.com', 'custom'],
    ['https://s3.us-east-1.amazonaws.com', 'custom'],
    ['https://llm.example/api.openai.com', 'custom'],
    // Which program answers at a port of this machine nobody knows.
    ['http://127.0.0.1:11434', 'custom'],
  ])('%s is %s', (address, provider) => {
    expect(providerAt(address)).toBe(provider);
  });

  it('every provider with an address of its own is known by it', () => {
    const unknown = providers.all
      .filter(({ isRoutable }) => isRoutable)
      .map(({ name, native: { target } }) => [name, target('/x').origin] as const)
      .filter(([name, origin]) => providerAt(origin) !== name);
    expect(unknown).toEqual([]);
  });
});
