import { describe, expect, test } from 'vitest';
import { FairSemaphore, type Permit } from './fair-semaphore.ts';

const turnsOf = (units: number, maxUnitsOfOwner = units, maxWaitingOfOwner = 100): FairSemaphore =>
  new FairSemaphore({ units, maxUnitsOfOwner, maxWaitingOfOwner, refusal: (why) => new Error(why) });

/** Lets everything that can go on go on. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Asks for one unit in the name of each, and says in which order they are given when each gives its unit back at once. */
async function orderOf(turns: FairSemaphore, owners: readonly string[]): Promise<string[]> {
  const order: string[] = [];
  await Promise.all(
    owners.map(async (owner) => {
      const grant = await turns.acquire(1, { owner });
      order.push(owner);
      grant.release();
    }),
  );
  return order;
}

describe('units that are shared out', () => {
  test('go to whoever waits, an owner at a time', async () => {
    const turns = turnsOf(1);
    const first = await turns.acquire(1, { owner: 'a' });
    const order = orderOf(turns, ['a', 'a', 'a', 'b', 'c', 'b']);
    await settled();
    first.release();
    expect(await order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
    expect([turns.used, turns.waiting]).toEqual([0, 0]);
  });

  test('are never all held by one owner where its share is less, also when nobody else waits', async () => {
    const turns = turnsOf(3, 2);
    await turns.acquire(1, { owner: 'a' });
    await turns.acquire(1, { owner: 'a' });
    let third: Permit | undefined;
    void turns.acquire(1, { owner: 'a' }).then((grant) => (third = grant));
    await settled();
    expect([third, turns.used, turns.waiting]).toEqual([undefined, 2, 1]);
    // One who waits for its own share is in nobody's way.
    const other = await turns.acquire(1, { owner: 'b' });
    expect(turns.used).toBe(3);
    other.release();
    await settled();
    expect(third).toBeUndefined();
  });

  test('are never more than the share of an owner, however many it asks for', async () => {
    const turns = turnsOf(4, 2);
    const much = await turns.acquire(100, { owner: 'a' });
    expect(turns.used).toBe(2);
    much.release();
    expect(turns.used).toBe(0);
  });

  test('come to those who need few where who needs many waits for what others hold for long', async () => {
    const turns = new FairSemaphore({
      units: 4,
      maxUnitsOfOwner: 2,
      maxWaitingOfOwner: 10,
      maxBlockMs: 1,
      refusal: (why) => new Error(why),
    });
    const [held] = await Promise.all(['a', 'b'].map((owner) => turns.acquire(owner === 'a' ? 2 : 1, { owner })));
    const order: string[] = [];
    const many = turns.acquire(2, { owner: 'c' }).then(() => order.push('many'));
    // One comes while it is still waited for, one when it no longer is.
    for (let time = 0; time < 2; time += 1) (await turns.acquire(1, { owner: 'd' })).release();
    order.push('few');
    held?.release();
    await many;
    expect(order).toEqual(['few', 'many']);
  });

  test('come to one who needs many although others need few', async () => {
    const turns = turnsOf(4);
    const few = await Promise.all([1, 1, 1].map((units) => turns.acquire(units, { owner: 'a' })));
    const order: string[] = [];
    void turns.acquire(4, { owner: 'b' }).then(() => order.push('many'));
    void turns.acquire(1, { owner: 'c' }).then(() => order.push('few'));
    await settled();
    expect(order).toEqual([]);
    for (const grant of few) grant.release();
    await settled();
    expect(order).toEqual(['many']);
  });

  test('go back in part, and once', async () => {
    const turns = turnsOf(4);
    const grant = await turns.acquire(4, { owner: 'a' });
    grant.keep(1);
    grant.keep(3);
    expect(turns.used).toBe(1);
    grant.release();
    grant.release();
    expect(turns.used).toBe(0);
  });
});

describe('one who waits', () => {
  test('and leaves is out of the line at once, and not in the way of the next', async () => {
    const turns = turnsOf(2);
    await turns.acquire(1, { owner: 'a' });
    const leaving = new AbortController();
    const left = turns.acquire(2, { owner: 'b', signal: leaving.signal }).catch((error: unknown) => error);
    const next = turns.acquire(1, { owner: 'c' });
    await settled();
    expect(turns.waiting).toBe(2);
    leaving.abort(new Error('gone'));
    expect(turns.waiting).toBe(0);
    expect(await left).toMatchObject({ message: 'gone' });
    await next;
  });

  test('waits no longer than it said', async () => {
    const turns = turnsOf(1);
    await turns.acquire(1, { owner: 'a' });
    await expect(turns.acquire(1, { owner: 'b', maxWaitMs: 1 })).rejects.toThrow('late');
    await expect(turns.acquire(1, { owner: 'b', maxWaitMs: 0 })).rejects.toThrow('late');
    expect(turns.waiting).toBe(0);
  });

  test('is refused where too many of its own wait already, and nobody else', async () => {
    const turns = turnsOf(1, 1, 1);
    await turns.acquire(1, { owner: 'a' });
    void turns.acquire(1, { owner: 'b' });
    await settled();
    await expect(turns.acquire(1, { owner: 'b' })).rejects.toThrow('full');
    void turns.acquire(1, { owner: 'c' });
    await settled();
    expect(turns.waiting).toBe(2);
  });
});
