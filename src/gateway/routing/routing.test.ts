import type { LookupFunction } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openAiAt, type Rig, type RigOptions, startRig, toThisMachine } from '../testing/gateway-harness.ts';
import { bodyOf, call, ourKey, type Provider, requestText, startProvider } from '../testing/raw-http.ts';

const json = 'Content-Type: application/json';
const ours = `Svc-Auth: Bearer ${ourKey}`;
const theirs = 'Authorization: Bearer caller-key';
const chat = (headers: readonly string[], body = '{"model":"openai/gpt-4o"}'): string =>
  requestText('POST /v1/chat/completions', [json, ...headers], body);

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

interface SeenProvider extends Provider {
  readonly bodies: string[];
}

/** A provider that answers everything with a small JSON body. */
async function okProvider(): Promise<SeenProvider> {
  const bodies: string[] = [];
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(body.toString());
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Content-Length', 11);
      response.end('{"ok":true}');
    });
  });
  opened.push(provider);
  return { ...provider, bodies };
}

async function rigWith(options: RigOptions): Promise<Rig> {
  const rig = await startRig(options);
  opened.push(rig);
  return rig;
}

describe('Svc-Target-Url', () => {
  it.each(['Svc-Target-Url', 'svc-target-url', 'Helicone-Target-Url', 'Helicone-OpenAI-Api-Base'])(
    '%s: the call goes there, bytes and path as they are, with the caller`s credential, and is on record as CUSTOM',
    async (header) => {
      const provider = await okProvider();
      const rig = await rigWith({ allowed: [`127.0.0.1:${provider.port}`], providers: { openai: { key: 'deployment' } } });
      const response = await call(rig.port, chat([ours, theirs, `${header}: http://127.0.0.1:${provider.port}/api/v1/`]));
      expect([response.status, response.body.toString()]).toEqual([200, '{"ok":true}']);
      const [seen] = provider.requests;
      expect([seen?.url, seen?.headers['authorization']]).toEqual(['/api/v1/chat/completions', 'Bearer caller-key']);
      expect(seen?.rawHeaders.some((line) => /^(?:svc|helicone)-/i.test(line))).toBe(false);
      // Only the model that names a provider of the gateway's own table is rewritten.
      expect(provider.bodies).toEqual(['{"model":"openai/gpt-4o"}']);
      const [exchange] = await rig.exchanges(1);
      expect(exchange?.open).toMatchObject({
        provider: 'custom',
        targetUrl: `http://127.0.0.1:${provider.port}/api/v1/chat/completions`,
        path: '/v1/chat/completions',
      });
    },
  );

  it('a path of any form is the target`s, also one that starts with a provider`s name, and /v1/models', async () => {
    const provider = await okProvider();
    const rig = await rigWith({ allowed: ['127.0.0.1'] });
    const target = `Svc-Target-Url: http://127.0.0.1:${provider.port}`;
    for (const path of ['/openai/v1/x?a=%2e', '/anything', '/v1/models', '/echo/v1/chat/completions']) {
      await call(rig.port, requestText(`GET ${path}`, [ours, theirs, target]));
    }
    expect(provider.requests.map(({ url }) => url)).toEqual(['/openai/v1/x?a=%2e', '/anything', '/v1/models', '/echo/v1/chat/completions']);
  });

  it('no key of the deployment goes there: without one of the caller`s the call goes without', async () => {
    const provider = await okProvider();
    const rig = await rigWith({
      allowed: ['127.0.0.1'],
      providers: { openai: { baseUrl: `http://127.0.0.1:${provider.port}/v1`, key: 'deployment' } },
    });
    const target = `Svc-Target-Url: http://127.0.0.1:${provider.port}/v1`;
    expect((await call(rig.port, chat([`Authorization: Bearer ${ourKey}`, target]))).status).toBe(200);
    expect(provider.requests[0]?.headers['authorization']).toBeUndefined();
    expect(JSON.stringify(provider.requests[0]?.rawHeaders)).not.toMatch(/deployment|sk-svc/);
  });

  it.each([
    ['https://api.groq.com/openai', 'groq'],
    ['https://mine.openai.azure.com/openai/deployments/d', 'azure'],
    ['https://llm.example', 'custom'],
  ])('a target at %s is on record as %s', async (address, provider) => {
    const rig = await rigWith({ resolve: toThisMachine });
    await call(rig.port, chat([ours, theirs, `Svc-Target-Url: ${address}`]));
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.provider, exchange?.open.targetUrl]).toEqual([provider, `${address}/v1/chat/completions`]);
  });

  it('a name is resolved and checked when the connection opens; the sentence does not say what it resolved to', async () => {
    const provider = await okProvider();
    const rig = await rigWith({ resolve: toThisMachine });
    const response = await call(rig.port, chat([ours, theirs, `Svc-Target-Url: https://rebinding.example:${provider.port}/v1`]));
    expect([response.status, JSON.parse(response.body.toString())]).toEqual([
      403,
      {
        error: {
          message: `The target is not on the public internet; write a public https address, or have rebinding.example:${provider.port} added to GATELOG_TARGET_ALLOWLIST.`,
          type: 'gatelog_error',
          param: null,
          code: 'target_not_allowed',
        },
      },
    ]);
    expect(provider.requests).toEqual([]);
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.end?.outcome, exchange?.responseHead?.status, exchange?.open.requestId]).toEqual([
      'refused',
      403,
      response.header('svc-id'),
    ]);
  });

  it('a name goes where the allow-list says, its Host unchanged', async () => {
    const provider = await okProvider();
    const rig = await rigWith({ resolve: toThisMachine, allowed: ['127.0.0.0/8'] });
    const response = await call(rig.port, chat([ours, theirs, `Svc-Target-Url: http://llm.example:${provider.port}`]));
    expect([response.status, provider.requests[0]?.headers.host]).toEqual([200, `llm.example:${provider.port}`]);
  });

  it('a connection of the deployment to the same host is not used for it', async () => {
    const provider = await okProvider();
    let asked = 0;
    const resolve: LookupFunction = (hostname, options, callback) => {
      asked += 1;
      toThisMachine(hostname, options, callback);
    };
    const rig = await rigWith({ resolve, providers: openAiAt(provider.port), allowed: ['localhost'] });
    await call(rig.port, chat([ours, theirs]));
    const target = `Svc-Target-Url: http://localhost:${provider.port}`;
    await call(rig.port, chat([ours, theirs, target]));
    await call(rig.port, chat([ours, theirs, target]));
    expect([provider.requests.length, asked]).toEqual([3, 1]);
  });

  const refused: readonly [address: string, status: number, code: string, sentence: RegExp][] = [
    ['http://127.0.0.1:8788', 403, 'target_not_allowed', /^Svc-Target-Url is not on the public internet; write .* 127\.0\.0\.1:8788 added/],
    ['https://[::1]/', 403, 'target_not_allowed', /\[::1\]:443 added to GATELOG_TARGET_ALLOWLIST\.$/],
    ['http://api.example.com/v1', 403, 'target_not_allowed', /^Svc-Target-Url uses plain http; .* api\.example\.com:80 added/],
    ['https://user:hush@api.example.com/v1', 422, 'invalid_directive', /^Svc-Target-Url holds a user name or password; send/],
    ['api.example.com', 422, 'invalid_directive', /^Svc-Target-Url is not an address; write one such as https:/],
    ['', 422, 'invalid_directive', /is not an address/],
  ];
  for (const [address, status, code, sentence] of refused) {
    it(`"${address}" is ${status}, on record, and nothing is called`, async () => {
      const provider = await okProvider();
      const rig = await rigWith({ providers: openAiAt(provider.port) });
      const response = await call(rig.port, chat([ours, theirs, `Svc-Target-Url: ${address}`]));
      const { error } = JSON.parse(response.body.toString()) as { error: { message: string } };
      expect([response.status, error]).toEqual([
        status,
        { message: expect.stringMatching(sentence) as string, type: 'gatelog_error', param: null, code },
      ]);
      const [exchange] = await rig.exchanges(1);
      expect([exchange?.open.provider, exchange?.open.targetUrl, exchange?.end?.outcome]).toEqual(['custom', '', 'refused']);
      expect([provider.requests.length, JSON.stringify(exchange).includes('hush')]).toEqual([0, false]);
    });
  }

  it('a path that climbs is refused there too', async () => {
    const rig = await rigWith({ allowed: ['127.0.0.1'] });
    const response = await call(rig.port, requestText('GET /a/%2e%2e/b', [ours, theirs, 'Svc-Target-Url: http://127.0.0.1:1/base']));
    expect(response.status).toBe(400);
  });

  it('a host that only the path names is checked as well, and shares its connections', async () => {
    const asked: string[] = [];
    const resolve: LookupFunction = (hostname, options, callback) => {
      asked.push(hostname);
      toThisMachine(hostname, options, callback);
    };
    const rig = await rigWith({ resolve });
    const paths = ['/azure/mine/openai/v1/models', '/vertex/v1/projects/p/locations/us-east5/endpoints/openapi/x'];
    const responses = await Promise.all(paths.map((path) => call(rig.port, requestText(`GET ${path}`))));
    const named = await call(rig.port, requestText('GET /x', ['Svc-Target-Url: https://mine.openai.azure.com']));
    expect([...responses, named].map(({ status, body }) => [status, body.includes('"target_not_allowed"')])).toEqual([
      [403, true],
      [403, true],
      [403, true],
    ]);
    expect(asked.toSorted()).toEqual(['mine.openai.azure.com', 'mine.openai.azure.com', 'us-east5-aiplatform.googleapis.com']);
  });

  it('many hosts: the connections of the last 256 are kept, the others go and are opened again', async () => {
    const provider = await okProvider();
    const resolved: string[] = [];
    const resolve: LookupFunction = (hostname, options, callback) => {
      resolved.push(hostname);
      toThisMachine(hostname, options, callback);
    };
    const rig = await rigWith({ resolve, allowed: ['127.0.0.1'] });
    const callHost = async (index: number): Promise<void> => {
      const response = await call(rig.port, chat([ours, theirs, `Svc-Target-Url: http://h${index}.example:${provider.port}`]));
      expect(response.status).toBe(200);
    };
    for (let index = 0; index < 257; index += 1) await callHost(index);
    expect(resolved.length).toBe(257);
    for (const index of [256, 0, 1]) await callHost(index);
    expect(resolved.slice(257)).toEqual(['h0.example', 'h1.example']);
  });
});

describe('other providers', () => {
  it('an Anthropic client by base address alone: our key in x-api-key, the deployment`s goes out, its own headers pass', async () => {
    const provider = await okProvider();
    const rig = await rigWith({ providers: { anthropic: { baseUrl: `http://127.0.0.1:${provider.port}`, key: 'sk-ant-deployment' } } });
    const head = [json, `x-api-key: ${ourKey}`, 'anthropic-version: 2023-06-01', 'anthropic-beta: a,b'];
    for (const path of ['/anthropic/v1/messages', '/v1/messages']) {
      await call(rig.port, requestText(`POST ${path}`, head, '{"model":"anthropic/claude"}'));
    }
    for (const seen of provider.requests) {
      expect([seen.url, seen.headers['x-api-key'], seen.headers['anthropic-version'], seen.headers['anthropic-beta']]).toEqual([
        '/v1/messages',
        'sk-ant-deployment',
        '2023-06-01',
        'a,b',
      ]);
    }
    expect(provider.bodies).toEqual(['{"model":"anthropic/claude"}', '{"model":"anthropic/claude"}']);
    expect((await rig.exchanges(2)).map(({ open }) => [open.provider, open.path])).toEqual([
      ['anthropic', '/anthropic/v1/messages'],
      ['anthropic', '/v1/messages'],
    ]);
  });

  it('provider/model: the body`s model is rewritten and goes to the OpenAI-compatible address with its own key', async () => {
    const provider = await okProvider();
    const at = { baseUrl: `http://127.0.0.1:${provider.port}`, key: 'K' };
    const rig = await rigWith({ providers: { gemini: at, anthropic: at } });
    for (const model of ['google/gemini-pro', 'claude/anthropic']) {
      await call(rig.port, chat([`Authorization: Bearer ${ourKey}`], `{"model":"${model}"}`));
    }
    expect(provider.requests.map(({ url, headers }) => [url, headers['authorization']])).toEqual([
      ['/v1beta/openai/chat/completions', 'Bearer K'],
      ['/v1/chat/completions', 'Bearer K'],
    ]);
    expect(provider.bodies).toEqual(['{"model":"gemini-pro"}', '{"model":"claude"}']);
    const opens = (await rig.exchanges(2)).map(({ open }) => [open.provider, open.model]);
    expect(opens).toEqual([
      ['gemini', 'gemini-pro'],
      ['anthropic', 'claude'],
    ]);
  });

  it('the model on record is the one that went out, unless the body is to be nowhere', async () => {
    const provider = await okProvider();
    const rig = await rigWith({ providers: openAiAt(provider.port) });
    const bodies = ['{"model":"openai/gpt-4o"}', '{"model":"gpt-4o"}', '{"model":"openai/gpt-4o,gpt-4o-mini"}'];
    for (const body of bodies) await call(rig.port, chat([ours, theirs], body));
    await call(rig.port, chat([ours, theirs, 'Svc-Omit-Request: strict']));
    expect((await rig.exchanges(4)).map(({ open }) => open.model)).toEqual(['gpt-4o', undefined, 'gpt-4o', undefined]);
  });

  it('a JSON body that is not read for its model goes to OpenAI, and svc-warning says so; other bodies say nothing', async () => {
    const provider = await okProvider();
    const rig = await rigWith({ providers: openAiAt(provider.port), limits: { routeMaxBytes: 1024 } });
    const body = `{"model":"groq/llama","x":"${'y'.repeat(2000)}"}`;
    const warningOf = async (headers: readonly string[], sent: string): Promise<string | undefined> =>
      (await call(rig.port, requestText('POST /v1/chat/completions', [ours, theirs, ...headers], sent))).header('svc-warning');
    expect(await warningOf([json], body)).toMatch(/by its path alone.*GATELOG_ROUTE_MAX_BYTES/);
    expect(await warningOf([json, 'Content-Encoding: gzip'], '{"model":"groq/llama"}')).toContain('compressed');
    expect(await warningOf([json, 'Content-Encoding: gzip', 'Svc-Retry-Enabled: true'], 'compressed')).toContain('compressed');
    expect(await warningOf(['Content-Type: multipart/form-data; boundary=b'], body)).toBeUndefined();
    expect(await warningOf([json], '{"model":"gpt-4o"}')).toBeUndefined();
    expect(provider.requests).toHaveLength(5);
  });

  it('a provider on this machine is 403 until the allow-list names it; then no key is needed', async () => {
    const rig = await rigWith({});
    const response = await call(rig.port, chat([`Authorization: Bearer ${ourKey}`], '{"model":"ollama/llama3"}'));
    expect([response.status, response.body.toString()]).toEqual([403, expect.stringContaining('127.0.0.1:11434')]);
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.provider, exchange?.end?.outcome]).toEqual(['ollama', 'refused']);
    const provider = await okProvider();
    const set = await rigWith({ providers: { ollama: { baseUrl: `http://127.0.0.1:${provider.port}/v1` } } });
    expect((await call(set.port, chat([`Authorization: Bearer ${ourKey}`], '{"model":"ollama/llama3"}'))).status).toBe(200);
    expect([provider.requests[0]?.url, provider.requests[0]?.headers['authorization']]).toEqual(['/v1/chat/completions', undefined]);
  });
});

function knownModels(name: string): readonly string[] {
  return [`${name}-small`, `${name}-large`];
}

describe('GET /v1/models', () => {
  // By `vertex/model` nobody is reached, whatever key there is: its paths name a project.
  const providers = {
    anthropic: { key: 'K' },
    openai: { key: 'K' },
    ollama: { baseUrl: 'http://127.0.0.1:1' },
    azure: {},
    vertex: { key: 'K' },
  };

  it('lists what is reached with our key alone, in OpenAI`s shape, and is on record', async () => {
    const rig = await rigWith({ providers, ports: { knownModels } });
    const response = await call(rig.port, requestText('GET /v1/models?limit=3', [`Authorization: Bearer ${ourKey}`]));
    const list = JSON.parse(response.body.toString()) as { object: string; data: { id: string }[] };
    expect([response.status, response.header('content-type'), list.object]).toEqual([200, 'application/json', 'list']);
    expect(list.data[0]).toEqual({ id: 'echo/echo', object: 'model', created: 0, owned_by: 'echo' });
    expect(list.data.map(({ id }) => id)).toEqual([
      'echo/echo',
      'openai/openai-small',
      'openai/openai-large',
      'anthropic/anthropic-small',
      'anthropic/anthropic-large',
      'ollama/ollama-small',
      'ollama/ollama-large',
    ]);
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.requestId, exchange?.open.provider, exchange?.responseHead?.status]).toEqual([
      response.header('svc-id'),
      'custom',
      200,
    ]);
  });

  it('gives a client of Anthropic the names that its own endpoint takes, in its shape', async () => {
    const rig = await rigWith({ providers, ports: { knownModels } });
    const lines = [`x-api-key: ${ourKey}`, 'anthropic-version: 2023-06-01'];
    const { body } = await call(rig.port, requestText('GET /v1/models?limit=1000', lines));
    const model = { object: 'model', created: 0, owned_by: 'anthropic', type: 'model', created_at: '1970-01-01T00:00:00Z' };
    expect(JSON.parse(body.toString())).toEqual({
      object: 'list',
      data: ['anthropic-small', 'anthropic-large'].map((id) => ({ ...model, id, display_name: id })),
      has_more: false,
      first_id: 'anthropic-small',
      last_id: 'anthropic-large',
    });
  });

  it('answers HEAD with the head alone, and forwards what is not the list', async () => {
    const provider = await okProvider();
    const rig = await rigWith({ providers: openAiAt(provider.port) });
    const head = await call(rig.port, requestText('HEAD /v1/models'));
    expect([head.status, head.body.length, Number(head.header('content-length')) > 0]).toEqual([200, 0, true]);
    await call(rig.port, requestText('GET /v1/models/gpt-4o'));
    await call(rig.port, requestText('DELETE /v1/models/ft'));
    await call(rig.port, requestText('GET /openai/v1/models'));
    expect(provider.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/models/gpt-4o',
      'DELETE /v1/models/ft',
      'GET /v1/models',
    ]);
  });
});
