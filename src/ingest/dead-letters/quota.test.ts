import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { DeadLetters } from './store.ts';
import { type IngestRig, openRig, SpoolRig } from '../testing/ingest-harness.ts';
import { DeadLetterQuota } from './quota.ts';
import { openReplay } from '../testing/replay-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const count = 60;
const maxBytes = 32 * 1024;

interface Flood {
  readonly spool: SpoolRig;
  readonly letters: DeadLetters;
  /** Identifiers of the requests, the oldest first. */
  readonly ids: readonly string[];
  /** Bytes of all letters after each, when the ingest had waited for room. */
  readonly held: readonly number[];
  /** How often letters were looked at for the oldest. */
  readonly looks: number;
}

/** Lets a store refuse everything. @param removeOrphans what the store does to remove what it has taken of letters. */
async function flood(removeOrphans = async (): Promise<void> => undefined): Promise<Flood> {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const ids: string[] = [];
  const start = systemClock.now() - count;
  for (let index = 0; index < count; index += 1) ids.push(await spool.write(writer, { open: { openedAt: start + index } }));
  const letters = new DeadLetters(spool.deadLetterFolder, systemClock.now);
  const room = new DeadLetterQuota({ deadLetters: letters, maxBytes, maxWaitMs: 60_000 });
  const held: number[] = [];
  const { drain, replay } = await openReplay(
    spool,
    {
      interpret: async (tasks) => tasks.map(() => ({ failure: 'refused' })),
      limits: { maxRows: 1, maxBytes: 1024 * 1024 },
      deadLetters: letters,
      deadLetterQuota: {
        enforce: async () => {
          await room.enforce();
          held.push(bytesIn(spool.deadLetterFolder));
        },
      },
    },
    { deadLetters: letters, removeOrphans },
  );
  let looks = 0;
  room.onEvict(async (most) => {
    looks += 1;
    await replay.prune(0, most);
  });
  drain.start();
  await drain.stop(60_000);
  return { spool, letters, ids, held, looks };
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
}

describe('while the store refuses everything', () => {
  test('the letters never have more bytes than they may; the oldest went, and not every letter made for a look at all of them', async () => {
    const { spool, ids, held, looks } = await flood();
    expect(held).toHaveLength(count);
    expect(Math.max(...held)).toBeLessThanOrEqual(maxBytes);
    const left = (await spool.deadLetters()).map(({ requestId }) => requestId);
    expect(left.length).toBeGreaterThan(1);
    expect(left).toEqual(ids.slice(-left.length));
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan((count - left.length) / 1.5);
  });

  test('what of the letters cannot be removed stays, others are kept all the same, and few looks are taken at them', async () => {
    const { letters, held, looks } = await flood(async () => {
      throw new Error('the store has no room');
    });
    expect(letters.count()).toBe(count);
    const beyond = (held.at(-1) ?? 0) - maxBytes;
    expect(beyond).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(Math.ceil(beyond / (maxBytes / 16)));
  });

  test('the ingest waits for room no longer than it may', async () => {
    const room = new DeadLetterQuota({ deadLetters: { usage: () => ({ letters: 2, bytes: 2 }) }, maxBytes: 1, maxWaitMs: 1 });
    let begun = 0;
    room.onEvict(() => {
      begun += 1;
      return new Promise(() => undefined);
    });
    await room.enforce();
    await room.enforce();
    expect(begun).toBe(1);
  });
});

test('what there is of letters is known without a look at the folder, whatever becomes of them', async () => {
  const { spool, letters } = await flood();
  const folder = spool.deadLetterFolder;
  const expectRight = (): void => expect(letters.usage()).toEqual({ letters: readdirSync(folder).length, bytes: bytesIn(folder) });
  expectRight();
  const [first, second] = letters.list({ limit: 2 }).letters.map(({ id }) => id);
  letters.updateReason(first ?? '', 'a much longer reason than the one that it had');
  expectRight();
  letters.remove(second ?? '');
  letters.remove(second ?? '');
  expectRight();
  rmSync(path.join(folder, `${first}.letter`));
  letters.recount();
  expectRight();
});
