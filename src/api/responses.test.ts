import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doneSchema } from '../contract/responses.ts';
import { declaredPropertySchema } from '../contract/settings/properties.ts';
import { requestAnswerSchema, requestQueryAnswerSchema } from '../contract/requests/query.ts';
import { chatRequest } from '../ingest/testing/ingest-harness.ts';
import { closeServer, listening } from '../platform/http/server.ts';
import { idAt, noon } from '../query/testing/query-harness.ts';
import { type ApiRig, checked, keyOf, openApiRig, propertyPath, queryPath } from './testing/api-harness.ts';
import { serveApi } from './listen.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

describe('200', () => {
  test('a query answers with whole items', async () => {
    const { data } = await checked(
      await rig.call('POST', queryPath, { body: { filter: {}, includeInputs: true } }),
      200,
      requestQueryAnswerSchema,
    );
    expect(data).toMatchObject([
      {
        request_id: rig.stored,
        request_user_id: 'u',
        inputs: { a: 'b' },
        request_body: JSON.parse(chatRequest) as unknown,
        response_status: 200,
      },
    ]);
    expect(Object.entries(data[0]?.properties ?? {})).toContainEqual(['__proto__', 'p']);
  });

  test('a query takes what old clients send besides, and any key that may read', async () => {
    for (const permissions of ['r', 'rw', 'admin'] as const) {
      const body = { filter: 'all', somethingElse: 1, isCached: false };
      const { data } = await checked(await rig.call('POST', queryPath, { key: keyOf(permissions), body }), 200, requestQueryAnswerSchema);
      expect(data).toHaveLength(1);
    }
  });

  test('a property outside its wrapper matches nothing, and a header says why', async () => {
    const response = await rig.call('POST', queryPath, { body: { filter: { properties: { Environment: { equals: 'production' } } } } });
    expect(await checked(response, 200, requestQueryAnswerSchema)).toEqual({ data: [], error: null });
    expect(response.headers.get('svc-hint')).toContain('request_response_rmt');
    const wrapped = await rig.call('POST', queryPath, {
      body: { filter: { request_response_rmt: { properties: { Environment: { equals: 'production' } } } } },
    });
    expect((await checked(wrapped, 200, requestQueryAnswerSchema)).data).toHaveLength(1);
    expect(wrapped.headers.get('svc-hint')).toBeNull();
  });

  test('one request, in any case of its identifier, with or without its bodies', async () => {
    const { data } = await checked(await rig.call('GET', `/v1/request/${rig.stored.toUpperCase()}`), 200, requestAnswerSchema);
    expect(data).toMatchObject({ request_id: rig.stored, request_body: JSON.parse(chatRequest) as unknown });
    const { data: bare } = await checked(await rig.call('GET', `/v1/request/${rig.stored}?includeBody=false`), 200, requestAnswerSchema);
    expect(bare).toMatchObject({ request_id: rig.stored, request_body: null, response_body: null });
  });

  test('an update is seen by the next read, also in the older form', async () => {
    expect(await checked(await rig.call('PUT', propertyPath(rig.stored), { body: { Team: 'a' } }), 200, doneSchema)).toEqual({
      data: null,
      error: null,
    });
    await checked(await rig.call('PUT', propertyPath(rig.stored.toUpperCase()), { body: { key: 'Team', value: 'b' } }), 200, doneSchema);
    const { data } = await checked(await rig.call('GET', `/v1/request/${rig.stored}`), 200, requestAnswerSchema);
    expect(data.properties).toMatchObject({ Environment: 'production', Team: 'b' });
  });

  test('an update of a request in flight is taken', async () => {
    const answer = await checked(await rig.call('PUT', propertyPath(rig.inFlight), { body: { Team: 'a' } }), 200, doneSchema);
    expect(answer).toEqual({ data: null, error: null });
  });

  test('a declaration, also of a name with a slash', async () => {
    expect((await checked(await rig.call('PUT', '/v1/property/Environment'), 200, declaredPropertySchema)).data).toEqual({
      name: 'Environment',
      replaced: null,
      hidden: false,
    });
    expect((await checked(await rig.call('PUT', '/v1/property/a%2Fb%20%C3%A9'), 200, declaredPropertySchema)).data).toEqual({
      name: 'a/b é',
      replaced: null,
      hidden: false,
    });
    expect((await checked(await rig.call('PUT', '/v1/property/100%25FF?x=/y'), 200, declaredPropertySchema)).data).toEqual({
      name: '100%FF',
      replaced: null,
      hidden: false,
    });
  });

  test('a declaration in another case holds from then on and names the one that it replaced', async () => {
    const declared: unknown[] = [];
    for (const name of ['costCentre', 'CostCentre', 'CostCentre', 'COSTCENTRE']) {
      declared.push((await checked(await rig.call('PUT', `/v1/property/${name}`), 200, declaredPropertySchema)).data);
    }
    expect(declared).toEqual([
      { name: 'costCentre', replaced: null, hidden: false },
      { name: 'CostCentre', replaced: 'costCentre', hidden: false },
      { name: 'CostCentre', replaced: null, hidden: false },
      { name: 'COSTCENTRE', replaced: 'CostCentre', hidden: false },
    ]);
  });

  test('health and the document need no key', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json']) expect((await rig.call('GET', path, { key: null })).status).toBe(200);
  });

  test('an answer ends in a line break, which its length counts', async () => {
    const server = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
    const address = await listening(server);
    const response = await fetch(`${address}/v1/request/${rig.stored}`, { headers: { authorization: `Bearer ${keyOf('r')}` } });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, response.headers.get('content-length'), bytes.at(-1)]).toEqual([200, String(bytes.length), 10]);
    await closeServer(server, 0);
  });

  test('an idle connection is kept for as long as was set, and the answer says so', async () => {
    const server = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
    const response = await fetch(`${await listening(server)}/healthz`);
    expect([response.headers.get('keep-alive'), server.keepAliveTimeout]).toEqual(['timeout=75', 75_000]);
    await response.arrayBuffer();
    await closeServer(server, 0);
  });

  test('a path holds the longest identifier that a session can have, percent-encoded', async () => {
    const sessionId = 'é'.repeat(4096);
    await rig.insert([{ requestId: idAt(noon, 100), sessionId }]);
    const server = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
    const address = await listening(server);
    const response = await fetch(`${address}/v1/session/${encodeURIComponent(sessionId)}/tag`, {
      headers: { authorization: `Bearer ${keyOf('r')}` },
    });
    expect([response.status, await response.json()]).toEqual([200, { data: null, error: null }]);
    await closeServer(server, 0);
  });

  test('HEAD is GET without its body', async () => {
    const response = await rig.call('HEAD', `/v1/request/${rig.stored}`);
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect((await rig.call('HEAD', `/v1/request/${rig.stored}`, { key: null })).status).toBe(401);
  });
});

describe('a record that is stored between the look into the store and the look at what is on its way', () => {
  test.each<readonly [string, (id: string) => readonly [method: string, path: string, body?: unknown], (id: string) => string]>([
    ['itself', (id) => ['GET', `/v1/request/${id}`], (id) => id],
    ['with its changes', (id) => ['GET', `/v1/request/${id}/changes`], () => '"data":['],
    ['among several', (id) => ['POST', '/v1/request/query-ids', { requestIds: [id] }], (id) => id],
  ])('is found all the same: %s', async (_, callFor, shown) => {
    const [method, path, body] = callFor(rig.stored);
    let stored = false;
    const api = rig.withPorts({
      run: async (statement, signal) => (stored ? rig.run(statement, signal) : []),
      inFlightOf: async () => {
        stored = true;
        return [];
      },
    });
    const response = await rig.call(method, path, { api, body });
    expect(response.status).toBe(200);
    expect(response.headers.get('svc-hint')).toBeNull();
    expect(await response.text()).toMatch(shown(rig.stored));
  });

  test.each(['', '/tag'])('is found all the same: its session%s', async (rest) => {
    await rig.insert([{ requestId: idAt(noon, rest.length + 1), sessionId: 'just-stored' }]);
    let stored = false;
    const api = rig.withPorts({
      run: async (statement, signal) => (stored ? rig.run(statement, signal) : []),
      sessions: {
        ...rig.sessions,
        isInFlight: async () => {
          stored = true;
          return false;
        },
      },
    });
    const response = await rig.call('GET', `/v1/session/just-stored${rest}`, { api });
    expect([response.status, response.headers.get('svc-hint')]).toEqual([200, null]);
  });
});
