import { afterEach, expect, it } from 'vitest';
import { type Rig, startRig } from './testing/gateway-harness.ts';
import { call, ourKey, requestText, startProvider } from './testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

async function started(): Promise<Rig> {
  const rig = await startRig();
  opened.push(rig);
  return rig;
}

it('at / a browser gets a page, and a program JSON, that say what this is; no key is needed and nothing is recorded', async () => {
  const rig = await started();
  const page = await call(rig.port, requestText('GET /', ['Accept: text/html,application/xhtml+xml,*/*;q=0.8']));
  expect([page.status, page.header('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.body.toString()).toMatch(/^<!doctype html>[^]*<h1>Gatelog gateway<\/h1>[^]*GATELOG_API_PORT[^]*href="\/readyz"/);
  const json = await call(rig.port, requestText('GET /', ['Accept: */*']));
  expect(JSON.parse(json.body.toString())).toMatchObject({ service: 'Gatelog gateway', links: { '/readyz': 'whether calls are taken' } });
  expect((await call(rig.port, requestText('GET /favicon.ico', []))).status).toBe(204);
  expect(rig.spooled()).toEqual([]);
});

it('/ shows the addresses of the settings, whatever the Host header says, and cannot be framed', async () => {
  const rig = await startRig({ addresses: { gateway: 'https://llm.example.com', api: 'https://logs.example.com' } });
  opened.push(rig);
  const lines = ['Accept: text/html', 'X-Forwarded-Host: evil.example.com'];
  const page = await call(rig.port, requestText('GET /', lines));
  expect(page.body.toString()).toMatch(
    /curl https:\/\/llm\.example\.com\/v1\/chat\/completions[^]*href="https:\/\/logs\.example\.com\/docs"/,
  );
  expect(page.body.toString()).not.toContain('evil');
  expect(page.header('content-security-policy')).toContain("frame-ancestors 'none'");
  const head = await call(rig.port, requestText('HEAD /', lines));
  expect([head.status, head.body.length]).toEqual([200, 0]);
});

it.each(['/metrics', '/openapi.json', '/docs'])('%s is told to be the API’s, without a key', async (path) => {
  const rig = await started();
  const response = await call(rig.port, requestText(`GET ${path}`, []));
  expect(response.status).toBe(404);
  expect(response.body.toString()).toContain("This path is the API's, and this is the gateway;");
});

it.each(['/', '/metrics', '/openapi.json', '/docs'])('%s of an address that its caller names is a call', async (path) => {
  const target = await startProvider((_request, response) => response.end('the target'));
  const rig = await startRig({ allowed: [`127.0.0.1:${target.port}`] });
  opened.push(rig, target);
  const headers = [`Svc-Auth: Bearer ${ourKey}`, `Helicone-Target-Url: http://127.0.0.1:${target.port}`];
  expect((await call(rig.port, requestText(`GET ${path}`, headers))).body.toString()).toBe('the target');
  expect((await rig.exchanges(1))[0]?.open.path).toBe(path);
});

it('anything else at / is a call', async () => {
  const rig = await started();
  for (const line of ['POST /', 'GET /?x']) {
    const response = await call(rig.port, requestText(line, ['Authorization: Bearer sk-svc-us-nobody']));
    expect([response.status, JSON.parse(response.body.toString())]).toMatchObject([401, { error: { code: 'invalid_key' } }]);
  }
});
