import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiRig, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

it('at / a browser gets a page, and a program JSON, that say what this is, without a key', async () => {
  const page = await rig.call('GET', '/', { key: null, headers: { accept: 'text/html,*/*;q=0.8' } });
  expect([page.status, page.headers.get('content-type'), page.headers.get('vary')]).toEqual([200, 'text/html; charset=UTF-8', 'Accept']);
  expect(await page.text()).toMatch(/<h1>Gatelog API<\/h1>[^]*GATELOG_GATEWAY_PORT[^]*href="\/openapi\.json"/);
  const json = await rig.call('GET', '/', { key: null });
  expect(await json.json()).toMatchObject({ service: 'Gatelog API', links: { '/metrics': 'numbers for Prometheus' } });
  expect((await rig.call('GET', '/favicon.ico', { key: null })).status).toBe(204);
  expect((await rig.call('POST', '/', { key: null })).status).toBe(404);
});
