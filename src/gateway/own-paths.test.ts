import { afterEach, expect, it } from 'vitest';
import { type Rig, startRig } from './gateway-rig.ts';
import { call, requestText } from './wire-rig.ts';

const opened: Rig[] = [];
afterEach(async () => {
  for (const rig of opened.splice(0)) await rig.close();
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

it.each(['/metrics', '/openapi.json'])('%s is told to be the API’s, without a key', async (path) => {
  const rig = await started();
  const reply = await call(rig.port, requestText(`GET ${path}`, []));
  expect(reply.status).toBe(404);
  expect(reply.body.toString()).toContain("This path is the API's, and this is the gateway;");
});

it('anything else at / is a call', async () => {
  const rig = await started();
  for (const line of ['POST /', 'GET /?x']) {
    const reply = await call(rig.port, requestText(line, ['Authorization: Bearer sk-svc-us-nobody']));
    expect([reply.status, JSON.parse(reply.body.toString())]).toMatchObject([401, { error: { code: 'invalid_key' } }]);
  }
});
