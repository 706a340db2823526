import { expect, it } from 'vitest';
import type { RequestItem } from '../../../../src/client/client.ts';
import { failureMark } from './words-cell.tsx';

const failed = (response_status: number, failure: object) =>
  ({ response_status, failure }) as unknown as Pick<RequestItem, 'failure' | 'response_status'>;

it('beside the message of a failure stands its status, which leaves room for the reason', () => {
  const failure = { kind: 'status', type: 'invalid_request_error', message: "This model's maximum context length is 8192 tokens." };
  expect(failureMark(failed(400, failure))).toBe('400');
});

it('a failure without a message or a status has its word', () => {
  expect(failureMark(failed(400, { kind: 'status', type: 'invalid_request_error', message: null }))).toBe('invalid_request_error');
  expect(failureMark(failed(200, { kind: 'stream_broken', type: null, message: 'It broke off.' }))).toBe('stream broken');
});
