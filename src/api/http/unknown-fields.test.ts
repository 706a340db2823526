import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiRig, openApiRig, queryPath, scorePath } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

interface Envelope {
  readonly data: unknown;
  readonly error: string | null;
  readonly code?: string;
  readonly details?: unknown;
  readonly warnings?: readonly string[];
}

async function ask(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await rig.call(method, path, { ...(body === undefined ? {} : { body }), headers, key: 'sk-svc-us-admin' });
  return { status: response.status, header: response.headers.get('svc-warning'), answer: (await response.json()) as Envelope };
}

const limt = '"limt" is not a field of this endpoint and was ignored. Did you mean `limit`?';

describe('a field of a body that the endpoint does not know', () => {
  test.each<readonly [string, string, unknown, string]>([
    ['a misspelt limit', queryPath, { filter: {}, limt: 1 }, limt],
    ['a misspelt sort', queryPath, { filter: {}, sortt: { cost: 'desc' } }, 'Did you mean `sort`?'],
    ['the legacy query', '/v1/request/query', { filter: {}, limt: 1 }, limt],
    ['a count', '/v1/request/count/query', { filter: {}, limt: 1 }, limt],
    ['several identifiers', '/v1/request/query-ids', { requestIds: [], requestId: 'a' }, 'Did you mean `requestIds`?'],
    ['a misspelt search', '/v1/session/query', { serach: 'checkout' }, 'Did you mean `search`?'],
    ['a begin without its unit', '/v1/session/query', { startTime: 1 }, 'Did you mean `startTimeUnixMs`?'],
    [
      'an end without its unit',
      '/v1/session/count',
      { timeFilter: { startTimeUnixMs: 1, endTime: 2 } },
      '"timeFilter.endTime" is not a field',
    ],
    ['names of sessions', '/v1/session/name/query', { nameEquals: 'a' }, '"nameEquals" is not a field'],
    ['metrics of sessions', '/v1/session/metrics/query', { psize: 'p50' }, 'Did you mean `pSize`?'],
  ])('is told with the nearest known one: %s', async (_, path, body, sentence) => {
    const { status, header, answer } = await ask('POST', path, body);
    expect(status).toBe(200);
    expect(answer.error).toBeNull();
    expect(answer.warnings).toHaveLength(1);
    expect(answer.warnings?.[0]).toContain(sentence);
    expect(header).toBe(answer.warnings?.[0]);
  });

  test.each(['Svc-Strict', 'Helicone-Strict'])('is 422 with %s: true', async (header) => {
    const { status, answer } = await ask('POST', queryPath, { filter: {}, limt: 1 }, { [header]: 'true' });
    expect(status).toBe(422);
    expect(answer).toMatchObject({ data: null, code: 'invalid_body', details: { path: 'limt' } });
    expect(answer.error).toContain('Did you mean `limit`?');
  });

  test('is told also where a change is made, and the change is made', async () => {
    const { status, answer } = await ask('POST', scorePath(rig.stored), { scores: { accuracy: 1 }, score: 2 });
    expect(status).toBe(200);
    expect(answer.warnings?.[0]).toContain('Did you mean `scores`?');
  });

  test('is told also beside another fault of the body', async () => {
    const { status, answer } = await ask('POST', queryPath, { filtr: {} });
    expect(status).toBe(422);
    expect(answer.warnings?.[0]).toContain('Did you mean `filter`?');
  });

  test('that has any length and any characters is told shortly, and of many the first ten', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${'ü'.repeat(500)}${index}`, index]));
    const { header, answer } = await ask('POST', queryPath, { filter: {}, ...many });
    expect(answer.warnings).toHaveLength(10);
    expect(header?.length).toBe(1000);
    expect(header).toMatch(/^[\u0020-\u007e]*$/);
  });
});

test('a parameter of an address that the endpoint does not know is told', async () => {
  const { status, answer } = await ask('GET', `/v1/request/${rig.stored}/changes?limt=1`);
  expect(status).toBe(200);
  expect(answer.warnings).toEqual(['"limt" is not a parameter of this endpoint and was ignored. Did you mean `limit`?']);
  const one = await ask('GET', `/v1/request/${rig.stored}?includeBod=false`);
  expect(one.answer.warnings).toEqual(['"includeBod" is not a parameter of this endpoint and was ignored. Did you mean `includeBody`?']);
});

test('a body that holds what its endpoint knows has no warnings, nor has one that may hold any name', async () => {
  const body = { filter: { request_response_rmt: { properties: { limt: { 'not-equals': 'a' } } } }, limit: 1, sort: { created_at: 'asc' } };
  expect((await ask('POST', queryPath, body)).answer).not.toHaveProperty('warnings');
  const property = await ask('PUT', `/v1/request/${rig.stored}/property`, { limt: 'a' });
  expect(property.answer).toEqual({ data: null, error: null });
});

test.each<readonly [string, unknown]>([
  ['/v1/rate-limits', [{ policy: '10;w=60' }]],
  ['/v1/redaction-rules', [{ kind: 'email' }]],
  ['/v1/prices', [{ model: 'm', input: 1, output: 2 }]],
])('what GET %s gives can be put back without a warning', async (path, given) => {
  expect((await ask('PUT', path, given)).answer).toMatchObject({ error: null });
  const { answer } = await ask('GET', path);
  expect((await ask('PUT', path, answer.data)).answer).not.toHaveProperty('warnings');
});
