import { afterAll, beforeAll, expect, test } from 'vitest';
import { doneSchema } from '../../contract/responses.ts';
import { requestQueryAnswerSchema } from '../../contract/requests/query.ts';
import { sessionAnswerSchema } from '../../contract/sessions/view.ts';
import { idAt, noon } from '../../query/testing/query-harness.ts';
import { type ApiRig, checked, openApiRig, queryPath } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

const requests = 250;

test('after several of the largest changes of a session its tree, the sessions and the newest requests still answer', async () => {
  const properties = new Map([['Svc-Session-Id', 'wide']]);
  await rig.insert(
    Array.from({ length: requests }, (_, index) => ({
      requestId: idAt(noon + index, index),
      createdAt: noon + index,
      sessionId: 'wide',
      properties,
    })),
  );
  const api = rig.withPorts({ bodyMaxBytes: 1024 * 1024 });
  for (const letter of ['a', 'b', 'c']) {
    // Over 250 requests nearly the 64 MiB that one change may write.
    const body = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`${letter}-${index}`, letter.repeat(8192)]));
    await checked(await rig.call('PUT', '/v1/session/wide/property', { api, body }), 200, doneSchema);
  }
  const { data } = await checked(await rig.call('GET', '/v1/session/wide?limit=1'), 200, sessionAnswerSchema);
  expect([data.requests.length, data.session.total_requests, Object.keys(data.session.properties).length]).toEqual([1, requests, 97]);
  expect((await rig.call('POST', '/v1/session/query', { body: {} })).status).toBe(200);
  const newest = await rig.call('POST', queryPath, { body: { filter: {}, limit: 10 } });
  expect((await checked(newest, 200, requestQueryAnswerSchema)).data).toHaveLength(10);
});
