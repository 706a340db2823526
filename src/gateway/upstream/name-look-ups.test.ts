import type { LookupFunction } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { maxLookUps } from './name-look-ups.ts';
import { closeUpstreams, okResponse, scene } from '../testing/upstream-harness.ts';
import { until } from '../testing/raw-http.ts';

afterEach(closeUpstreams);

const atOnce: LookupFunction = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
type Answered = Parameters<LookupFunction>[2];

it('an organisation that has as many names looked up as it may is refused, others are not, and once some are answered there is room', async () => {
  const { provider, send } = await scene((socket) => socket.write(okResponse));
  const asked: Answered[] = [];
  const silent: LookupFunction = (_name, _options, callback) => asked.push(callback);
  const origin = (name: string): string => `http://${name}.example:${provider.port}`;
  const calls = Array.from({ length: maxLookUps }, (_, index) => send({ origin: origin(`slow${index}`), lookUp: silent }));
  await until(() => asked.length === maxLookUps);

  const further = send({ origin: origin('further'), lookUp: atOnce });
  await until(() => further.isOver());
  expect([further.error?.code, further.error?.message]).toEqual(['too_many_calls', expect.stringContaining('64 names of hosts looked up')]);
  const other = send({ organizationId: 'two', origin: origin('further'), lookUp: atOnce });
  await until(() => other.isOver());
  expect(other.body).toBe('ok');

  for (const answer of asked) answer(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
  await until(() => calls.every((seen) => seen.isOver()));
  const later = send({ origin: origin('later'), lookUp: atOnce });
  await until(() => later.isOver());
  expect(later.body).toBe('ok');
});
