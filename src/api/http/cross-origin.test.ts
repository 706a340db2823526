import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRig, bodyMaxBytes, openApiRig, queryPath } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

const page = 'https://app.example.com';
const asking = {
  origin: page,
  'access-control-request-method': 'PUT',
  'access-control-request-headers': 'authorization, svc-include-count',
};
const linesOf = ({ headers }: Response): readonly (string | null)[] =>
  ['access-control-allow-origin', 'access-control-expose-headers', 'vary'].map((name) => headers.get(name));

describe('pages of an origin that the deployment allows', () => {
  it('may ask first, without a key', async () => {
    const api = rig.withPorts({ corsOrigins: [page] });
    const response = await rig.call('OPTIONS', queryPath, { api, key: null, headers: asking });
    const told = ['allow-methods', 'allow-headers', 'max-age'].map((name) => response.headers.get(`access-control-${name}`));
    expect([response.status, response.headers.get('access-control-allow-origin'), told]).toEqual([
      204,
      page,
      ['GET,HEAD,POST,PUT,PATCH,DELETE', 'authorization,svc-include-count', '7200'],
    ]);
  });

  it.each([
    ['an answer', { body: { filter: 'all' } }, 200],
    ['a refusal', { key: 'sk-svc-us-nobody', body: {} }, 401],
    ['a body over the limit', { text: 'x'.repeat(bodyMaxBytes + 1) }, 413],
  ])('may read %s with all of its lines', async (_what, given, status) => {
    const api = rig.withPorts({ corsOrigins: [page] });
    const response = await rig.call('POST', queryPath, { api, ...given, headers: { origin: page } });
    expect([response.status, linesOf(response)]).toEqual([status, [page, '*', 'Origin']]);
  });

  it('are all where * is allowed', async () => {
    const api = rig.withPorts({ corsOrigins: ['*'] });
    expect(linesOf(await rig.call('GET', '/healthz', { api, headers: { origin: page } }))).toEqual(['*', '*', null]);
  });
});

it('other pages are told nothing', async () => {
  const api = rig.withPorts({ corsOrigins: [page] });
  const headers = { ...asking, origin: 'https://evil.example' };
  expect((await rig.call('OPTIONS', queryPath, { api, headers })).headers.get('access-control-allow-origin')).toBeNull();
  const plain = await rig.call('OPTIONS', queryPath, { headers: asking });
  expect([plain.status, linesOf(plain)]).toEqual([405, [null, null, null]]);
});
