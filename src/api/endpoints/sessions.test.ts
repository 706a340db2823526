import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doneSchema } from '../../contract/responses.ts';
import { problemSchema } from '../../contract/problem.ts';
import { sessionCountSchema, sessionMetricsSchema, sessionNamesSchema, sessionQueryAnswerSchema } from '../../contract/sessions/query.ts';
import { GatelogError } from '../../model/errors.ts';
import { type ApiRig, checked, keyOf, openApiRig, propertyPath } from '../testing/api-harness.ts';

const queryPath = '/v1/session/query';
const countPath = '/v1/session/count';
const namesPath = '/v1/session/name/query';
const metricsPath = '/v1/session/metrics/query';
const paths = [queryPath, countPath, namesPath, metricsPath];

const run = (): Promise<never> => Promise.reject(new GatelogError('query_timeout', 'Too long.'));

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
  const body = { 'Svc-Session-Id': 's-1', 'Svc-Session-Name': 'Support' };
  await checked(await rig.call('PUT', propertyPath(rig.stored), { body }), 200, doneSchema);
});
afterAll(async () => rig.close());

describe('a session query', () => {
  test('answers 200 with data and error', async () => {
    const { data, error } = await checked(await rig.call('POST', queryPath, { body: {} }), 200, sessionQueryAnswerSchema);
    expect(error).toBeNull();
    expect(data).toMatchObject([{ session_id: 's-1', session_name: 'Support', session_tag: null, total_requests: 1, user_ids: ['u'] }]);
    expect(Object.entries(data[0]?.properties ?? {})).toContainEqual(['__proto__', 'p']);
    expect(data[0]?.created_at).toMatch(/^20.*Z$/);
  });

  test('any key that may read may ask', async () => {
    for (const path of paths) {
      for (const permissions of ['r', 'rw', 'admin'] as const) {
        expect((await rig.call('POST', path, { key: keyOf(permissions), body: {} })).status).toBe(200);
      }
      expect((await checked(await rig.call('POST', path, { key: keyOf('w'), body: {} }), 403, problemSchema)).code).toBe(
        'permission_denied',
      );
      expect((await rig.call('POST', path, { key: null, body: {} })).status).toBe(401);
    }
  });

  test('a full page names the next one, and the next one continues behind it', async () => {
    const first = await rig.call('POST', queryPath, { body: { limit: 1 } });
    const cursor = first.headers.get('svc-next-cursor');
    expect(cursor).toMatch(/^[\w-]+$/);
    const next = await rig.call('POST', queryPath, { body: { limit: 1, cursor } });
    expect(await checked(next, 200, sessionQueryAnswerSchema)).toEqual({ data: [], error: null });
    expect(next.headers.get('svc-next-cursor')).toBeNull();
  });

  test('tells the whole number when asked, and no rows for a limit of 0', async () => {
    const asked = await rig.call('POST', queryPath, { body: { limit: 0 }, headers: { 'Svc-Include-Count': 'true' } });
    expect(await checked(asked, 200, sessionQueryAnswerSchema)).toEqual({ data: [], error: null });
    expect(asked.headers.get('svc-total-count')).toBe('1');
    expect((await rig.call('POST', queryPath, { body: {} })).headers.get('svc-total-count')).toBeNull();
  });

  test.each<readonly [string, unknown, string]>([
    ['a property in another case', { filter: { session: { properties: { environment: { equals: 'production' } } } } }, '"Environment"'],
    ['a time without requests', { endTimeUnixMs: 1 }, 'no request arrived in the time that the query asks for; the record goes from 20'],
    ['an offset past the end', { offset: 5 }, 'offset 5 is past the last of 1 matching sessions'],
  ])('that is empty because of %s says so', async (_, body, hint) => {
    const answer = await rig.call('POST', queryPath, { body });
    expect(await checked(answer, 200, sessionQueryAnswerSchema)).toEqual({ data: [], error: null });
    expect(answer.headers.get('svc-hint')).toContain(hint);
  });

  test('a count, names and a spread of nothing say why as well', async () => {
    const filter = { session: { properties: { environment: { equals: 'production' } } } };
    for (const path of [countPath, namesPath, metricsPath]) {
      expect((await rig.call('POST', path, { body: { filter } })).headers.get('svc-hint')).toContain('"Environment"');
      expect((await rig.call('POST', path, { body: {} })).headers.get('svc-hint')).toBeNull();
    }
  });

  test('a filter of null is none, and 422', async () => {
    for (const path of paths) {
      const { code, details } = await checked(await rig.call('POST', path, { body: { filter: null } }), 422, problemSchema);
      expect([code, details]).toEqual(['invalid_filter', { path: 'filter' }]);
    }
  });

  test('a property outside its wrapper is 422 with the wrapper shown', async () => {
    const filter = { properties: { Team: { equals: 'x' } } };
    for (const path of paths) {
      const { code, error, details } = await checked(await rig.call('POST', path, { body: { filter } }), 422, problemSchema);
      expect([code, details]).toEqual(['invalid_filter', { path: 'filter.properties' }]);
      expect(error).toContain('{"session":{"properties":{"Team":{"equals":"x"}}}}');
    }
  });

  test('bodies that are no JSON, and stores that fail, are answered as everywhere', async () => {
    for (const path of paths) {
      expect((await checked(await rig.call('POST', path, { text: '{' }), 400, problemSchema)).code).toBe('malformed_json');
      expect((await checked(await rig.call('POST', path, { body: {}, api: rig.withPorts({ run }) }), 504, problemSchema)).code).toBe(
        'query_timeout',
      );
    }
  });
});

test('the count has the totals of all sessions', async () => {
  const { data } = await checked(await rig.call('POST', countPath, { body: { limit: 0 } }), 200, sessionCountSchema);
  expect(data).toMatchObject({ count: 1, avg_requests: 1 });
});

test('the names of sessions', async () => {
  const { data } = await checked(
    await rig.call('POST', namesPath, { body: { nameContains: 'supp', pSize: 'p99' } }),
    200,
    sessionNamesSchema,
  );
  expect(data).toMatchObject([{ name: 'Support', session_count: 1 }]);
});

test('the spread of sessions, also of none', async () => {
  const { data } = await checked(await rig.call('POST', metricsPath, { body: { useInterquartile: true } }), 200, sessionMetricsSchema);
  expect(data).toMatchObject({ session_count: [{ range_start: 1, range_end: 1, value: 1 }], average: { session_count: [{ average: 1 }] } });
  const none = await checked(await rig.call('POST', metricsPath, { body: { nameContains: 'nowhere' } }), 200, sessionMetricsSchema);
  const zero = [{ average: 0 }];
  expect(none.data).toEqual({
    session_count: [],
    session_duration: [],
    session_cost: [],
    average: { session_count: zero, session_duration: zero, session_cost: zero },
  });
});
