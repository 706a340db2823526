import { afterEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../auth/api-key.ts';
import { GatelogError } from '../../model/errors.ts';
import type { VerifyKey } from '../credentials/credentials.ts';
import { closeAll, rigWith, scripted } from '../testing/scripted-provider.ts';
import type { Rating } from './feedback.ts';
import { openAiAt, principal } from '../testing/gateway-harness.ts';
import { call, ourKey, type RawResponse, requestText } from '../testing/raw-http.ts';

afterEach(closeAll);

const requestId = '018f0000-0000-7000-8000-000000000000';
const json = 'Content-Type: application/json';

const verifyKey: VerifyKey = (keyHash) => (keyHash === hashKey(ourKey) ? { ...principal, keyHash } : undefined);

async function rate(
  body: string,
  failure?: Error,
  line = 'POST /v1/feedback',
): Promise<[RawResponse, readonly (readonly [string, Rating])[]]> {
  const given: (readonly [string, Rating])[] = [];
  const openAi = await scripted(200);
  const giveFeedback = async (key: string, rating: Rating): Promise<void> => {
    given.push([key, rating]);
    if (failure !== undefined) throw failure;
  };
  const rig = await rigWith({ providers: openAiAt(openAi.port), ports: { giveFeedback, verifyKey } });
  const response = await call(rig.port, requestText(line, [json], body));
  expect(openAi.requests).toEqual([]);
  return [response, given];
}

describe('a rating at the gateway', () => {
  it('is given with its caller`s key, and to no provider', async () => {
    const [response, given] = await rate(JSON.stringify({ 'helicone-id': requestId, rating: false }));
    expect([response.status, JSON.parse(response.body.toString())]).toEqual([200, { data: null, error: null }]);
    expect(given).toEqual([[ourKey, { requestId, rating: false }]]);
  });

  it.each([
    '{}',
    '',
    '[1]',
    `{"helicone-id":"${requestId}"}`,
    `{"helicone-id":"${requestId}","rating":1}`,
    '{"helicone-id":"../x","rating":true}',
  ])('%j is 400, and nothing is given', async (body) => {
    const [response, given] = await rate(body);
    expect([response.status, given]).toEqual([400, []]);
  });

  it.each([
    [new GatelogError('not_found', 'No such request.'), 404, 'not_found'],
    [new TypeError('fetch failed'), 503, 'feedback_unavailable'],
  ])('%s is told', async (failure, status, code) => {
    const [response] = await rate(JSON.stringify({ 'helicone-id': requestId, rating: true }), failure);
    expect([response.status, JSON.parse(response.body.toString())]).toMatchObject([status, { error: { code } }]);
  });

  it.each(['GET /v1/feedback', 'PUT /v1/feedback', 'POST /v1/feedback/x', 'DELETE /v1/feedback?x=1'])(
    '%s reaches no provider',
    async (line) => {
      const [response] = await rate('', undefined, line);
      expect([response.status, JSON.parse(response.body.toString())]).toMatchObject([404, { error: { code: 'not_found' } }]);
    },
  );
});
