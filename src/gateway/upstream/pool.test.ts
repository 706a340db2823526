import { describe, expect, it } from 'vitest';
import { PendingRequest, type RequestCallbacks } from './pending-request.ts';
import { PoolExhaustedError, ProviderPool } from './pool.ts';

/** What became of one call without a reply. */
class Seen implements RequestCallbacks {
  error: Error | undefined;
  sentAgain(): void {}
  head(): void {}
  body(): void {}
  complete(): void {}
  failed(error: Error): void {
    this.error = error;
  }
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('calls that wait for a connection', () => {
  it('do not have theirs begun all in one turn of the event loop', async () => {
    const begun: string[] = [];
    const pool = new ProviderPool({
      host: 'provider',
      connections: 100,
      organizationSharePercent: 90,
      shareWaitMs: 60_000,
      connect: (_, organizationId) => begun.push(organizationId),
      headerMaxBytes: 65_536,
      headersTimeoutMs: 60_000,
      bodyTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      monotonic: () => 0,
    });
    const request = { method: 'GET', head: '', body: null, contentLength: undefined };
    for (let count = 0; count < 80; count += 1) new PendingRequest(pool, 'one', request, new Seen()).send();
    const perTurn: number[] = [];
    while (begun.length < 80) {
      const before = begun.length;
      await turn();
      perTurn.push(begun.length - before);
    }
    expect(perTurn).toEqual([32, 32, 16]);
    pool.close();
  });

  it('those for which one is being opened wait for that; the others end once they have waited for too long, the oldest first', async () => {
    let now = 0;
    const pool = new ProviderPool({
      host: 'provider',
      connections: 1,
      organizationSharePercent: 90,
      shareWaitMs: 60_000_000,
      // Takes longer than all that follows.
      connect: () => undefined,
      headerMaxBytes: 65_536,
      headersTimeoutMs: 100,
      bodyTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      monotonic: () => now,
    });
    const request = { method: 'GET', head: '', body: null, contentLength: undefined };
    const calls = [0, 10, 60].map((at) => {
      now = at;
      const seen = new Seen();
      new PendingRequest(pool, 'one', request, seen).send();
      return seen;
    });
    // The pool opens its connection at the end of the turn.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    const told = (at: number): readonly boolean[] => {
      pool.checkTimeouts(at);
      return calls.map(({ error }) => error instanceof PoolExhaustedError);
    };
    expect([109, 110, 159, 160].map(told)).toEqual([
      [false, false, false],
      [false, true, false],
      [false, true, false],
      [false, true, true],
    ]);
    expect([told(1_000_000), pool.counts().waiting]).toEqual([[false, true, true], 1]);
    pool.close();
  });
});
