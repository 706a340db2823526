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

test('a query of its requests in the order of time continues behind the cursor of a session, and need not sum it up', async () => {
  const made = Array.from({ length: 5 }, (_, index) => ({
    requestId: idAt(noon + index, 900 + index),
    createdAt: noon + index,
    sessionId: 'continued',
    properties: new Map([['Svc-Session-Id', 'continued']]),
  }));
  await rig.insert(made);
  const first = await rig.call('GET', '/v1/session/continued?limit=2');
  const cursor = first.headers.get('svc-next-cursor');
  const filter = { sessions_request_response_rmt: { session_session_id: { equals: 'continued' } } };
  const body = { filter, sort: { created_at: 'asc' }, limit: 100, includeBodies: false, cursor };
  const { data: further } = await checked(await rig.call('POST', queryPath, { body }), 200, requestQueryAnswerSchema);
  const { data } = await checked(first, 200, sessionAnswerSchema);
  expect([...data.requests, ...further].map(({ request_id: id }) => id)).toEqual(made.map(({ requestId }) => requestId));
  const whole = await checked(await rig.call('GET', '/v1/session/continued'), 200, sessionAnswerSchema);
  // The address of its bodies is signed at the time of the call.
  const undated = further.map((item) => ({ ...item, signed_body_url: expect.any(String) as string }));
  expect(whole.data.requests.slice(2)).toEqual(undated);
});
