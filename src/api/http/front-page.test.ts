import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiRig, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

it('at / a browser gets a page, and a program JSON, that say what this is, without a key', async () => {
  const page = await rig.call('GET', '/', { key: null, headers: { accept: 'text/html,*/*;q=0.8' } });
  expect([page.status, page.headers.get('content-type'), page.headers.get('vary')]).toEqual([200, 'text/html; charset=utf-8', 'Accept']);
  expect(await page.text()).toMatch(/<h1>Gatelog API<\/h1>[^]*GATELOG_GATEWAY_PORT[^]*href="\/openapi\.json"/);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  const json = await rig.call('GET', '/', { key: null });
  expect(await json.json()).toMatchObject({ service: 'Gatelog API', links: { '/metrics': 'numbers for Prometheus' } });
  expect((await rig.call('GET', '/favicon.ico', { key: null })).status).toBe(204);
  expect((await rig.call('POST', '/', { key: null })).status).toBe(404);
});

it('/ shows the addresses of the settings, whatever the Host header says', async () => {
  const addresses = { gateway: 'https://llm.example.com/a', api: 'https://logs.example.com/b' };
  const api = rig.withPorts({ site: { addresses, basePath: '', file: () => undefined } });
  const headers = { accept: 'text/html', host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com' };
  const text = await (await rig.call('GET', '/', { api, key: null, headers })).text();
  expect(text).toMatch(/<code>https:\/\/llm\.example\.com\/a<\/code>[^]*href="https:\/\/logs\.example\.com\/b\/docs"/);
  expect(text).not.toContain('evil');
  const json = (await (await rig.call('GET', '/', { api, key: null })).json()) as { readonly example: string };
  expect(json).toMatchObject({ addresses: { api: addresses.api, gateway: addresses.gateway } });
  expect(json.example).toMatch(/^curl https:\/\/logs\.example\.com\/b\/v1\/request\/query-clickhouse -H /);
});
