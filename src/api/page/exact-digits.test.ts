import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import { type ApiRig, openApiRig, queryPath } from '../testing/api-harness.ts';

/** An integer above 2⁵³, a number that is too large, zero with a sign, and digits beyond a double's. */
const digits = '[9007199254740993,1e400,-0,0.10000000000000000001]';
const request = `{"model":"gpt-4o","seed":${digits}}`;
const response = `{"choices":[{"message":{"tool_calls":[{"function":{"arguments":{"order":${digits}}}}]}}]}`;
const id = '0197b000-0000-7000-8000-00000000d161' as RequestId;

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
  await rig.insert([
    { requestId: id, createdAt: Date.now(), requestBody: { kind: 'json', text: request }, responseBody: { kind: 'json', text: response } },
  ]);
});
afterAll(async () => rig.close());

describe('numbers that JavaScript cannot hold are shown with the digits that came', () => {
  test.each([
    ['GET', `/v1/request/${id}`, undefined],
    ['POST', queryPath, { filter: 'all' }],
    ['POST', '/v1/request/query', { filter: 'all' }],
    ['POST', '/v1/request/query-ids', { requestIds: [id] }],
  ] as const)('by %s %s', async (method, path, body) => {
    const text = await (await rig.call(method, path, body === undefined ? {} : { body })).text();
    expect(text).toContain(request);
    expect(text).toContain(response);
  });
});
