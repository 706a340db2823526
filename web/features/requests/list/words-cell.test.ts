import { expect, it } from 'vitest';
import type { RequestItem } from '../../../../src/client/client.ts';
import { failureMark, phoneFacts } from './words-cell.tsx';

const failed = (response_status: number, failure: object) =>
  ({ response_status, failure }) as unknown as Pick<RequestItem, 'failure' | 'response_status'>;

it('beside the message of a failure stands its status, which leaves room for the reason', () => {
  const failure = { kind: 'status', type: 'invalid_request_error', message: "This model's maximum context length is 8192 tokens." };
  expect(failureMark(failed(400, failure))).toBe('400');
});

it('a failure without a message or a status has its word', () => {
  expect(failureMark(failed(400, { kind: 'status', type: 'invalid_request_error', message: null }))).toBe('invalid_request_error');
  expect(failureMark(failed(200, { kind: 'stream', type: null, message: 'It broke off.' }))).toBe('Response broke off');
});

it('a row on a phone names cost, latency and user before the model, whose end may be cut', () => {
  const request = {
    request_created_at: '2026-03-01T10:00:00Z',
    request_user_id: 'ann',
    model: 'gpt-4o',
    cost: 0.5,
    latency: 2410,
  } as unknown as RequestItem;
  expect(phoneFacts(request, 'UTC').split(' · ').slice(1)).toEqual(['$0.50', '2.41 s', 'ann', 'gpt-4o']);
  expect(
    phoneFacts({ ...request, request_user_id: '' }, 'UTC')
      .split(' · ')
      .slice(3),
  ).toEqual(['gpt-4o']);
});
