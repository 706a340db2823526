import { describe, expect, it } from 'vitest';
import { SharedWork } from './shared-work.ts';

interface Started {
  readonly signal: AbortSignal;
  readonly end: (result: string) => void;
  readonly fail: (error: Error) => void;
}

/** Work that ends when the test says so. */
function makeWork() {
  const started: Started[] = [];
  const work = async (signal: AbortSignal): Promise<string> =>
    new Promise<string>((end, fail) => {
      started.push({ signal, end, fail });
    });
  return { started, work, shared: new SharedWork<string>() };
}

const never = new AbortController().signal;

describe('work that several ask for at the same time', () => {
  it('is done once, and again for who asks after its end', async () => {
    const { started, work, shared } = makeWork();
    const both = Promise.all([shared.run('a', never, work), shared.run('a', never, work)]);
    started[0]?.end('one');
    expect(await both).toEqual(['one', 'one']);
    const next = shared.run('a', never, work);
    started[1]?.end('two');
    expect([await next, started.length]).toEqual(['two', 2]);
  });

  it('is done for each key', async () => {
    const { started, work, shared } = makeWork();
    const both = Promise.all([shared.run('a', never, work), shared.run('b', never, work)]);
    started.forEach(({ end }, index) => end(String(index)));
    expect(await both).toEqual(['0', '1']);
  });

  it('goes on when one of them leaves, and is aborted when the last one does', async () => {
    const { started, work, shared } = makeWork();
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = [shared.run('a', first.signal, work), shared.run('a', second.signal, work)];
    const outcomes = Promise.allSettled(asked);
    first.abort(new Error('left'));
    expect(started[0]?.signal.aborted).toBe(false);
    second.abort(new Error('left too'));
    expect(started[0]?.signal.aborted).toBe(true);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    void shared.run('a', never, work);
    expect(started).toHaveLength(2);
  });

  it('fails for all, and is not begun for who has left', async () => {
    const { started, work, shared } = makeWork();
    await expect(shared.run('a', AbortSignal.abort(new Error('left')), work)).rejects.toThrow('left');
    expect(started).toHaveLength(0);
    const outcomes = Promise.allSettled([shared.run('a', never, work), shared.run('a', never, work)]);
    started[0]?.fail(new Error('no store'));
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
