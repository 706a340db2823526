import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemSchema } from '../../contract/problem.ts';
import { requestAnswerSchema } from '../../contract/requests/query.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import {
  type ApiRig,
  bodyMaxBytes,
  changesPath,
  checked,
  feedbackPath,
  keyOf,
  openApiRig,
  propertyPath,
  queryPath,
  scorePath,
} from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

describe('400', () => {
  test.each(['', ' ', '{', '{"filter":}', 'undefined', "{'a':1}"])('a body that is not JSON: %j', async (text) => {
    for (const [method, path] of [
      ['POST', queryPath],
      ['PUT', propertyPath(rig.stored)],
      ['POST', scorePath(rig.stored)],
      ['POST', feedbackPath(rig.stored)],
    ] as const) {
      expect((await checked(await rig.call(method, path, { text }), 400, problemSchema)).code).toBe('malformed_json');
    }
  });
});

/** Every endpoint, as method and path. */
const every = (): (readonly [string, string])[] => [
  ['POST', queryPath],
  ['GET', `/v1/request/${rig.stored}`],
  ['PUT', propertyPath(rig.stored)],
  ['POST', scorePath(rig.stored)],
  ['POST', feedbackPath(rig.stored)],
  ['GET', changesPath(rig.stored)],
  ['PUT', '/v1/property/x'],
];

describe('401', () => {
  test.each([
    ['no key', null, undefined, 'missing_key'],
    ['another scheme', null, 'Basic abc', 'missing_key'],
    ['a scheme alone', null, 'Bearer', 'missing_key'],
    ['two keys', null, 'Bearer a b', 'missing_key'],
    ['an unknown key', 'sk-svc-us-unknown', undefined, 'invalid_key'],
    ['what is no key', 'sk-proj-1', undefined, 'invalid_key'],
    ['a key of another region', 'sk-svc-eu-1', undefined, 'wrong_region'],
  ])('%s, at every endpoint', async (_, sent, authorization, code) => {
    for (const [method, path] of every()) {
      const response = await rig.call(method, path, {
        key: sent,
        ...(authorization === undefined ? {} : { headers: { authorization } }),
        ...(method === 'GET' ? {} : { body: {} }),
      });
      const problem = await checked(response, 401, problemSchema);
      expect(problem.code).toBe(code);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(JSON.stringify(problem)).not.toContain('sk-svc-us-unknown');
    }
  });

  test('names the address of the other region', async () => {
    expect((await checked(await rig.call('POST', queryPath, { key: 'sk-svc-eu-1', body: {} }), 401, problemSchema)).error).toContain(
      'https://eu.example.com',
    );
  });
});

describe('403', () => {
  test.each([
    ['w', 'POST', queryPath],
    ['w', 'GET', '/v1/request/x'],
    ['w', 'PUT', '/v1/request/x/property'],
    ['r', 'PUT', '/v1/request/x/property'],
    ['w', 'POST', '/v1/request/x/score'],
    ['r', 'POST', '/v1/request/x/score'],
    ['w', 'POST', '/v1/request/x/feedback'],
    ['r', 'POST', '/v1/request/x/feedback'],
    ['w', 'GET', '/v1/request/x/changes'],
    ['r', 'PUT', '/v1/property/x'],
    ['w', 'PUT', '/v1/property/x'],
  ] as const)('a key that may only %s: %s %s', async (permissions, method, path) => {
    const response = await rig.call(method, path, { key: keyOf(permissions), ...(method === 'GET' ? {} : { body: { a: 'b' } }) });
    expect(await checked(response, 403, problemSchema)).toMatchObject({ code: 'permission_denied', details: { permissions } });
  });
});

describe('404', () => {
  test('an unknown request, one of another organisation and what is no identifier look alike', async () => {
    for (const id of [newId(), rig.foreign]) {
      const read = await checked(await rig.call('GET', `/v1/request/${id}`), 404, problemSchema);
      const update = await checked(await rig.call('PUT', propertyPath(id), { body: { a: 'b' } }), 404, problemSchema);
      const score = await checked(await rig.call('POST', scorePath(id), { body: { scores: { a: 1 } } }), 404, problemSchema);
      const feedback = await checked(await rig.call('POST', feedbackPath(id), { body: { rating: true } }), 404, problemSchema);
      const changes = await checked(await rig.call('GET', changesPath(id)), 404, problemSchema);
      for (const { error, code } of [read, update, score, feedback, changes]) {
        expect([error, code]).toEqual([`No request ${id} is on record.`, 'not_found']);
      }
    }
    expect((await checked(await rig.call('GET', '/v1/request/not-a-uuid'), 404, problemSchema)).code).toBe('not_found');
    expect((await checked(await rig.call('GET', '/v1/request/%E0%A4%A'), 404, problemSchema)).code).toBe('not_found');
  });

  test('a request in flight is on its way', async () => {
    for (const path of [`/v1/request/${rig.inFlight}`, changesPath(rig.inFlight)]) {
      const response = await rig.call('GET', path);
      const { code, error } = await checked(response, 404, problemSchema);
      expect([code, response.headers.get('svc-hint')]).toEqual(['request_in_flight', error]);
    }
  });

  test('an endpoint that does not exist', async () => {
    for (const path of ['/v1', '/v1/request', '/v2/request/query', '/v1/request/query-clickhouse/']) {
      expect((await checked(await rig.call('GET', path), 404, problemSchema)).code).toBe('not_found');
    }
  });
});

describe('404 of a path that is no endpoint', () => {
  test.each<readonly [string, string]>([
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1/messages'],
    ['POST', '/chat/completions'],
    ['POST', '/anthropic/v1/messages'],
    ['POST', '/v1beta/models/gemini-2.5-pro:generateContent'],
  ])('of the gateway says where the gateway is: %s %s', async (method, path) => {
    const { error } = await checked(await rig.call(method, path, { body: {} }), 404, problemSchema);
    expect(error).toContain("This path is the gateway's, and this is the API");
    expect(error).toContain('GATELOG_GATEWAY_PORT');
  });

  test.each(['/v1/api-keys/query', '/v1/provider-keys/query'])(
    'that reads as a query names no method that would change anything: POST %s',
    async (path) => {
      const response = await rig.call('POST', path, { body: {} });
      expect(response.headers.get('allow')).toBeNull();
      expect((await checked(response, 404, problemSchema)).error).toBe(`There is no endpoint POST ${path}; see /openapi.json.`);
    },
  );
});

describe('405', () => {
  test.each([
    ['GET', queryPath, 'POST'],
    ['PUT', queryPath, 'POST'],
    ['OPTIONS', queryPath, 'POST'],
    ['POST', '/v1/request/x', 'GET'],
    ['DELETE', '/v1/request/x', 'GET'],
    ['GET', '/v1/request/x/property', 'PUT'],
    ['PUT', '/v1/request/x/score', 'POST'],
    ['GET', '/v1/request/x/feedback', 'POST'],
    ['POST', '/v1/request/x/changes', 'GET'],
    ['POST', '/v1/property/x', 'PUT'],
    ['GET', '/v1/request/query', 'POST'],
    ['PUT', '/v1/session/query', 'POST, GET'],
    ['DELETE', '/v1/session/count', 'POST, GET'],
    ['POST', '/v1/session/x', 'GET'],
    ['DELETE', '/v1/session/x/tag', 'POST, GET'],
    ['POST', '/healthz', 'GET'],
    ['DELETE', '/readyz', 'GET'],
    ['PUT', '/openapi.json', 'GET'],
  ])('%s %s names what it takes: %s', async (method, path, allowed) => {
    const response = await rig.call(method, path);
    expect(response.headers.get('allow')).toBe(allowed);
    expect((await checked(response, 405, problemSchema)).code).toBe('method_not_allowed');
  });
});

describe('413', () => {
  const large = JSON.stringify({ a: 'x'.repeat(bodyMaxBytes) });
  test('a body of a declared length', async () => {
    const response = await rig.call('PUT', propertyPath(rig.stored), { text: large, headers: { 'content-length': String(large.length) } });
    expect((await checked(response, 413, problemSchema)).code).toBe('body_too_large');
  });

  test('a body of no declared length', async () => {
    const body = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(new TextEncoder().encode('x'.repeat(16 * 1024)));
      },
    });
    const init = {
      method: 'PUT',
      headers: { authorization: `Bearer ${keyOf('rw')}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    };
    expect((await checked(await rig.api.request(propertyPath(rig.stored), init as RequestInit), 413, problemSchema)).code).toBe(
      'body_too_large',
    );
  });

  test('is no failure of the service', () => {
    expect(rig.observations.filter(({ kind }) => kind === 'api_failed')).toEqual([]);
  });
});

describe('415', () => {
  test.each([
    ['text/plain', 'The body is declared as text/plain; send JSON'],
    ['application/x-www-form-urlencoded', 'The body is declared as application/x-www-form-urlencoded; send JSON'],
    ['multipart/form-data; boundary=x', 'The body is declared as multipart/form-data; send JSON'],
    ['', 'The Content-Type names no media type; send JSON'],
    ['; charset=utf-8', 'The Content-Type names no media type; send JSON'],
    ['x'.repeat(4000), `The body is declared as ${'x'.repeat(100)}; send JSON`],
  ])('a body declared as %.40j', async (type, sentence) => {
    const response = await rig.call('PUT', propertyPath(rig.stored), { text: '{"a":"b"}', headers: { 'content-type': type } });
    expect(await checked(response, 415, problemSchema)).toMatchObject({
      code: 'unsupported_media_type',
      error: `${sentence} with "Content-Type: application/json".`,
    });
  });

  test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/merge-patch+json'])('but not as %s', async (type) => {
    expect((await rig.call('PUT', propertyPath(rig.stored), { text: '{"a":"b"}', headers: { 'content-type': type } })).status).toBe(200);
  });
});

describe('422', () => {
  test.each([
    ['no filter', {}, 'filter'],
    ['null', null, '$'],
    ['a list', [], '$'],
    ['a limit beyond the most', { filter: {}, limit: 1001 }, 'limit'],
    ['a fraction', { filter: {}, offset: 0.5 }, 'offset'],
    ['a text for a flag', { filter: {}, isCached: 'yes' }, 'isCached'],
    ['an unknown field', { filter: { request_response_rmt: { nonsense: { equals: 'x' } } } }, 'filter.request_response_rmt.nonsense'],
    ['an unknown sort key', { filter: {}, sort: { nonsense: 'asc' } }, 'sort.nonsense'],
  ])('a query with %s', async (_, body, path) => {
    const problem = await checked(await rig.call('POST', queryPath, { body }), 422, problemSchema);
    expect(problem.details?.['path']).toBe(path);
  });

  test.each([
    ['nothing', {}, '$'],
    ['a number', { a: 1 }, 'a'],
    ['null for a value', { a: null }, 'a'],
    ['an empty name', { '': 'x' }, '[""]'],
    ['a name that is too long', { ['x'.repeat(129)]: 'x' }, `["${'x'.repeat(128)}…"]`],
    ['a value that is too long', { a: 'é'.repeat(4097) }, 'a'],
    ['too many names', Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`n${index}`, 'v'])), '$'],
    ['one wrong among right ones', { a: 'b', c: false }, 'c'],
  ])('an update with %s, which changes nothing', async (_, body, path) => {
    const problem = await checked(await rig.call('PUT', propertyPath(rig.stored), { body }), 422, problemSchema);
    expect(problem).toMatchObject({ code: 'invalid_body', details: { path } });
    const { data } = await checked(await rig.call('GET', `/v1/request/${rig.stored}`), 200, requestAnswerSchema);
    expect(data.properties).not.toHaveProperty('c');
  });

  test.each([
    ['no object', '[]', '$'],
    ['no scores', '{"score":{"a":1}}', 'scores'],
    ['a list of scores', '{"scores":[1]}', 'scores'],
    ['nothing', '{"scores":{}}', 'scores'],
    ['a text', '{"scores":{"b":1,"a":"1"}}', 'scores.a'],
    ['null', '{"scores":{"a":null}}', 'scores.a'],
    ['a number beyond all', '{"scores":{"a":1e999}}', 'scores.a'],
    ['an empty name', '{"scores":{"":1}}', 'scores[""]'],
    ['a name that is too long', `{"scores":{"${'x'.repeat(129)}":1}}`, `scores["${'x'.repeat(128)}…"]`],
    [
      'too many names',
      JSON.stringify({ scores: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`n${index}`, 1])) }),
      'scores',
    ],
    ['the name of the feedback', '{"scores":{"svc-score-feedback":1}}', 'scores.svc-score-feedback'],
  ])('scores with %s, which change nothing', async (_, text, path) => {
    const problem = await checked(await rig.call('POST', scorePath(rig.stored), { text }), 422, problemSchema);
    expect(problem).toMatchObject({ code: 'invalid_body', details: { path } });
    const { data } = await checked(await rig.call('GET', `/v1/request/${rig.stored}`), 200, requestAnswerSchema);
    expect(data.scores).toEqual({});
  });

  test.each([
    ['no object', 'true', '$'],
    ['no rating', '{}', 'rating'],
    ['a number for a rating', '{"rating":1}', 'rating'],
    ['null for a rating', '{"rating":null}', 'rating'],
  ])('a feedback with %s', async (_, text, path) => {
    const problem = await checked(await rig.call('POST', feedbackPath(rig.stored), { text }), 422, problemSchema);
    expect(problem).toMatchObject({ code: 'invalid_body', details: { path } });
    expect(problem.error).toContain(path === '$' ? '{"rating": true}' : 'true or false');
  });

  test.each([
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=x', 'offset'],
    ['offset=99999999999999999999', 'offset'],
  ])('a page of changes with %s', async (query, path) => {
    const problem = await checked(await rig.call('GET', `${changesPath(rig.stored)}?${query}`), 422, problemSchema);
    expect(problem).toMatchObject({
      code: 'invalid_parameter',
      details: { path },
      error: expect.stringContaining('whole number') as string,
    });
  });

  test('a declaration of a name that is too long', async () => {
    expect((await checked(await rig.call('PUT', `/v1/property/${'x'.repeat(129)}`), 422, problemSchema)).details).toEqual({ path: 'name' });
  });

  test.each([
    ['what is no percent-encoding', '%', 'percent-encoded'],
    ['bytes that are no UTF-8', '%FF', 'percent-encoded'],
    ['bytes that are no UTF-8 beside some that are', '%C3%A9%E0%A4%A', 'percent-encoded'],
    ['the zero character', 'a%00b', 'control characters'],
    ['a line break', 'a%0Ab', 'control characters'],
    ['a space', '%20', 'white space'],
    ['spaces of several kinds', '%C2%A0%E2%80%83', 'white space'],
  ])('a declaration of %s', async (_, name, sentence) => {
    const problem = await checked(await rig.call('PUT', `/v1/property/${name}`), 422, problemSchema);
    expect(problem).toMatchObject({
      code: 'invalid_parameter',
      details: { path: 'name' },
      error: expect.stringContaining(sentence) as string,
    });
  });

  test('a flag in the address that is none', async () => {
    const problem = await checked(await rig.call('GET', `/v1/request/${rig.stored}?includeBody=maybe`), 422, problemSchema);
    expect(problem).toMatchObject({ code: 'invalid_parameter', details: { path: 'includeBody' } });
  });
});
