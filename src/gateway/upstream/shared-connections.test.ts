import { afterEach, describe, expect, it } from 'vitest';
import { closeUpstreams, okResponse, type Scene, scene, type Seen } from '../testing/upstream-harness.ts';
import { type RawProvider, until } from '../testing/raw-http.ts';

afterEach(closeUpstreams);

/** Calls of one organisation to a provider that answers none. */
const hold = (send: Scene['send'], organizationId: string, count: number): readonly Seen[] =>
  Array.from({ length: count }, (_, index) => send({ organizationId, path: `/${organizationId}/${index}` }));
const asked = (provider: RawProvider): readonly string[] =>
  provider.sockets.flatMap((_, index) => [...provider.received(index).matchAll(/POST \/(\S+)/g)].map(([, path]) => path ?? ''));

describe('connections that several organisations want', () => {
  it('one that holds all that it may leaves some to each that comes', async () => {
    const { provider, send, upstream } = await scene(() => undefined, { connections: 20, organizationSharePercent: 80 });
    hold(send, 'greedy', 100);
    await until(() => upstream.counts().busy === 16);
    hold(send, 'second', 1);
    await until(() => asked(provider).includes('second/0'));
    hold(send, 'second', 100);
    // 80 of 100 of the four that the first one leaves.
    await until(() => upstream.counts().busy === 20);
    expect(asked(provider).filter((path) => path.startsWith('greedy')).length).toBe(16);
    expect(upstream.counts()).toEqual({ busy: 20, idle: 0, waiting: 84 + 97 });
  });

  it('alone it has all but the rest that is kept for others, and its calls go on as its own end', async () => {
    const { provider, send, upstream } = await scene(() => undefined, { connections: 10, organizationSharePercent: 90 });
    const calls = hold(send, 'one', 12);
    await until(() => upstream.counts().busy === 9);
    expect(upstream.counts()).toEqual({ busy: 9, idle: 0, waiting: 3 });
    provider.sockets[0]?.write(okResponse.replace('OK\r\n', 'OK\r\nConnection: close\r\n'));
    await until(() => calls.some(({ isComplete }) => isComplete) && asked(provider).length === 10);
    expect(upstream.counts()).toEqual({ busy: 9, idle: 0, waiting: 2 });
    calls[1]?.call?.abort(new Error('the client has left'));
    await until(() => asked(provider).length === 11);
  });

  it('a connection that becomes free goes to each organisation in turn, however many calls one of them has waiting', async () => {
    const { provider, send } = await scene((socket) => socket.on('data', () => undefined), { connections: 1 });
    hold(send, 'a', 4);
    await until(() => asked(provider).length === 1);
    hold(send, 'b', 2);
    hold(send, 'c', 1);
    for (let count = 1; count < 7; count += 1) {
      provider.sockets[0]?.write(okResponse);
      await until(() => asked(provider).length === count + 1);
    }
    expect(asked(provider)).toEqual(['a/0', 'a/1', 'b/0', 'c/0', 'a/2', 'b/1', 'a/3']);
  });

  it('a call beyond the share of its organisation is told so after the wait for that, and the calls of others are not', async () => {
    let now = 0;
    const options = { connections: 4, organizationSharePercent: 75, shareWaitMs: 100, monotonic: () => now };
    const { send, upstream } = await scene(() => undefined, options);
    const calls = hold(send, 'one', 4);
    await until(() => upstream.counts().busy === 3);
    hold(send, 'two', 1);
    await until(() => upstream.counts().busy === 4);
    const [third] = hold(send, 'three', 1);
    now = 100;
    await until(() => calls[3]?.isOver() === true);
    expect([calls[3]?.error?.code, calls[3]?.error?.status, calls[3]?.error?.retryAfterSeconds, calls[3]?.error?.message]).toEqual([
      'too_many_calls',
      503,
      2,
      expect.stringContaining('(GATELOG_ORGANIZATION_SHARE_PERCENT: 75 of what others leave of GATELOG_PROVIDER_CONNECTIONS: 4)'),
    ]);
    expect([third?.isOver(), upstream.counts()]).toEqual([false, { busy: 4, idle: 0, waiting: 1 }]);
  });
});
