import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type HttpOptions } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rig, startRig } from '../testing/gateway-harness.ts';
import { bodyOf, ourKey, type Provider, startProvider } from '../testing/raw-http.ts';

const names = ['openai', 'anthropic', 'gemini', 'vertex'] as const;
const providers: Provider[] = [];
let rig: Rig;

beforeAll(async () => {
  const settings: Record<string, { baseUrl: string; key: string }> = {};
  for (const name of names) {
    const provider = await startProvider((request, response) => {
      void bodyOf(request).then(() => {
        response.setHeader('Content-Type', 'application/json');
        // As Gemini answers an upload. Google's client puts its base host in the place of the one here.
        response.setHeader('X-Goog-Upload-URL', 'http://127.0.0.1:1/upload/v1beta/files?upload_id=u');
        response.setHeader('X-Goog-Upload-Status', 'final');
        response.end('{"data":[]}');
      });
    });
    providers.push(provider);
    settings[name] = { baseUrl: `http://127.0.0.1:${provider.port}`, key: `deployment-${name}` };
  }
  rig = await startRig({ providers: settings });
});

afterAll(async () => {
  await rig.close();
  for (const provider of providers) await provider.close();
});

/** The provider that got the calls of this, their paths, and the key that went along; no other provider got any. */
async function callsOf(use: () => PromiseLike<unknown>): Promise<readonly string[]> {
  const before = providers.map(({ requests }) => requests.length);
  // What the providers here answer is not what every method can read.
  await Promise.resolve(use()).catch(() => undefined);
  return providers.flatMap(({ requests }, index) =>
    requests
      .slice(before[index])
      .map(
        ({ method, url, headers }) =>
          `${names[index]} ${method} ${url} ${String(headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization)}`,
      ),
  );
}

type Use = readonly [name: string, use: () => PromiseLike<unknown>, called: readonly string[]];

const anthropic = (): Anthropic => new Anthropic({ baseURL: `http://127.0.0.1:${rig.port}`, apiKey: ourKey, maxRetries: 0 });
const google = (version: HttpOptions = {}, vertexai = false): GoogleGenAI =>
  new GoogleGenAI({ vertexai, apiKey: ourKey, httpOptions: { baseUrl: `http://127.0.0.1:${rig.port}`, ...version } });

describe('an official client with the gateway`s address and a Gatelog key alone: all that it calls is its own provider`s', () => {
  const generate = { model: 'gemini-2.5-flash', contents: 'Hello' };
  const file = new Blob(['a file'], { type: 'text/plain' });

  const uses: readonly Use[] = [
    ['the models, whose list is the gateway`s own', () => anthropic().models.list(), []],
    ['one of Anthropic`s', () => anthropic().models.retrieve('claude-x'), ['anthropic GET /v1/models/claude-x deployment-anthropic']],
    ['its files', () => anthropic().beta.files.list(), ['anthropic GET /v1/files deployment-anthropic']],
    [
      'a file for it',
      () => anthropic().beta.files.upload({ file: new File(['a file'], 'a.txt') }),
      ['anthropic POST /v1/files deployment-anthropic'],
    ],
    [
      'an upload to Gemini',
      () => google().files.upload({ file, config: { mimeType: 'text/plain' } }),
      ['gemini POST /upload/v1beta/files deployment-gemini', 'gemini POST /upload/v1beta/files?upload_id=u deployment-gemini'],
    ],
    [
      'Gemini`s stable version',
      () => google({ apiVersion: 'v1' }).models.generateContent(generate),
      ['gemini POST /v1/models/gemini-2.5-flash:generateContent deployment-gemini'],
    ],
    [
      'its newest version',
      () => google({ apiVersion: 'v1alpha' }).models.generateContent(generate),
      ['gemini POST /v1alpha/models/gemini-2.5-flash:generateContent deployment-gemini'],
    ],
    ...(['v1', 'v1beta'] as const).flatMap((version): readonly Use[] => {
      const client = (): GoogleGenAI => google({ apiVersion: version });
      const to = (method: string, path: string): string => `gemini ${method} /${version}/${path} deployment-gemini`;
      return [
        [`${version}: the list of models`, () => client().models.list(), [to('GET', 'models')]],
        [`${version}: a model`, () => client().models.get({ model: 'gemini-x' }), [to('GET', 'models/gemini-x')]],
        [
          `${version}: a stream`,
          () => client().models.generateContentStream(generate),
          [to('POST', 'models/gemini-2.5-flash:streamGenerateContent?alt=sse')],
        ],
        [
          `${version}: embeddings`,
          () => client().models.embedContent({ model: 'gemini-embedding-001', contents: 'a' }),
          [to('POST', 'models/gemini-embedding-001:batchEmbedContents')],
        ],
        [`${version}: files`, () => client().files.list(), [to('GET', 'files')]],
        [`${version}: a file`, () => client().files.get({ name: 'files/a' }), [to('GET', 'files/a')]],
        [`${version}: its end`, () => client().files.delete({ name: 'files/a' }), [to('DELETE', 'files/a')]],
        [`${version}: caches`, () => client().caches.list(), [to('GET', 'cachedContents')]],
        [`${version}: a cache`, () => client().caches.create({ model: 'gemini-x', config: {} }), [to('POST', 'cachedContents')]],
        [`${version}: batches`, () => client().batches.list(), [to('GET', 'batches')]],
        [`${version}: a batch`, () => client().batches.get({ name: 'batches/1' }), [to('GET', 'batches/1')]],
        [`${version}: its cancellation`, () => client().batches.cancel({ name: 'batches/1' }), [to('POST', 'batches/1:cancel')]],
        [`${version}: an interaction`, () => client().interactions.get('i-1'), [to('GET', 'interactions/i-1?stream=false')]],
      ];
    }),
    [
      'Vertex AI with a key',
      () => google({}, true).models.generateContent(generate),
      ['vertex POST /v1beta1/publishers/google/models/gemini-2.5-flash:generateContent deployment-vertex'],
    ],
  ];
  for (const [name, use, called] of uses) {
    it(name, async () => {
      expect(await callsOf(use)).toEqual(called);
    });
  }
});

const got = (path: string, headers: Readonly<Record<string, string>>) =>
  callsOf(() => fetch(`http://127.0.0.1:${rig.port}${path}`, { headers }).then((response) => response.text()));

describe('Google`s client, by its header alone', () => {
  const client = { 'x-goog-api-client': 'google-genai-sdk/3.2.0 gl-node/22', authorization: `Bearer ${ourKey}` };
  it.each(['/v1/files', '/v1/batches/1', '/v1/models/m', '/v1/operations/o'])('reaches Gemini at %s', async (path) => {
    expect(await got(path, client)).toEqual([`gemini GET ${path} deployment-gemini`]);
    const { 'x-goog-api-client': _client, ...others } = client;
    expect(await got(path, others)).toEqual([`openai GET ${path} Bearer deployment-openai`]);
  });
});
