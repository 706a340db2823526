import { gunzipSync, gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { afterEach, describe, expect, it } from 'vitest';
import { type Rig, type RigOptions, startRig } from '../testing/gateway-harness.ts';
import { bodyOf, call, ourKey, type Provider, requestText, startProvider } from '../testing/raw-http.ts';
import type { Observation } from '../../model/observation.ts';
import { AddressNotes } from './address-notes.ts';
import { addressMembersAt, readdressing } from './reply-addresses.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

describe('an address at the provider of a call is the gateway`s, by the way that the call went', () => {
  const origin = 'https://api.example';
  const cases: readonly (readonly [callPath: string, targetPath: string, address: string, ours: string | undefined])[] = [
    ['/v1/messages/batches', '/v1/messages/batches', '/v1/messages/batches/b/results', 'http://g/v1/messages/batches/b/results'],
    ['/anthropic/v1/messages/batches?x=1', '/v1/messages/batches?x=1', '/v1/a?b=%2F&c=1#d', 'http://g/anthropic/v1/a?b=%2F&c=1#d'],
    ['/azure/mine/openai/v1/a', '/openai/v1/a', '/openai/operations/1', 'http://g/azure/mine/openai/operations/1'],
    ['/v1/us-east-1/model/m/invoke', '/model/m/invoke', '/async-invoke/1', 'http://g/v1/us-east-1/async-invoke/1'],
    ['/together/v1/batches', '/v1/batches', '/v1/batches/1', 'http://g/together/v1/batches/1'],
    ['/a/v1/x', '/base/v1/x', '/base/v1/y', 'http://g/a/v1/y'],
    ['/a/v1/x', '/base/v1/x', '/base', 'http://g/a'],
    // Outside of what the gateway reaches there, or at the root, where other paths lead elsewhere.
    ['/a/v1/x', '/base/v1/x', '/other/y', undefined],
    ['/a/v1/x', '/base/v1/x', '/basement/y', undefined],
    ['/v1/chat/completions', '/openai/v1/chat/completions', '/openai/v1/y', undefined],
    ['/a/x', '/b/y', '/b/z', undefined],
  ];
  it.each(cases)('%s went to %s: %s', (callPath, path, address, ours) => {
    const target = { origin, basePath: '', path, lookUp: undefined, shown: '' };
    const readdress = readdressing({ callPath, target, ours: 'http://g' });
    expect(readdress(origin + address)).toBe(ours);
    expect(readdress(address)).toBe(ours?.slice('http://g'.length));
  });

  it.each([
    'https://api.example:8443/v1/x',
    'http://api.example/v1/x',
    'https://api.example.evil/v1/x',
    'https://evil/https://api.example/v1/x',
    '//evil/v1/x',
    'gs://api.example/v1/x',
    'v1/x',
    'https://[',
    '',
  ])('%s is another`s', (address) => {
    const target = { origin, basePath: '', path: '/v1/x', lookUp: undefined, shown: '' };
    expect(readdressing({ callPath: '/v1/x', target, ours: 'http://g' })(address)).toBeUndefined();
  });

  it.each([
    ['https://API.example:443/v1/x', 'http://g/v1/x'],
    ['https://user:pw@api.example/v1/x', 'http://g/v1/x'],
    ['//api.example/v1/x', 'http://g/v1/x'],
    ['https://api.example', 'http://g'],
  ])('%s is the same origin`s', (address, ours) => {
    const target = { origin, basePath: '', path: '/v1/x', lookUp: undefined, shown: '' };
    expect(readdressing({ callPath: '/v1/x', target, ours: 'http://g' })(address)).toBe(ours);
  });
});

it.each([
  ['anthropic', '/v1/messages/batches', ['results_url']],
  ['anthropic', '/v1/messages/batches?limit=2', ['results_url']],
  ['anthropic', '/v1/messages/batches/b', ['results_url']],
  ['anthropic', '/v1/messages/batches/b/cancel', ['results_url']],
  ['custom', '/deep/v1/messages/batches/b', ['results_url']],
  ['gemini', '/v1beta/files', ['downloadUri']],
  ['gemini', '/v1/files/f', ['downloadUri']],
  ['gemini', '/upload/v1beta/files?upload_id=1', ['downloadUri']],
  ['anthropic', '/v1/messages/batches/b/results', undefined],
  ['anthropic', '/v1/messages', undefined],
  ['openai', '/v1/files', undefined],
  ['openai', '/v1/batches', undefined],
  ['gemini', '/v1beta/files/f:download', undefined],
  ['gemini', '/v1beta/models/m:generateContent', undefined],
])('of %s, replies at %s hold addresses in %s', (provider, path, members) => {
  expect(addressMembersAt(provider, path)).toEqual(members);
});

interface Scene {
  readonly rig: Rig;
  readonly provider: Provider;
  readonly origin: string;
  /** The gateway as a caller reaches it. */
  readonly gateway: string;
}

type Answer = (origin: string, path: string, response: ServerResponse) => void;

async function scene(name: string, answer: Answer, options: RigOptions = {}): Promise<Scene> {
  const provider: Provider = await startProvider((request, response) => {
    void bodyOf(request).then(() => answer(`http://127.0.0.1:${provider.port}`, request.url ?? '', response));
  });
  const origin = `http://127.0.0.1:${provider.port}`;
  const rig = await startRig({ providers: { [name]: { baseUrl: origin, key: 'deployment' } }, ...options });
  opened.push(rig, provider);
  return { rig, provider, origin, gateway: `http://127.0.0.1:${rig.port}` };
}

const json = (response: ServerResponse, body: object | string): void => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
};

const line = JSON.stringify({
  custom_id: 'one',
  result: { type: 'succeeded', message: { id: 'msg', content: [], usage: { input_tokens: 1, output_tokens: 2 } } },
});

/** Anthropic, as far as its client needs it for batches. */
const batches: Answer = (origin, path, response) => {
  if (path.endsWith('/results')) {
    response.writeHead(200, { 'content-type': 'application/x-jsonl' }).end(`${line}\n${line}\n`);
    return;
  }
  const batch = { id: 'b', type: 'message_batch', processing_status: 'ended', results_url: `${origin}/v1/messages/batches/b/results` };
  json(response, path.includes('batches/') ? batch : { data: [batch, { ...batch, results_url: null }], has_more: false });
};

describe('the results of a batch', () => {
  it.each(['', '/anthropic'])('are read by Anthropic`s own client through the gateway%s, to which alone the key goes', async (base) => {
    const { rig, provider, gateway } = await scene('anthropic', batches);
    const client = new Anthropic({ baseURL: gateway + base, apiKey: ourKey, maxRetries: 0 });
    const lines: unknown[] = [];
    for await (const each of await client.messages.batches.results('b')) lines.push(each);
    expect(lines).toEqual([JSON.parse(line), JSON.parse(line)]);
    expect(provider.requests.map(({ url }) => url)).toEqual(['/v1/messages/batches/b', '/v1/messages/batches/b/results']);
    expect(JSON.stringify(provider.requests.map(({ rawHeaders }) => rawHeaders))).not.toContain(ourKey);
    const exchanges = await rig.exchanges(2);
    expect(exchanges.map(({ open }) => open.path)).toEqual([`${base}/v1/messages/batches/b`, `${base}/v1/messages/batches/b/results`]);
  });

  it('have the gateway`s address in a list too, and are on record with the provider`s', async () => {
    const { rig, gateway, origin } = await scene('anthropic', batches);
    const client = new Anthropic({ baseURL: gateway, apiKey: ourKey, maxRetries: 0 });
    const { data } = await client.messages.batches.list();
    expect(data.map(({ results_url: address }) => address)).toEqual([`${gateway}/v1/messages/batches/b/results`, null]);
    const [exchange] = await rig.exchanges(1);
    expect(String(exchange?.responseBody)).toContain(`"${origin}/v1/messages/batches/b/results"`);
    expect(exchange?.end?.responseBytes).toBe(exchange?.responseBody.length);
  });

  it('have the public address that the deployment names, whatever the caller says of its host', async () => {
    const { rig } = await scene('anthropic', batches, { ports: { publicUrl: 'https://llm.example.com/gateway' } });
    const response = await call(
      rig.port,
      requestText('GET /v1/messages/batches/b', ['X-Forwarded-Host: evil.example']).replace('Host: gateway', 'Host: evil.example'),
    );
    const { results_url: address } = JSON.parse(response.body.toString()) as { results_url: string };
    expect(address).toBe('https://llm.example.com/gateway/v1/messages/batches/b/results');
  });

  it('at an address that the caller names have it as well', async () => {
    const { rig, origin, gateway } = await scene('anthropic', batches, { allowed: ['127.0.0.1'] });
    const response = await call(rig.port, requestText('GET /v1/messages/batches/b', [`Svc-Target-Url: ${origin}`]));
    expect(response.body.toString()).toContain(`"${gateway}/v1/messages/batches/b/results"`);
  });

  it('keep an address elsewhere', async () => {
    const elsewhere = '{"results_url": "https://storage.example/results?sig=1"}';
    const { rig } = await scene('anthropic', (_origin, _path, response) => json(response, elsewhere));
    expect((await call(rig.port, requestText('GET /v1/messages/batches/b'))).body.toString()).toBe(elsewhere);
  });

  it('are asked for uncompressed; what is compressed all the same is compressed again', async () => {
    const { rig, provider, gateway } = await scene('anthropic', (origin, _path, response) => {
      const packed = gzipSync(`{"results_url":"${origin}/v1/messages/batches/b/results"}`);
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(packed);
    });
    const response = await call(rig.port, requestText('GET /v1/messages/batches/b', ['Accept-Encoding: gzip, br']));
    expect(provider.requests[0]?.headers['accept-encoding']).toBe('identity');
    expect(gunzipSync(response.body).toString()).toBe(`{"results_url":"${gateway}/v1/messages/batches/b/results"}`);
  });

  it('that are compressed, and those that have an address of a network of one`s own, are told to the operator, once', async () => {
    const told: Observation[] = [];
    const addressNotes = new AddressNotes({ observe: (observation) => told.push(observation), monotonic: () => 0 });
    const packed = Buffer.from('in a coding of its own');
    const { rig, gateway } = await scene(
      'anthropic',
      (origin, path, response) => {
        if (path.endsWith('/packed')) response.writeHead(200, { 'content-encoding': 'own' }).end(packed);
        else batches(origin, path, response);
      },
      { ports: { addressNotes } },
    );
    for (const id of ['b', 'packed', 'b', 'packed']) await call(rig.port, requestText(`GET /v1/messages/batches/${id}`));
    expect(told).toMatchObject([
      { kind: 'reply_addresses', reason: expect.stringContaining(`${gateway}, at which`) as string },
      { kind: 'reply_addresses', reason: expect.stringContaining('anthropic was compressed (own)') as string },
    ]);
    expect(told).toHaveLength(2);
  });

  it('no digest of other bytes passes with the body', async () => {
    const { rig } = await scene('anthropic', (origin, path, response) => {
      response.setHeader('content-md5', 'x').setHeader('Digest', 'y').setHeader('etag', 'z');
      batches(origin, path, response);
    });
    const response = await call(rig.port, requestText('GET /v1/messages/batches/b'));
    expect(['content-md5', 'digest', 'content-length', 'etag'].map(response.header)).toEqual([undefined, undefined, undefined, 'z']);
  });

  it('bodies of other paths pass as they are, with their length', async () => {
    const body = '{"results_url":"here"}';
    const { rig } = await scene('anthropic', (_origin, _path, response) => json(response, body));
    for (const path of ['/v1/messages/batches/b/results', '/v1/messages/count_tokens']) {
      const response = await call(rig.port, requestText(`GET ${path}`));
      expect([response.body.toString(), response.header('content-length')]).toEqual([body, String(body.length)]);
    }
  });
});

describe('addresses in headers', () => {
  it.each([
    ['Location', '/v1/x/1'],
    ['Operation-Location', '/v1/operations/1?api-version=2'],
    ['Azure-AsyncOperation', '/v1/operations/1'],
    ['Content-Location', '/v1/x'],
    ['X-Goog-Upload-URL', '/upload/v1beta/files?upload_id=u&upload_protocol=resumable'],
    ['X-Goog-Upload-Control-URL', '/upload/v1beta/files?upload_id=u'],
  ])('%s is the gateway`s, where it is the provider`s', async (name, path) => {
    let elsewhere = false;
    const { rig, gateway } = await scene('gemini', (origin, _path, response) => {
      response.writeHead(201, { [name]: elsewhere ? `https://other.example${path}` : origin + path }).end();
    });
    expect((await call(rig.port, requestText('POST /gemini/v1/x'))).header(name.toLowerCase())).toBe(`${gateway}/gemini${path}`);
    elsewhere = true;
    expect((await call(rig.port, requestText('POST /gemini/v1/x'))).header(name.toLowerCase())).toBe(`https://other.example${path}`);
  });

  it('each of a Link', async () => {
    const { rig, gateway } = await scene('gemini', (origin, _path, response) => {
      response.writeHead(200, { link: `<${origin}/v1/x?page=2>; rel="next", <https://a.example/b>; rel="help"` }).end();
    });
    const { header } = await call(rig.port, requestText('GET /gemini/v1/x'));
    expect(header('link')).toBe(`<${gateway}/gemini/v1/x?page=2>; rel="next", <https://a.example/b>; rel="help"`);
  });

  it('an upload of Google`s client goes on through the gateway', async () => {
    const { provider, gateway } = await scene('gemini', (origin, path, response) => {
      const begins = !path.includes('upload_id');
      response.setHeader('x-goog-upload-status', begins ? 'active' : 'final');
      if (begins) response.setHeader('x-goog-upload-url', `${origin}/upload/v1beta/files?upload_id=u`);
      json(response, {
        file: { name: 'files/f', uri: `${origin}/v1beta/files/f`, downloadUri: `${origin}/v1beta/files/f:download?alt=media` },
      });
    });
    const client = new GoogleGenAI({ apiKey: ourKey, httpOptions: { baseUrl: gateway } });
    const file = await client.files.upload({ file: new Blob(['a file'], { type: 'text/plain' }), config: { mimeType: 'text/plain' } });
    expect(provider.requests.map(({ url }) => url)).toEqual(['/upload/v1beta/files', '/upload/v1beta/files?upload_id=u']);
    // What goes back to Gemini in a call stays Google's.
    expect([file.uri?.startsWith(gateway), file.downloadUri]).toEqual([false, `${gateway}/v1beta/files/f:download?alt=media`]);
  });
});
