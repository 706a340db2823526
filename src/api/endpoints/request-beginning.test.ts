import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginningLength, requestBeginningAnswerSchema } from '../../contract/requests/beginning.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { idAt, noon } from '../../query/testing/query-harness.ts';
import { type ApiRig, checked, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

type Bodies = Pick<RequestRecord, 'requestBody' | 'responseBody'>;

let number = 0;

async function beginningWith(bodies: Bodies) {
  number += 1;
  const requestId = idAt(noon, 900 + number);
  await rig.insert([{ requestId, createdAt: noon, ...bodies }]);
  const { data } = await checked(await rig.call('GET', `/v1/request/${requestId}/beginning`), 200, requestBeginningAnswerSchema);
  return { requestId, ...data };
}

describe('GET /v1/request/{id}/beginning', () => {
  it('has the request without its bodies, and these as they are recorded where they are short', async () => {
    const {
      requestId,
      request,
      request_body: begins,
      response_body: other,
    } = await beginningWith({
      requestBody: { kind: 'json', text: '{"a":1.50}' },
      responseBody: { kind: 'binary', base64: 'AQID', contentType: 'image/png' },
    });
    expect([request.request_id, request.request_body, request.response_body]).toEqual([requestId, null, null]);
    expect(begins).toEqual({ kind: 'json', text: '{"a":1.50}', content_type: '', is_whole: true });
    expect(other).toEqual({ kind: 'binary', text: 'AQID', content_type: 'image/png', is_whole: true });
  });

  it('has the first characters of a long body, and says that it goes on', async () => {
    const text = JSON.stringify('é'.repeat(3_000_000));
    const { request_body: begins, response_body: other } = await beginningWith({
      requestBody: { kind: 'json', text },
      responseBody: { kind: 'text', text: '€'.repeat(beginningLength) },
    });
    expect(begins).toEqual({ kind: 'json', text: text.slice(0, beginningLength), content_type: '', is_whole: false });
    expect(other).toEqual({ kind: 'text', text: '€'.repeat(beginningLength), content_type: '', is_whole: true });
  });

  it('has null for a body that was not kept', async () => {
    const { request_body: begins, response_body: other } = await beginningWith({
      requestBody: { kind: 'absent' },
      responseBody: { kind: 'text', text: 'a' },
    });
    expect([begins, other?.text]).toEqual([null, 'a']);
  });
});
