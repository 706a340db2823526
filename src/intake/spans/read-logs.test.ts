import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { encodedLogs, logsRequestOf, type WrittenLog } from '../../otlp/testing/logs.ts';
import { unpackCalls } from '../record/packed-calls.ts';
import { makeReadSpans, type SpansTask } from './read-spans.ts';

const logs: readonly WrittenLog[] = [
  { eventName: 'gen_ai.user.message', body: { content: 'Why?' } },
  { eventName: 'app.started', body: 'So.' },
];
const task: SpansTask = {
  holds: 'logs',
  organizationId: '00000000-0000-4000-8000-000000000001' as OrganizationId,
  encoding: 'json',
  isCompressed: false,
  maxBytes: 100_000,
  maxAddedBytes: 100_000,
  defaults: { properties: [] },
  now: Date.UTC(2026, 10, 2),
};
const json = Buffer.from(JSON.stringify(logsRequestOf(logs)));
const protobuf = Buffer.from(encodedLogs(logs));

it.each([
  ['JSON', 'json', false, json],
  ['JSON, compressed', 'json', true, gzipSync(json)],
  ['protocol buffers', 'protobuf', false, protobuf],
  ['protocol buffers, compressed', 'protobuf', true, gzipSync(protobuf)],
] as const)('log records in %s are read; what tells of no call of a model is counted', (_how, encoding, isCompressed, body) => {
  const read = makeReadSpans()(body, { ...task, encoding, isCompressed });
  if ('refusal' in read) throw new Error(read.refusal.message);
  const calls = [...unpackCalls(read.calls)].map(({ requestBody }) => JSON.parse(Buffer.from(requestBody).toString()) as unknown);
  expect([calls, read.others]).toEqual([[{ messages: [{ role: 'user', content: 'Why?' }] }], 1]);
  expect(Buffer.from(read.response).toString()).toBe(encoding === 'json' ? '{}' : '');
});

it.each([
  ['no JSON', {}, Buffer.from('hello'), 'malformed_request'],
  ['no protocol buffers', { encoding: 'protobuf' }, Buffer.from('hello'), 'malformed_request'],
  ['no gzip', { isCompressed: true }, json, 'malformed_request'],
  ['more than a body may be', { isCompressed: true, maxBytes: 100 }, gzipSync(json), 'body_too_large'],
  ['more than may be added', { maxAddedBytes: 10 }, json, 'body_too_large'],
] as const)('a body that is %s is refused and says so', (_what, given, body, code) => {
  expect(makeReadSpans()(body, { ...task, ...given })).toEqual({ refusal: { code, message: expect.stringMatching(/\w{3}/) as string } });
});

it('the answer counts records that are beyond the most of a request', () => {
  const many = Buffer.from(JSON.stringify(logsRequestOf(Array.from({ length: 10_001 }, () => ({ body: 'x' })))));
  const read = makeReadSpans()(many, { ...task, maxBytes: many.length });
  expect('response' in read && JSON.parse(Buffer.from(read.response).toString())).toEqual({
    partialSuccess: {
      rejectedLogRecords: '1',
      errorMessage: 'Not recorded: 1 × a request has at most 10000 log records; send smaller batches.',
    },
  });
});
