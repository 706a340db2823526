import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestBodiesSchema, requestCountSchema, requestQueryAnswerSchema } from '../../contract/requests/query.ts';
import { chatRequest } from '../../ingest/testing/ingest-harness.ts';
import { KnownNames } from '../../query/hints/known-names.ts';
import { type ApiRig, checked, openApiRig, queryPath } from '../testing/api-harness.ts';
import type { ApiPorts } from '../endpoint/ports.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

const legacyPath = '/v1/request/query';
const countPath = '/v1/request/count/query';
const idsPath = '/v1/request/query-ids';
const unwrapped = { properties: { Environment: { equals: 'production' } } };
const wrapped = { request_response_rmt: unwrapped };

const addressOf = async (): Promise<URL> => {
  const { data } = await checked(await rig.call('POST', queryPath, { body: { filter: {} } }), 200, requestQueryAnswerSchema);
  return new URL(data[0]?.signed_body_url ?? '');
};

describe('a page', () => {
  test('that is full names the next one, and the last one none', async () => {
    const first = await rig.call('POST', queryPath, { body: { filter: {}, limit: 1 } });
    const cursor = first.headers.get('svc-next-cursor');
    expect(cursor).toMatch(/^[\w-]+$/);
    const next = await rig.call('POST', queryPath, { body: { filter: {}, limit: 1, cursor } });
    expect(await checked(next, 200, requestQueryAnswerSchema)).toEqual({ data: [], error: null });
    expect(next.headers.get('svc-next-cursor')).toBeNull();
    const wide = await rig.call('POST', queryPath, { body: { filter: {}, limit: 2 } });
    expect(wide.headers.get('svc-next-cursor')).toBeNull();
  });

  test.each(['Svc-Include-Count', 'Helicone-Include-Count'])('tells the whole number only when asked by %s', async (header) => {
    const asked = await rig.call('POST', queryPath, { body: { filter: {}, limit: 0 }, headers: { [header]: 'true' } });
    expect(await checked(asked, 200, requestQueryAnswerSchema)).toEqual({ data: [], error: null });
    expect(asked.headers.get('svc-total-count')).toBe('1');
    const silent = await rig.call('POST', queryPath, { body: { filter: {} }, headers: { [header]: 'false' } });
    expect(silent.headers.get('svc-total-count')).toBeNull();
    const nothing = await rig.call('POST', queryPath, { body: { filter: unwrapped }, headers: { [header]: 'true' } });
    expect(nothing.headers.get('svc-total-count')).toBe('0');
  });

  test.each<readonly [string, unknown, string]>([
    [
      'a property in another case',
      { filter: { request_response_rmt: { properties: { environment: { equals: 'production' } } } } },
      'there is one named "Environment"',
    ],
    ['a property key in another case', { filter: { request_response_rmt: { property_key: { equals: 'ENVIRONMENT' } } } }, '"Environment"'],
    [
      'a time without requests',
      { filter: { request_response_rmt: { request_created_at: { lt: '2001-01-01' } } } },
      'no request arrived in the time that the query asks for; the record goes from 20',
    ],
    ['an offset past the end', { filter: {}, offset: 5 }, 'offset 5 is past the last of 1 matching requests'],
  ])('that is empty because of %s says so', async (_, body, hint) => {
    const answer = await rig.call('POST', queryPath, { body });
    expect(await answer.clone().json()).toMatchObject({ warnings: [answer.headers.get('svc-hint')] });
    expect(await checked(answer, 200, requestQueryAnswerSchema)).toEqual({ data: [], error: null });
    expect(answer.headers.get('svc-hint')).toContain(hint);
  });

  test('that is empty for no surprising reason says nothing', async () => {
    const body = { filter: { request_response_rmt: { properties: { Environment: { equals: 'staging' } } } } };
    expect((await rig.call('POST', queryPath, { body })).headers.get('svc-hint')).toBeNull();
  });

  test('and that is asked for again and again looks for the names of properties once, and for no more of a time than whether it has requests', async () => {
    const statements: string[] = [];
    const run: ApiPorts['run'] = (statement, signal) => {
      statements.push(statement.text);
      return rig.run(statement, signal);
    };
    const api = rig.withPorts({ run, knownNames: new KnownNames() });
    const arrived = { request_response_rmt: { request_created_at: { gte: '2001-01-01' } } };
    const staging = { request_response_rmt: { properties: { Environment: { equals: 'staging' } } } };
    const body = { filter: { left: arrived, operator: 'and', right: staging } };
    for (let time = 0; time < 3; time += 1) await rig.call('POST', queryPath, { body, api });
    expect(statements.filter((text) => text.includes('mapKeys(properties)'))).toHaveLength(1);
    expect(statements.filter((text) => text.startsWith('SELECT 1 AS found'))).toHaveLength(3);
    expect(statements).toHaveLength(3 + 1 + 3);
  });

  test.each([queryPath, countPath])('whose caller has left meanwhile is not explained, and nothing fails unheard (%s)', async (path) => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    const caller = new AbortController();
    let asked = 0;
    const run: ApiPorts['run'] = async (statement, signal, options) => {
      asked += 1;
      if (asked > 1) return rig.run(statement, signal, options);
      caller.abort();
      return rig.run(statement);
    };
    const body = { filter: { request_response_rmt: { model: { equals: 'nobody has it' } } } };
    await rig.call('POST', path, { body, api: rig.withPorts({ run }), signal: caller.signal });
    await new Promise((resolve) => void setImmediate(resolve));
    process.off('unhandledRejection', hear);
    expect([asked, unheard]).toEqual([1, []]);
  });
});

describe('the legacy query', () => {
  test('filters by properties without their wrapper, and names its successor', async () => {
    const answer = await rig.call('POST', legacyPath, { body: { filter: unwrapped, limit: 1, offset: 0 } });
    expect((await checked(answer, 200, requestQueryAnswerSchema)).data).toMatchObject([{ request_id: rig.stored }]);
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(answer.headers.get('link')).toBe('</v1/request/query-clickhouse>; rel="successor-version"');
  });

  test('keeps what is not scored where older clients ask for that, and the present one everything', async () => {
    const ids = async (path: string, body: object): Promise<readonly string[]> => {
      const { data } = await checked(await rig.call('POST', path, { body: { filter: {}, ...body } }), 200, requestQueryAnswerSchema);
      return (data ?? []).map(({ request_id: id }) => id);
    };
    expect(await ids(legacyPath, { isScored: false })).toEqual([rig.stored]);
    await rig.call('POST', `/v1/request/${rig.stored}/score`, { body: { scores: { quality: 1 } } });
    expect(await ids(legacyPath, { isScored: false })).toEqual([]);
    expect(await ids(legacyPath, { isScored: true })).toEqual([rig.stored]);
    expect(await ids(legacyPath, {})).toEqual([rig.stored]);
    expect(await ids('/v1/request/query-clickhouse', { isScored: false })).toEqual([rig.stored]);
  });

  test('knows the names of old', async () => {
    const filter = {
      left: { request: { user_id: { equals: 'u' } } },
      operator: 'and',
      right: { left: { response: { status: { equals: 200 } } }, operator: 'and', right: { values: { a: { equals: 'b' } } } },
    };
    const { data } = await checked(await rig.call('POST', legacyPath, { body: { filter } }), 200, requestQueryAnswerSchema);
    expect(data).toHaveLength(1);
  });
});

describe('a count', () => {
  test.each<readonly [string, unknown, number]>([
    ['everything', 'all', 1],
    ['a match', wrapped, 1],
    ['no match', { request_response_rmt: { status: { equals: 500 } } }, 0],
  ])('of %s', async (_, filter, expected) => {
    expect((await checked(await rig.call('POST', countPath, { body: { filter } }), 200, requestCountSchema)).data).toBe(expected);
  });

  test('of properties without their wrapper is none, and a header says why', async () => {
    const answer = await rig.call('POST', countPath, { body: { filter: unwrapped } });
    expect((await checked(answer, 200, requestCountSchema)).data).toBe(0);
    expect(answer.headers.get('svc-hint')).toContain('request_response_rmt');
  });
});

describe('a count of 0', () => {
  test.each<readonly [string, unknown, string]>([
    [
      'because of a property in another case',
      { filter: { request_response_rmt: { properties: { environment: { equals: 'production' } } } } },
      'there is one named "Environment"',
    ],
    [
      'because of a time without requests',
      { filter: { request_response_rmt: { request_created_at: { lt: '2001-01-01' } } } },
      'no request arrived in the time that the query asks for; the record goes from 20',
    ],
  ])('%s says so, as the query does', async (_, body, hint) => {
    const answer = await rig.call('POST', countPath, { body });
    expect((await checked(answer, 200, requestCountSchema)).data).toBe(0);
    expect(answer.headers.get('svc-hint')).toContain(hint);
  });

  test.each([
    ['for no surprising reason', { filter: { request_response_rmt: { properties: { Environment: { equals: 'staging' } } } } }],
    ['that is none, past which an offset is', { filter: {}, offset: 5 }],
  ])('%s says nothing', async (_, body) => {
    expect((await rig.call('POST', countPath, { body })).headers.get('svc-hint')).toBeNull();
  });
});

describe('several requests by their identifiers', () => {
  test('come in the order of the list, once, and without what is not on record here', async () => {
    const requestIds = ['00000000-0000-4000-8000-000000000000', rig.foreign, rig.stored.toUpperCase(), rig.stored];
    const { data } = await checked(await rig.call('POST', idsPath, { body: { requestIds } }), 200, requestQueryAnswerSchema);
    expect(data).toMatchObject([{ request_id: rig.stored, request_body: JSON.parse(chatRequest) as unknown }]);
  });

  test('whose record is on its way are counted in a hint, and those that are nowhere or another’s are not', async () => {
    const requestIds = [rig.stored, rig.inFlight, rig.foreign, '00000000-0000-4000-8000-000000000000'];
    const answer = await rig.call('POST', idsPath, { body: { requestIds } });
    expect((await checked(answer, 200, requestQueryAnswerSchema)).data).toMatchObject([{ request_id: rig.stored }]);
    expect(answer.headers.get('svc-hint')).toBe('1 of the identifiers asked for is on its way to the store; ask again in a moment');
    const whole = await rig.call('POST', idsPath, { body: { requestIds: [rig.stored, rig.foreign] } });
    expect(whole.headers.get('svc-hint')).toBeNull();
  });

  test('may be none', async () => {
    expect((await checked(await rig.call('POST', idsPath, { body: { requestIds: [] } }), 200, requestQueryAnswerSchema)).data).toEqual([]);
  });

  test('come without their bodies on demand', async () => {
    const bare = await rig.call('POST', idsPath, { body: { requestIds: [rig.stored], includeBodies: false } });
    const [item] = (await checked(bare, 200, requestQueryAnswerSchema)).data;
    expect([item?.request_id, item?.request_body, item?.response_body]).toEqual([rig.stored, null, null]);
  });

  test.each([{}, { requestIds: 'x' }, { requestIds: ['x'] }, { requestIds: [1] }, { requestIds: Array(1001).fill(crypto.randomUUID()) }])(
    'that are none are refused',
    async (body) => {
      const answer = await rig.call('POST', idsPath, { body });
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({
        data: null,
        code: 'invalid_body',
        error: expect.stringContaining('`requestIds`') as string,
      });
    },
  );
});

describe('a signed address', () => {
  test('gives both bodies without a key', async () => {
    const { pathname, search } = await addressOf();
    const answer = await rig.call('GET', pathname + search, { key: null });
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect((await checked(answer, 200, requestBodiesSchema)).request).toEqual(JSON.parse(chatRequest));
  });

  test('that was changed gives nothing', async () => {
    const { pathname, search } = await addressOf();
    for (const path of [`${pathname}${search}x`, pathname, `/v1/request/${rig.foreign}/body${search}`]) {
      expect((await rig.call('GET', path, { key: null })).status).toBe(403);
    }
  });
});

describe('an asset', () => {
  test('that a request does not have is told apart from a request that is not there', async () => {
    const answer = await rig.call('POST', `/v1/request/${rig.stored}/assets/8700e57a-3874-4207-8c17-6a0b7d9b4e3a`);
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { code: 'not_found', error: expect.stringContaining('has no asset') as string },
    ]);
    const foreign = await rig.call('POST', `/v1/request/${rig.foreign}/assets/a`);
    expect([foreign.status, await foreign.json()]).toMatchObject([404, { error: `No request ${rig.foreign} is on record.` }]);
  });
});
