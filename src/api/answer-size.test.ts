import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemSchema } from '../contract/problem.ts';
import { requestAnswerSchema, requestQueryAnswerSchema } from '../contract/requests.ts';
import { type ApiRig, checked, openApiRig, queryPath } from './api-rig.ts';

let rig: ApiRig;
/** Identifiers of three stored requests, and the bytes of all their bodies. */
let requestIds: readonly string[];
let bytes: number;
beforeAll(async () => {
  rig = await openApiRig(2);
  const { data } = await checked(await rig.call('POST', queryPath, { body: { filter: {} } }), 200, requestQueryAnswerSchema);
  requestIds = data.map(({ request_id: id }) => id);
  bytes = data.reduce((sum, { size_bytes: size }) => sum + size, 0);
});
afterAll(async () => rig.close());

test('a page whose bodies just fit into one answer is shown', async () => {
  const api = rig.withPorts({ answerBodiesMaxBytes: bytes });
  const { data } = await checked(await rig.call('POST', queryPath, { api, body: { filter: {} } }), 200, requestQueryAnswerSchema);
  expect(data).toHaveLength(3);
});

test.each([
  [queryPath, () => ({ filter: {} })],
  ['/v1/request/query', () => ({ filter: {} })],
  ['/v1/request/query-ids', () => ({ requestIds })],
])('a page with a byte more is 422 at %s and says what to ask for', async (path, body) => {
  const api = rig.withPorts({ answerBodiesMaxBytes: bytes - 1 });
  const problem = await checked(await rig.call('POST', path, { api, body: body() }), 422, problemSchema);
  expect(problem).toMatchObject({
    code: 'query_too_large',
    error: expect.stringMatching(
      new RegExp(`^The bodies of these 3 requests have ${bytes} bytes; one answer holds ${bytes - 1}\\. Ask for fewer at once`),
    ) as string,
  });
});

test('a smaller limit and its cursor give all of it', async () => {
  const api = rig.withPorts({ answerBodiesMaxBytes: bytes - 1 });
  const first = await rig.call('POST', queryPath, { api, body: { filter: {}, limit: 2 } });
  const cursor = first.headers.get('svc-next-cursor');
  const rest = await rig.call('POST', queryPath, { api, body: { filter: {}, limit: 2, cursor } });
  const pages = [await checked(first, 200, requestQueryAnswerSchema), await checked(rest, 200, requestQueryAnswerSchema)];
  expect(pages.flatMap(({ data }) => data.map(({ request_id: id }) => id))).toEqual(requestIds);
});

test('a single request is always shown', async () => {
  const api = rig.withPorts({ answerBodiesMaxBytes: 1 });
  const { data } = await checked(await rig.call('GET', `/v1/request/${rig.stored}`, { api }), 200, requestAnswerSchema);
  expect(data.request_body).not.toBeNull();
});
