import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestBodiesSchema, requestQueryAnswerSchema } from '../../contract/requests/query.ts';
import { problemSchema } from '../../contract/problem.ts';
import type { RequestId } from '../../model/ids.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { type ApiRig, checked, openApiRig, propertyPath, queryPath } from '../testing/api-harness.ts';

let rig: ApiRig;
const id = '0197b000-0000-7000-8000-00000000dee9' as RequestId;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const branches = (levels: number): string => `${'{"left":1,"operator":"and","right":'.repeat(levels)}"all"${'}'.repeat(levels)}`;
const body = (text: string): RecordedBody => ({ kind: 'json', text });

const usageRaw = (levels: number): unknown => JSON.parse(nested(levels));

beforeAll(async () => {
  rig = await openApiRig();
  // As versions recorded it that had no bound.
  await rig.insert([
    {
      requestId: id,
      createdAt: Date.now(),
      requestBody: body(nested(7000)),
      responseBody: body(branches(5000)),
      usage: { ...unreportedUsage, raw: usageRaw(2000) },
    },
  ]);
});
afterAll(async () => rig.close());

const shown = { request_id: id, request_body: nested(7000), response_body: branches(5000), usage_raw: nested(2000) };

describe('a record that was stored too deep', () => {
  test.each([
    [queryPath, { filter: 'all' }],
    ['/v1/request/query', { filter: 'all' }],
    ['/v1/request/query-ids', { requestIds: [id] }],
  ])('closes no page of %s: its bodies are the texts that they are', async (path, asked) => {
    const { data } = await checked(await rig.call('POST', path, { body: asked }), 200, requestQueryAnswerSchema);
    expect(data).toContainEqual(expect.objectContaining(shown));
  });

  test('is answered by its identifier, and its bodies by their address', async () => {
    const answer = await rig.call('GET', `/v1/request/${id}`);
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { readonly data: { readonly signed_body_url: string } };
    expect(data).toMatchObject(shown);
    const { pathname, search } = new URL(data.signed_body_url);
    const bodies = await checked(await rig.call('GET', pathname + search, { key: null }), 200, requestBodiesSchema);
    expect(bodies).toMatchObject({ request: shown.request_body, response: shown.response_body });
  });
});

test.each([
  ['POST', queryPath],
  ['POST', '/v1/session/query'],
  ['PUT', propertyPath(id)],
  ['PUT', '/v1/prices'],
])('a body of %s %s that nests too deep is refused with a sentence that says so', async (method, path) => {
  for (const text of [`{"filter":${nested(500)}}`, `{"filter":${branches(1000)}}`]) {
    const { code, error } = await checked(await rig.call(method, path, { text, key: 'sk-svc-us-admin' }), 400, problemSchema);
    expect([code, error]).toEqual(['malformed_json', 'The body nests lists and objects more than 500 levels deep; send what nests less.']);
  }
});
