import { afterEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../auth/api-key.ts';
import { logMetadataOf } from '../../model/record/log-metadata.ts';
import { logPaths } from '../../model/vocabulary/log-paths.ts';
import type { VerifyKey } from '../credentials/credentials.ts';
import { openAiAt, principal } from '../testing/gateway-harness.ts';
import { call, openClient, ourKey, type RawResponse, requestText, until } from '../testing/raw-http.ts';
import { closeAll, rigWith, scripted } from '../testing/scripted-provider.ts';

afterEach(closeAll);

const json = 'Content-Type: application/json';
const id = '8f6b0f6e-5d0e-4c53-9a52-0a3c2f1f0001';

const logOf = (meta: object = {}, response: object = {}) =>
  JSON.stringify({
    providerRequest: { url: 'custom-model-nopath', json: { model: 'gpt-4o-mini', messages: [] }, meta },
    providerResponse: { json: { choices: [] }, status: 200, headers: {}, ...response },
  });

async function scene(permissions: 'w' | 'r' = 'w', limits: { readonly logMaxBytes?: number } = {}) {
  const provider = await scripted(200);
  const verifyKey: VerifyKey = (keyHash) => (keyHash === hashKey(ourKey) ? { ...principal, keyHash, permissions } : undefined);
  const rig = await rigWith({ providers: openAiAt(provider.port), ports: { verifyKey }, limits });
  const post = (path: string, body: string, headers: readonly string[] = [json]): Promise<RawResponse> =>
    call(rig.port, requestText(`POST ${path}`, headers, body));
  return { rig, provider, post };
}

const told = (response: RawResponse): unknown => JSON.parse(response.body.toString());

describe('a log at the gateway', () => {
  it.each([...logPaths.keys()])('is taken at %s, and no provider is called', async (path) => {
    const { rig, provider, post } = await scene();
    const response = await post(path, logOf({ 'Svc-Request-Id': id, 'Svc-Property-Team': 'search' }));
    expect([response.status, told(response)]).toMatchObject([200, { data: { request_id: id }, error: null }]);
    expect(response.header('svc-id')).toBe(id);
    const [exchange, ...others] = rig.spooled();
    expect(others).toEqual([]);
    expect(exchange).toMatchObject({ open: { requestId: id, tags: { properties: [{ name: 'Team', value: 'search' }] } }, end: {} });
    expect(exchange && logMetadataOf(exchange.open)?.identifier).toBe('chosen');
    expect(provider.requests).toEqual([]);
  });

  it('without an identifier gets a fresh one, under both names where Helicone`s are in use', async () => {
    const { post } = await scene();
    const response = await post('/oai/v1/log', logOf(), [json, 'Helicone-User-Id: ann']);
    const { request_id: fresh } = (told(response) as { data: { request_id: string } }).data;
    expect([response.header('svc-id'), response.header('helicone-id')]).toEqual([fresh, fresh]);
  });

  it('is answered once it is in the spool', async () => {
    const { rig } = await scene();
    rig.spool.hold();
    const client = await openClient(rig.port);
    client.send(requestText('POST /oai/v1/log', [json], logOf()));
    await until(() => rig.spool.waiting() > 0);
    expect(client.size()).toBe(0);
    rig.spool.release();
    await until(() => client.text().includes('request_id'));
    client.socket.destroy();
  });

  it('is refused where the disk does not take it', async () => {
    const { rig } = await scene();
    rig.spool.hold();
    const client = await openClient(rig.port);
    client.send(requestText('POST /oai/v1/log', [json], logOf()));
    await until(() => rig.spool.waiting() > 0);
    rig.spool.releaseOne(false);
    await until(() => client.text().includes('spool_unavailable'));
    expect(client.text()).toMatch(/^HTTP\/1\.1 503 .*retry-after: 2/is);
    rig.spool.release();
    client.socket.destroy();
  });

  it('tells warnings in its header and its body', async () => {
    const { post } = await scene();
    const response = await post('/custom/v1/log', logOf());
    expect(told(response)).toMatchObject({ warnings: [expect.stringContaining('no known provider')] });
    expect(response.header('svc-warning')).toContain('no known provider');
  });

  it.each([
    ['is no JSON', '{', 400, 'malformed_json'],
    ['lacks its status', logOf({}, { status: undefined }), 422, 'invalid_body'],
    ['has a bad identifier', logOf({ 'Helicone-Request-Id': '7' }), 422, 'invalid_body'],
  ])('that %s says so, and is not recorded', async (_what, body, status, code) => {
    const { rig, post } = await scene();
    const response = await post('/oai/v1/log', body);
    expect([response.status, told(response)]).toMatchObject([status, { error: { code } }]);
    expect(rig.spooled()).toEqual([]);
  });

  it('over the limit is refused, with the setting that has it', async () => {
    const { rig, post } = await scene('w', { logMaxBytes: 100 });
    const response = await post('/oai/v1/log', logOf());
    expect(response.status).toBe(413);
    expect(told(response)).toMatchObject({ error: { message: expect.stringContaining('GATELOG_LOG_MAX_BYTES') as string } });
    expect(rig.spooled()).toEqual([]);
  });

  it('over 64 KiB is held within the memory for bodies, and taken', async () => {
    const { rig, post } = await scene();
    const response = await post('/oai/v1/log', logOf({}, { json: { text: 'x'.repeat(300_000) } }));
    expect(response.status).toBe(200);
    expect(rig.spooled()[0]?.responseBody).toHaveLength(300_011);
    await until(() => rig.ports.bodyMemory.reservedBytes === 0);
  });

  it('needs a key that may send', async () => {
    const { rig, post } = await scene('r');
    expect((await post('/oai/v1/log', logOf())).status).toBe(403);
    expect((await post('/oai/v1/log', logOf(), [json, 'Authorization: Bearer sk-svc-us-other'])).status).toBe(401);
    expect(rig.spooled()).toEqual([]);
  });

  it('is sent by POST', async () => {
    const { rig } = await scene();
    expect((await call(rig.port, requestText('GET /oai/v1/log'))).status).toBe(405);
    expect(rig.spooled()).toEqual([]);
  });

  it('whose sender leaves in the midst of it is none', async () => {
    const { rig } = await scene();
    const client = await openClient(rig.port);
    const text = requestText('POST /oai/v1/log', [json], logOf());
    client.send(text.slice(0, -5));
    await until(() => rig.ports.callsInFlight.running === 1);
    client.socket.destroy();
    await until(() => rig.ports.callsInFlight.running === 0);
    expect(rig.spooled()).toEqual([]);
  });

  it('leaves the other paths of a provider alone', async () => {
    const { rig, provider, post } = await scene();
    await post('/openai/v1/log', logOf());
    expect(provider.requests).toHaveLength(1);
    expect(rig.spooled()).toHaveLength(1);
  });
});
