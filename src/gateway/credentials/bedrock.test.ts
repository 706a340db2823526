import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, rigWith, type ScriptedProvider, scripted } from '../testing/scripted-provider.ts';
import { signAws } from './aws-signature.ts';
import type { Rig, RigOptions } from '../testing/gateway-harness.ts';
import { call, ourKey, type RawResponse, requestText } from '../testing/raw-http.ts';

afterEach(closeAll);

const keys = ['aws-access-key: AKIDEXAMPLE', 'aws-secret-key: very-secret', 'aws-session-token: passing-token'];
const json = 'Content-Type: application/json';
/** What the caller's own client signed, for the gateway's host. */
const oldSignature = [
  'Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=00',
  'X-Amz-Date: 20261101T000000Z',
  'X-Amz-Content-Sha256: 00',
  'X-Amz-Security-Token: passing-token',
];
const path = '/v1/eu-central-1/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse';

interface Scene {
  readonly rig: Rig;
  readonly bedrock: ScriptedProvider;
  readonly other: ScriptedProvider;
}

const at = ({ port }: ScriptedProvider): { baseUrl: string; key: string } => ({ baseUrl: `http://127.0.0.1:${port}`, key: 'deployment' });

async function scene(options: RigOptions = {}): Promise<Scene> {
  const [bedrock, other] = await Promise.all([scripted(200), scripted(200)]);
  const rig = await rigWith({
    providers: { openai: at(other), groq: at(other), gemini: at(other), bedrock: at(bedrock) },
    allowed: [`127.0.0.1:${other.port}`],
    ...options,
  });
  return { rig, bedrock, other };
}

const post = async ({ rig }: Scene, to: string, headers: readonly string[], body = '{"messages":[]}'): Promise<RawResponse> =>
  call(rig.port, requestText(`POST ${to}`, [json, `Svc-Auth: Bearer ${ourKey}`, ...headers], body));

describe('a call to Bedrock with the keys of an account', () => {
  it('is signed with them, for the region in its path; they themselves go nowhere', async () => {
    const where = await scene();
    const response = await post(where, path, [...keys, ...oldSignature]);
    const [heard] = where.bedrock.requests;
    const date = String(heard?.headers['x-amz-date']);
    expect([response.status, heard?.url]).toEqual([200, path.slice('/v1/eu-central-1'.length)]);
    const expected = signAws(
      { accessKey: 'AKIDEXAMPLE', secretKey: 'very-secret', sessionToken: 'passing-token' },
      { method: 'POST', host: `127.0.0.1:${where.bedrock.port}`, path: heard?.url ?? '', body: Buffer.from('{"messages":[]}') },
      { region: 'eu-central-1', service: 'bedrock', at: Date.parse(date.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')) },
    );
    expect([heard?.headers['authorization'], heard?.headers['x-amz-security-token']]).toEqual([expected.at(-1), 'passing-token']);
    const lines = heard?.rawHeaders.join('\n').toLowerCase() ?? '';
    expect([lines.includes('very-secret'), lines.includes('aws-access-key'), lines.includes('aws-session-token')]).toEqual([
      false,
      false,
      false,
    ]);
    expect([lines.match(/^x-amz-date$/gm)?.length, lines.includes('x-amz-content-sha256')]).toEqual([1, false]);
    expect(JSON.stringify(await where.rig.exchanges(1))).not.toMatch(/very-secret|passing-token|AKIDEXAMPLE/);
  });

  it('by its model too: what is signed is the body as it goes out', async () => {
    const where = await scene();
    const response = await post(where, '/v1/chat/completions', keys, '{"model":"bedrock/amazon.nova-lite-v1:0"}');
    expect([response.status, where.bedrock.bodies]).toEqual([200, ['{"model":"amazon.nova-lite-v1:0"}']]);
    expect(where.bedrock.heard('authorization')[0]).toMatch(/\/us-east-1\/bedrock\/aws4_request/);
  });

  it('half of a pair is told, and a body that cannot be held', async () => {
    const where = await scene({ limits: { routeMaxBytes: 64 } });
    const half = await post(where, path, ['aws-access-key: AKIDEXAMPLE']);
    const long = await post(where, path, keys, `{"messages":[${' '.repeat(100)}]}`);
    expect([half.status, half.body.toString(), long.status, where.bedrock.requests]).toEqual([
      400,
      expect.stringContaining('aws-secret-key'),
      413,
      [],
    ]);
  });

  it('without keys it gets the deployment`s key, and the region of the path is Amazon`s own where no address is set', async () => {
    const where = await scene();
    await post(where, path, []);
    expect(where.bedrock.heard('authorization')).toEqual(['Bearer deployment']);
  });
});

describe('the keys of an account at Amazon', () => {
  it.each([
    ['OpenAI`s surface', '/v1/chat/completions', []],
    ['another provider by its model', '/v1/chat/completions', ['groq']],
    ['another provider`s path', '/groq/v1/chat/completions', []],
    ['an address that the caller names', '/v1/chat/completions', ['target']],
  ])('go to nobody else: %s', async (_name, to, how) => {
    const where = await scene();
    const target = how.includes('target') ? [`Svc-Target-Url: http://127.0.0.1:${where.other.port}`] : [];
    const response = await post(
      where,
      to,
      [...keys, ...oldSignature, ...target],
      how.includes('groq') ? '{"model":"groq/m"}' : '{"model":"m"}',
    );
    const lines = where.other.requests[0]?.rawHeaders.join('\n') ?? '';
    expect([response.status, response.header('svc-warning')]).toEqual([200, expect.stringContaining('Bedrock only')]);
    expect(lines).not.toMatch(/very-secret|passing-token|aws-(?:access|secret|session)|x-amz-security/i);
    expect(lines.includes('Bearer deployment')).toBe(target.length === 0);
    expect(JSON.stringify(await where.rig.exchanges(1))).not.toMatch(/very-secret|passing-token/);
  });
});

it('a credential in a header of one provider`s goes to no other on OpenAI`s surface', async () => {
  const where = await scene();
  await post(where, '/v1/chat/completions', ['x-goog-api-key: google', 'x-api-key: anthropic', 'api-key: azure'], '{"model":"groq/m"}');
  await post(where, '/v1/chat/completions', ['x-goog-api-key: google'], '{"model":"gemini/m"}');
  const [groq, gemini] = where.other.requests.map(({ headers }) => ({
    authorization: headers['authorization'],
    google: headers['x-goog-api-key'],
    anthropic: headers['x-api-key'],
    azure: headers['api-key'],
  }));
  expect([groq, gemini]).toEqual([{ authorization: 'Bearer deployment' }, { google: 'google' }]);
});
