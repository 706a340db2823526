import { afterEach, describe, expect, it } from 'vitest';
import { type Rig, startRig } from '../testing/gateway-harness.ts';
import { call, ourKey, type Provider, requestText, startProvider } from '../testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

async function started(): Promise<{ rig: Rig; provider: Provider; target: string }> {
  const provider = await startProvider((request, response) => {
    request.resume();
    response.end('{}');
  });
  const address = `127.0.0.1:${provider.port}`;
  const rig = await startRig({ allowed: [address] });
  opened.push(rig, provider);
  return { rig, provider, target: `http://${address}` };
}

/** What the provider heard, the lines that every call has left out. */
const heardBy = ({ requests: [request] }: Provider): readonly string[] => {
  const lines = request?.rawHeaders ?? [];
  const names = lines.filter((_part, index) => index % 2 === 0);
  const pairs = names.map((name, index) => `${name}: ${lines[index * 2 + 1]}`);
  return pairs.filter((line) => !/^(?:host|connection):/i.test(line));
};

describe('a key of ours reaches no provider and no record', () => {
  const auth = `Svc-Auth: Bearer ${ourKey}`;
  const inBasic = Buffer.from(`x:${ourKey}`).toString('base64');
  const callers: readonly [what: string, headers: readonly string[], heard: readonly string[]][] = [
    ['as an Authorization without its scheme', [auth, `Authorization: ${ourKey}`], []],
    ['as a bearer in api-key', [auth, `api-key: Bearer ${ourKey}`], []],
    ['as a bearer in x-api-key, beside the accepted one', [`Authorization: Bearer ${ourKey}`, `x-api-key: Bearer ${ourKey}`], []],
    ['after a tab', [`Authorization: Bearer ${ourKey}, Bearer\t${ourKey}`], []],
    [
      'beside the key of the provider',
      [`Authorization: Bearer theirs, Bearer\t${ourKey}, Bearer ${ourKey}`],
      ['Authorization: Bearer theirs'],
    ],
    ['as a password', [auth, `Authorization: Basic ${inBasic}`], []],
    ['in a header of any name', [auth, `X-Auth-Token: Bearer ${ourKey}`], []],
    ['in the name of a header', [auth, `${ourKey}: 1`, `X-${ourKey.toUpperCase()}: 1`, `Svc-Property-${ourKey}: 1`], []],
    ['in a cookie', [auth, `Cookie: a=${ourKey}`], []],
    ['percent-encoded', [auth, `Cookie: a=${ourKey.replaceAll('-', '%2d')}`], []],
    ['in a header that is recorded', [auth, `User-Agent: ua ${ourKey}`, `Accept: ${ourKey}`, `Referer: https://x/${ourKey}`], []],
    ['in the form of an imported key', [auth, 'X-Any: token=pk-helicone-abc', 'X-Other: "sk-helicone-eu-abc"'], []],
    ['words that only end like one pass', [auth, 'User-Agent: task-svc-1'], ['User-Agent: task-svc-1']],
    ['other credentials pass', [auth, 'Authorization: Basic eDp5', 'Cookie: a=%7e'], ['Cookie: a=%7e', 'Authorization: Basic eDp5']],
  ];
  it.each(callers)('%s', async (_what, headers, heard) => {
    const { rig, provider, target } = await started();
    const response = await call(rig.port, requestText('GET /v1/x', [...headers, `Svc-Target-Url: ${target}`]));
    expect([response.status, heardBy(provider)]).toEqual([200, heard]);
    expect(JSON.stringify(await rig.exchanges(1))).not.toContain('sk-svc-us');
  });

  it.each([
    [`/v1/x?api_key=${ourKey}`, '/v1/x'],
    [`/v1/x?a=1&api_key=${ourKey.replace('sk-', 'sk%2D')}&b=%20`, '/v1/x?a=1&b=%20'],
    [`/v1/x?a=Bearer%20${ourKey}`, '/v1/x'],
    [`/v1/x?${ourKey}`, '/v1/x'],
    [`/v1/${ourKey}/x?a=1&&b=2`, '/v1//x?a=1&b=2'],
    [`/v1/x?a=%73k-svc-us-abc#${ourKey}`, '/v1/x'],
    ['/v1/x?a=task-svc-1&&b=%', '/v1/x?a=task-svc-1&&b=%'],
  ])('in the path %s', async (path, heard) => {
    const { rig, provider, target } = await started();
    await call(rig.port, requestText(`GET ${path}`, [auth, `Svc-Target-Url: ${target}`]));
    expect([provider.requests[0]?.url, (await rig.exchanges(1))[0]?.open.path]).toEqual([heard, heard]);
  });

  it('in the address that the caller names', async () => {
    const { rig, provider, target } = await started();
    const response = await call(rig.port, requestText('GET /v1/x', [auth, `Svc-Target-Url: ${target}/${ourKey}`]));
    expect([response.status, provider.requests]).toEqual([422, []]);
    expect(JSON.stringify(await rig.exchanges(1))).not.toContain(ourKey);
  });
});
