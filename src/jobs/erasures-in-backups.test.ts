import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IngestRig, makeGate, SpoolRig, until } from '../ingest/testing/ingest-harness.ts';
import { listUnfinishedErasures } from '../metadata/erasures.ts';
import { type LifeOptions, type Life, lettersOf, liveOver, openLifeParts, type OpenLifeParts } from './testing/erasure-harness.ts';

let parts: OpenLifeParts;
let rig: IngestRig;
beforeAll(async () => {
  parts = await openLifeParts();
  ({ rig } = parts);
});
afterAll(async () => parts.close());

const live = (spool: SpoolRig, given: LifeOptions = {}): Promise<Life> => liveOver(parts, spool, given);

const ofAnn = { open: { tags: { properties: [], userId: 'ann' } } };
const longMs = 60_000;
/** More than an erasure that does not stand still needs for its next step, milliseconds. */
const chanceMs = 1000;

const steps = ['eraseLetters', 'list', 'removeRequests', 'removeRest', 'removeFiles'] as const;

/** Targets that note each step that begins, and hold the end of one until a gate is open. */
function heldAt(spool: SpoolRig, held: (typeof steps)[number]) {
  const begun: string[] = [];
  const [reached, release] = [makeGate(), makeGate()];
  const noted =
    <Given extends readonly unknown[], Result>(name: (typeof steps)[number], step: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      begun.push(name);
      const result = await step(...given);
      if (name === held) reached.open();
      if (name === held) await release.passed;
      return result;
    };
  const { list, readList, removeRequests, removeRest, removeFiles } = rig.store.erase;
  const letters = lettersOf(rig, spool);
  const targets = {
    deadLetters: { ...letters, erase: noted('eraseLetters', letters.erase) },
    store: {
      list: noted('list', list),
      readList,
      removeRequests: noted('removeRequests', removeRequests),
      removeRest: noted('removeRest', removeRest),
      removeFiles: noted('removeFiles', removeFiles),
    },
  };
  return { targets, begun, reached, release };
}

describe('while a backup is taken', () => {
  it.each([
    { held: 'eraseLetters', stage: 'lettersCounted' },
    { held: 'list', stage: 'lettersErased' },
    { held: 'removeRequests', stage: 'listed' },
    { held: 'removeRest', stage: 'listed' },
    { held: 'removeFiles', stage: 'listed' },
  ] as const)('an erasure whose step $held is under way begins no other and stays $stage; then it goes on', async ({ held, stage }) => {
    const spool = new SpoolRig(rig);
    await spool.write(spool.openWriter(), ofAnn);
    await spool.drainAll();
    const { targets, begun, reached, release } = heldAt(spool, held);
    const life = await live(spool, { targets });
    const receipt = life.erasures.erase(spool.organizationId, 'ann', longMs);
    await reached.passed;
    const before = [...begun];
    await life.erasures.withPaused(async () => {
      release.open();
      expect(await life.erasures.erase(spool.organizationId, 'ann', chanceMs)).toBeUndefined();
      expect(begun).toEqual(before);
      expect(await unfinishedStages(spool)).toEqual([stage]);
    });
    expect((await receipt)?.counts).toMatchObject({ requests: 1, bodies: 2 });
    await life.end();
    expect(await spool.storedIds()).toEqual({ requests: [], bodies: [] });
  });

  it('one that is ordered is written down and begins afterwards', async () => {
    const spool = new SpoolRig(rig);
    const hers = await spool.write(spool.openWriter(), ofAnn);
    await spool.drainAll();
    const life = await live(spool);
    await life.erasures.withPaused(async () => {
      expect(await life.erasures.erase(spool.organizationId, 'ann', chanceMs)).toBeUndefined();
      expect(await unfinishedStages(spool)).toEqual(['ordered']);
      expect(await spool.storedIds()).toEqual({ requests: [hers], bodies: [hers] });
    });
    expect((await life.erasures.erase(spool.organizationId, 'ann', longMs))?.counts.requests).toBe(1);
    await life.end();
  });

  it('one that is told to stop does not wait for the end of the backup', async () => {
    const spool = new SpoolRig(rig);
    const life = await live(spool);
    await life.erasures.withPaused(async () => {
      void life.erasures.erase(spool.organizationId, 'ann', longMs);
      await until(async () => (await unfinishedStages(spool)).length === 1);
      await life.end();
    });
    expect(await unfinishedStages(spool)).toEqual(['ordered']);
  });
});

async function unfinishedStages({ organizationId }: SpoolRig): Promise<readonly string[]> {
  return (await listUnfinishedErasures(rig.database))
    .filter((erasure) => erasure.organizationId === organizationId)
    .map(({ stage }) => stage);
}
