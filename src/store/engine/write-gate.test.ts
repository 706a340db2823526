import { describe, expect, it } from 'vitest';
import { WriteGate } from './write-gate.ts';

const blocker = () => {
  let open: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { end: () => open?.(), ended };
};

describe('while writes are held', () => {
  it('those that run end first, beside others, and further ones wait until they may pass', async () => {
    const gate = new WriteGate();
    const done: string[] = [];
    const first = blocker();
    const running = gate.pass(async () => first.ended.then(() => done.push('first')));
    const holding = gate.hold(10_000).then((held) => {
      done.push('held');
      return held;
    });
    await gate.pass(() => Promise.resolve(done.push('beside it')));
    first.end();
    const { release } = await holding;
    const second = gate.pass(() => Promise.resolve(done.push('second')));
    await running;
    expect(done).toEqual(['beside it', 'first', 'held']);
    release();
    await second;
    expect(done).toEqual(['beside it', 'first', 'held', 'second']);
  });

  it('one that waits for too long is refused, and has not run', async () => {
    const gate = new WriteGate(5);
    const { release } = await gate.hold(10);
    let hasRun = false;
    await expect(gate.pass(async () => (hasRun = true))).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(hasRun).toBe(false);
    await expect(gate.hold(10)).rejects.toThrow('held already');
    release();
    expect(await gate.pass(() => Promise.resolve('passed'))).toBe('passed');
  });

  it('after a move each one is refused at once, those that wait too, with the place of the records', async () => {
    const gate = new WriteGate();
    const { close } = await gate.hold(10);
    const waiting = gate.pass(() => Promise.resolve('passed'));
    close('ClickHouse at example.com');
    const refusal = { code: 'store_unavailable', message: expect.stringContaining('have moved to ClickHouse at example.com') as string };
    await expect(waiting).rejects.toMatchObject(refusal);
    await expect(gate.pass(() => Promise.resolve('passed'))).rejects.toMatchObject(refusal);
  });

  it('where one that runs does not end, nothing is held', async () => {
    const gate = new WriteGate();
    const first = blocker();
    const running = gate.pass(() => first.ended);
    await expect(gate.hold(5)).rejects.toThrow('did not end within 5 ms');
    expect(await gate.pass(() => Promise.resolve('passed'))).toBe('passed');
    first.end();
    await running;
  });
});
