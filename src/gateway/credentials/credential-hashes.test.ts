import { afterEach, describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { wireFormatFor } from '../../providers/registry.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { signAws } from './aws-signature.ts';
import { principal, type Rig } from '../testing/gateway-harness.ts';
import { call, openClient, ourKey, requestText } from '../testing/raw-http.ts';
import { closeAll, fallbacks, rigWith, scene as threeProviders, type ScriptedProvider, scripted } from '../testing/scripted-provider.ts';

afterEach(closeAll);

interface Scene {
  readonly rig: Rig;
  readonly provider: ScriptedProvider;
}

async function scene(): Promise<Scene> {
  const provider = await scripted(200);
  const at = (key?: string) => ({ baseUrl: `http://127.0.0.1:${provider.port}`, ...(key === undefined ? {} : { key }) });
  const providers = { openai: at('deployment'), azure: at('deployment'), gemini: at(), bedrock: at(), vllm: at(), anthropic: at('other') };
  return { provider, rig: await rigWith({ providers, allowed: [`127.0.0.1:${provider.port}`] }) };
}

/** The hashes on record of calls, in their order. @param calls request line and headers. */
async function hashesOf({ rig }: Scene, calls: readonly (readonly [line: string, ...headers: string[]])[]) {
  for (const [line, ...headers] of calls) {
    const body = line.startsWith('GET') ? '' : '{"model":"m","background":true}';
    await call(rig.port, requestText(line, ['Content-Type: application/json', `Svc-Auth: Bearer ${ourKey}`, ...headers], body));
  }
  return (await rig.exchanges(calls.length)).map(({ open }) => open.credentialHash);
}

const signed = (keyId: string, at: number): string[] => {
  const lines = signAws(
    { accessKey: keyId, secretKey: 'secret', sessionToken: undefined },
    { method: 'GET', host: 'bedrock', path: '/v1/responses/a', body: Buffer.alloc(0) },
    { region: 'us-east-1', service: 'bedrock', at },
  );
  return lines.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${lines[index + 1] ?? ''}`] : []));
};

describe('the hash of a credential', () => {
  it.each<[string, ...(readonly [line: string, ...headers: string[]])[]]>([
    ['a bearer', ['POST /v1/responses', 'Authorization: Bearer sk-1'], ['GET /v1/responses/a?include[]=x', 'authorization: bearer  sk-1']],
    [
      'a key in another header',
      ['POST /azure/openai/v1/responses', 'Authorization: Bearer k'],
      ['GET /azure/openai/v1/responses/a', 'api-key: k'],
    ],
    [
      'a key in the query',
      ['POST /v1beta/interactions?key=AI%2Fza', 'x-goog-api-client: x'],
      ['GET /v1beta/interactions/a', 'x-goog-api-key: AI/za'],
    ],
    [
      'a key of the deployment',
      ['POST /v1/responses'],
      ['GET /v1/responses/a'],
      ['GET /v1/responses/a', 'Authorization: Bearer deployment'],
    ],
    ['no key', ['POST /vllm/v1/responses'], ['GET /vllm/v1/responses/a']],
    [
      'two keys in another order',
      ['POST /azure/v1/responses', 'api-key: a', 'Authorization: Bearer b'],
      ['GET /azure/v1/responses/a', 'Authorization: Bearer b', 'api-key: a'],
    ],
    [
      'signatures with one key of an account',
      ['POST /bedrock/openai/v1/responses', ...signed('AKIAONE', 0)],
      ['GET /bedrock/openai/v1/responses/a', ...signed('AKIAONE', 9e9)],
    ],
  ])('is the same for %s', async (_what, ...calls) => {
    const hashes = await hashesOf(await scene(), calls);
    expect(hashes[0]).toMatch(/^[\w-]{22}$/);
    expect(new Set(hashes).size).toBe(1);
  });

  it.each<[string, ...(readonly [line: string, ...headers: string[]])[]]>([
    ['a bearer', ['GET /v1/responses/a', 'Authorization: Bearer sk-1'], ['GET /v1/responses/a', 'Authorization: Bearer sk-2']],
    ['none', ['GET /vllm/v1/responses/a'], ['GET /vllm/v1/responses/a', 'Authorization: Bearer sk-2']],
    ['a key in the query', ['GET /v1beta/interactions/a?key=one'], ['GET /v1beta/interactions/a?key=two']],
    ['a second key', ['GET /azure/v1/responses/a', 'api-key: a'], ['GET /azure/v1/responses/a', 'api-key: a', 'Authorization: Bearer b']],
    [
      'the account',
      ['GET /bedrock/openai/v1/responses/a', ...signed('AKIAONE', 0)],
      ['GET /bedrock/openai/v1/responses/a', ...signed('AKIATWO', 0)],
    ],
    [
      'a header that only its address knows',
      ['GET /vllm/v1/responses/a', 'Ocp-Apim-Subscription-Key: a'],
      ['GET /vllm/v1/responses/a', 'Ocp-Apim-Subscription-Key: b'],
    ],
  ])('differs by %s', async (_what, ...calls) => {
    expect(new Set(await hashesOf(await scene(), calls)).size).toBe(calls.length);
  });

  it('says nothing about other headers', async () => {
    const known = ['Authorization: Bearer sk-1'] as const;
    const hashes = await hashesOf(await scene(), [
      ['POST /v1/responses', ...known, 'Idempotency-Key: 1', 'Cookie: __cf_bm=1', 'OpenAI-Project: p'],
      ['GET /v1/responses/a', ...known],
    ]);
    expect(new Set(hashes).size).toBe(1);
  });

  it('changes with the caller on one connection', async () => {
    const { rig } = await scene();
    const client = await openClient(rig.port);
    for (const [index, key] of ['one', 'two', 'one'].entries()) {
      client.send(requestText('GET /v1/responses/a', [`Svc-Auth: Bearer ${ourKey}`, `Authorization: Bearer ${key}`]));
      await client.until(`"answer":${index + 1}`);
    }
    client.socket.end();
    const [first, second, third] = (await rig.exchanges(3)).map(({ open }) => open.credentialHash);
    expect([first === third, first === second]).toEqual([true, false]);
  });

  it('belongs to one organisation', async () => {
    const { rig } = await scene();
    const sent = { credentials: ['authorization', 'Bearer a'], passed: [], target: { path: '/v1/responses' } };
    const hashOf = (id: string) => rig.ports.credentialHashes.of({}, id as OrganizationId, sent as never);
    expect(hashOf(principal.organizationId)).not.toBe(hashOf('01890000-0000-7000-8000-000000000002'));
  });

  it('is of the target that answered', async () => {
    const where = await threeProviders();
    const calls = [
      ['Authorization: Bearer sk-1', fallbacks({ provider: 'groq' })],
      [`Svc-Target-Url: http://127.0.0.1:${where.third.port}`, 'Authorization: Bearer deployment-groq'],
      ['Authorization: Bearer sk-1'],
    ];
    for (const headers of calls) {
      const sent = ['Content-Type: application/json', `Svc-Auth: Bearer ${ourKey}`, ...headers];
      await call(where.rig.port, requestText('POST /v1/responses', sent, '{"model":"m"}'));
    }
    const [fallback, straight, first] = (await where.rig.exchanges(3)).map(({ open }) => open.credentialHash);
    expect([fallback === straight, fallback === first]).toEqual([true, false]);
  });

  it('is on no record of a call that completes none and that none completes', async () => {
    const hashes = await hashesOf(await scene(), [
      ['POST /v1/chat/completions', 'Authorization: Bearer sk-1'],
      ['GET /v1/models/responses-1', 'Authorization: Bearer sk-1'],
      ['GET /v1/batches/b', 'Authorization: Bearer sk-1'],
      ['POST /echo/v1/responses', 'Authorization: Bearer sk-1'],
    ]);
    expect(hashes).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('keeps the credential out of the record', async () => {
    const where = await scene();
    await hashesOf(where, [['POST /v1/responses?api_key=very-secret', 'Authorization: Bearer very-secret', 'api-key: very-secret']]);
    expect(JSON.stringify(await where.rig.exchanges(1))).not.toContain('very-secret');
  });
});

it.each(wireProfile.backgroundPaths)('calls to %s are read as responses that may come in the background', (path) => {
  expect(['openai.responses', 'google.interactions']).toContain(wireFormatFor('custom', path)?.name);
});
