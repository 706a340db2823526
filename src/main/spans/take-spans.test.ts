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
    noteTraces: () => expect.fail(),
    maxBytes: 1000,
    now: () => 0,
    observe: () => undefined,
  });
  await thread.close();
  const owner = { organizationId: 'o' } as Principal;
  const sent = { rawHeaders: ['content-type', contentType], body: Buffer.from('{}'), signal: new AbortController().signal };
  const { body: bytes, ...answer } = await thread.take(owner, sent);
  expect([answer, Buffer.from(bytes).toString()]).toEqual([{ status: 503, contentType, retryAfterSeconds: 2 }, body]);
});
