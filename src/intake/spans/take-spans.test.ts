import { expect, it } from 'vitest';
import type { Principal } from '../../model/principal.ts';
import { startSpanThread } from './take-spans.ts';

it.each([
  ['application/json', '{"code":14,"message":"The gateway is stopping."}'],
  ['application/x-protobuf', '\b\u000e\u0012\u0018The gateway is stopping.'],
])('%s that cannot be read now is to be sent again, and the answer says when', async (contentType, body) => {
  const thread = startSpanThread({
    admissions: { admit: () => expect.fail(), whenRoom: async () => undefined },
    logCalls: () => expect.fail(),
    maxAddedBytes: 1000,
    onTraces: () => expect.fail(),
    maxBytes: 1000,
    now: () => 0,
    observe: () => undefined,
  });
  await thread.close();
  const owner = { organizationId: 'o' } as Principal;
  const sent = {
    holds: 'spans' as const,
    rawHeaders: ['content-type', contentType],
    body: Buffer.from('{}'),
    signal: new AbortController().signal,
  };
  const { body: bytes, ...answer } = await thread.take(owner, sent);
  expect([answer, Buffer.from(bytes).toString()]).toEqual([{ status: 503, contentType, retryAfterSeconds: 2 }, body]);
});

const received = (contentType: string, encoding = 'identity') => ({
  holds: 'metrics' as const,
  rawHeaders: ['content-type', contentType, 'content-encoding', encoding],
  body: Buffer.from('{}'),
  signal: new AbortController().signal,
});

// NodeSDK, OpenLIT and Mastra send them by default, and print an error for each request that is not taken.
it.each([
  ['application/json', '{}'],
  ['application/x-protobuf', ''],
] as const)('metrics as %s are accepted and counted', async (contentType, body) => {
  const observed: unknown[] = [];
  const thread = startSpanThread({
    admissions: { admit: () => expect.fail(), whenRoom: async () => undefined },
    maxAddedBytes: 1000,
    logCalls: () => expect.fail(),
    onTraces: () => expect.fail(),
    maxBytes: 1000,
    now: () => 0,
    observe: (each) => observed.push(each),
  });
  const owner = { organizationId: 'o' } as Principal;
  const { body: bytes, ...answer } = await thread.take(owner, received(contentType));
  expect([answer, Buffer.from(bytes).toString()]).toEqual([{ status: 200, contentType }, body]);
  expect(observed).toEqual([{ kind: 'telemetry_not_recorded', signal: 'metrics' }]);
  const refused = [received('text/plain'), received(contentType, 'br'), { ...received(contentType), body: Buffer.alloc(1001) }];
  const statuses = await Promise.all(refused.map(async (sent) => (await thread.take(owner, sent)).status));
  expect([statuses, observed.length]).toEqual([[415, 415, 413], 1]);
  await thread.close();
});
