import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { erasureCutoff } from '../ingest/changes/erasures.ts';
import { SpoolRig, until } from '../ingest/testing/ingest-harness.ts';
import { systemClock } from '../platform/clock.ts';
import { liveOver, openLifeParts, type OpenLifeParts } from './testing/erasure-harness.ts';
import type { TestPorts } from '../ingest/testing/spent-rows.ts';

let parts: OpenLifeParts;
beforeAll(async () => {
  parts = await openLifeParts();
});
afterAll(async () => parts.close());

const aheadMs = 600_000;
const dayMs = 86_400_000;
const longMs = 60_000;
const refused = async (tasks: readonly unknown[]) => tasks.map(() => ({ failure: 'it is poison' }));

/** Lets a life of the ingest go on until nothing is left in the spool that the next one could read. */
async function emptySpool(spool: SpoolRig, given: TestPorts): Promise<void> {
  const drain = await spool.openDrain(given);
  drain.start();
  await until(() => Object.keys(spool.segments()).length === 0);
  await drain.stop(10_000);
}

describe('an erasure after the clock was set back', () => {
  it.each([
    ['in the store', {}],
    ['a dead letter', { interpret: refused }],
    ['in the spool', undefined],
  ])('takes out what came by the faster clock and is %s', async (_, given) => {
    const spool = new SpoolRig(parts.rig);
    const writer = spool.openWriter();
    const openedAt = systemClock.now() + aheadMs;
    await spool.write(writer, { open: { openedAt, tags: { properties: [], userId: 'ann' } } });
    await spool.killWriter(writer);
    if (given !== undefined) await emptySpool(spool, given);
    const { core, erasures, end } = await liveOver(parts, spool, { starts: false });
    await core.drain.catchUp();
    core.drain.start();
    const receipt = await erasures.erase(spool.organizationId, 'ann', longMs);
    expect(receipt?.erasedAt).toBeGreaterThanOrEqual(openedAt);
    await end();
    expect([await spool.storedIds(), await spool.deadLetters()]).toEqual([{ requests: [], bodies: [] }, []]);
  });
});

describe('an erasure reaches', () => {
  const at = 1_800_000_000_000;
  it.each([
    ['to its order while the clock only goes forward', at - 5, at - 1, at],
    ['to the latest call of an earlier start', at + 5, at - 1, at + 5],
    ['to the latest call of this one', at - 5, at + 7, at + 7],
    ['no further ahead than a day', at + 400 * dayMs, 0, at + dayMs],
  ])('%s', (_, latestBefore, latestOpenedAt, reached) => {
    expect(erasureCutoff(at, { latestBefore, inFlight: { latestOpenedAt } })).toBe(reached);
  });
});
