import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doneSchema } from '../../contract/responses.ts';
import { problemSchema } from '../../contract/problem.ts';
import type { RequestItem } from '../../contract/requests/item.ts';
import { requestAnswerSchema, requestQueryAnswerSchema } from '../../contract/requests/query.ts';
import { sessionAnswerSchema } from '../../contract/sessions/view.ts';
import type { Hono } from 'hono';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { idAt, noon } from '../../query/testing/query-harness.ts';
import { type ApiRig, checked, openApiRig, propertyPath, queryPath } from '../testing/api-harness.ts';

let rig: ApiRig;
/** Identifiers of three stored requests, and the bytes of all their bodies and properties. */
let requestIds: readonly string[];
let bytes: number;
beforeAll(async () => {
  rig = await openApiRig(2);
  const { data } = await checked(await rig.call('POST', queryPath, { body: { filter: {} } }), 200, requestQueryAnswerSchema);
  requestIds = data.map(({ request_id: id }) => id);
  bytes = data.reduce((sum, item) => sum + item.size_bytes + textBytes(item), 0);
});
afterAll(async () => rig.close());

/** The texts of any length beside the bodies; an item holds its properties twice. */
function textBytes({ properties, usage_raw: usage }: RequestItem): number {
  const texts = Object.entries(properties).flatMap(([name, text]) => [name, text, name, text]);
  return Buffer.byteLength(texts.join('')) + (usage === null ? 0 : Buffer.byteLength(JSON.stringify(usage)));
}

test('a page whose bodies and properties just fit into one answer is shown', async () => {
  const api = rig.withPorts({ answerMaxBytes: bytes });
  const { data } = await checked(await rig.call('POST', queryPath, { api, body: { filter: {} } }), 200, requestQueryAnswerSchema);
  expect(data).toHaveLength(3);
});

test.each([
  [queryPath, () => ({ filter: {} })],
  ['/v1/request/query', () => ({ filter: {} })],
  ['/v1/request/query-ids', () => ({ requestIds })],
])('a page with a byte more is 422 at %s and says what to ask for', async (path, body) => {
  const api = rig.withPorts({ answerMaxBytes: bytes - 1 });
  const problem = await checked(await rig.call('POST', path, { api, body: body() }), 422, problemSchema);
  expect(problem).toMatchObject({
    code: 'query_too_large',
    error: expect.stringMatching(
      new RegExp(
        `^The bodies and properties of these 3 requests have ${bytes} bytes; one answer holds ${bytes - 1}\\. Ask for fewer at once`,
      ),
    ) as string,
  });
});

test('a smaller limit and its cursor give all of it', async () => {
  const api = rig.withPorts({ answerMaxBytes: bytes - 1 });
  const first = await rig.call('POST', queryPath, { api, body: { filter: {}, limit: 2 } });
  const cursor = first.headers.get('svc-next-cursor');
  const rest = await rig.call('POST', queryPath, { api, body: { filter: {}, limit: 2, cursor } });
  const pages = [await checked(first, 200, requestQueryAnswerSchema), await checked(rest, 200, requestQueryAnswerSchema)];
  expect(pages.flatMap(({ data }) => data.map(({ request_id: id }) => id))).toEqual(requestIds);
});

const tightApi = (): Hono => rig.withPorts({ answerMaxBytes: 1_500_000 });

describe('bodies that expand to much more than passed', () => {
  const text = 'x'.repeat(300_000);
  const expanded = [1, 2, 3].map((index) => ({
    requestId: idAt(noon + index, index),
    createdAt: noon + index,
    userId: 'expanding',
    sizeBytes: 100,
    requestBody: { kind: 'json', text: JSON.stringify({ text }) },
    responseBody: { kind: 'text', text },
  })) satisfies readonly Partial<RequestRecord>[];
  const filter = { request_response_rmt: { user_id: { equals: 'expanding' } } };
  beforeAll(() => rig.insert(expanded));

  test.each([
    [queryPath, { filter }],
    ['/v1/request/query-ids', { requestIds: expanded.map(({ requestId }) => requestId) }],
  ])('are counted as they are shown: at %s a page with too many of them is 422 and says what to ask for', async (path, body) => {
    const problem = await checked(await rig.call('POST', path, { api: tightApi(), body }), 422, problemSchema);
    expect(problem.code).toBe('query_too_large');
    expect(problem.error).toMatch(
      /have more than the 1500000 bytes that one answer holds\. Ask for fewer at once: a smaller `limit` and the cursor/,
    );
    expect(problem.error).toContain('leave the bodies out by `"includeBodies": false`');
  });

  test('come with a smaller limit, and are what was recorded', async () => {
    const { data } = await checked(
      await rig.call('POST', queryPath, { api: tightApi(), body: { filter, limit: 2 } }),
      200,
      requestQueryAnswerSchema,
    );
    expect(data.map((item) => [item.request_body, item.response_body])).toEqual([
      [{ text }, text],
      [{ text }, text],
    ]);
  });

  test('of one request are always shown, by its identifier, on a page of one and by their address', async () => {
    const tight = rig.withPorts({ answerMaxBytes: 1000 });
    const one = await checked(await rig.call('GET', `/v1/request/${expanded[0]?.requestId}`, { api: tight }), 200, requestAnswerSchema);
    expect(one.data.response_body).toBe(text);
    const page = await rig.call('POST', queryPath, { api: tight, body: { filter, limit: 1 } });
    expect((await checked(page, 200, requestQueryAnswerSchema)).data[0]?.request_body).toEqual({ text });
    const { pathname, search } = new URL(one.data.signed_body_url ?? '');
    const bodies = await rig.call('GET', pathname + search, { key: null, api: tight });
    expect(await bodies.json()).toEqual({ request: { text }, response: text });
  });

  test('are left out where the query says so, and then any page fits', async () => {
    const body = { filter, includeBodies: false };
    const { data } = await checked(await rig.call('POST', queryPath, { api: tightApi(), body }), 200, requestQueryAnswerSchema);
    expect(data.map((item) => [item.request_body, item.response_body])).toEqual([1, 2, 3].map(() => [null, null]));
  });
});

test('a single request is always shown', async () => {
  const api = rig.withPorts({ answerMaxBytes: 1 });
  const { data } = await checked(await rig.call('GET', `/v1/request/${rig.stored}`, { api }), 200, requestAnswerSchema);
  expect(data.request_body).not.toBeNull();
});

describe('a session', () => {
  const sessionPath = '/v1/session/wide';
  const wide = { 'Svc-Session-Id': 'wide', Long: 'ä'.repeat(1000) };
  // What the rows hold beside these two properties is a few bytes.
  const least = 2 * 2 * 2000;
  beforeAll(async () => {
    for (const id of requestIds.slice(0, 2)) await checked(await rig.call('PUT', propertyPath(id), { body: wide }), 200, doneSchema);
  });

  test.each(['', '?includeBody=true'])(
    'whose page has more properties than an answer is 422 and says what to ask for (%s)',
    async (query) => {
      const api = rig.withPorts({ answerMaxBytes: least });
      const problem = await checked(await rig.call('GET', sessionPath + query, { api }), 422, problemSchema);
      expect(problem).toMatchObject({
        code: 'query_too_large',
        error: expect.stringMatching(/properties of these 2 requests have \d+ bytes.*a smaller `limit` and the cursor/) as string,
      });
    },
  );

  test('is read with a smaller limit and the cursor', async () => {
    const api = rig.withPorts({ answerMaxBytes: least });
    const first = await rig.call('GET', `${sessionPath}?limit=1`, { api });
    const cursor = encodeURIComponent(first.headers.get('svc-next-cursor') ?? '');
    const rest = await rig.call('GET', `${sessionPath}?limit=1&cursor=${cursor}`, { api });
    const pages = [await checked(first, 200, sessionAnswerSchema), await checked(rest, 200, sessionAnswerSchema)];
    expect(pages.map(({ data }) => data.requests.length)).toEqual([1, 1]);
  });
});
