import { afterAll, beforeAll, expect, it } from 'vitest';
import { type IngestRig, SpoolRig } from '../ingest/testing/ingest-harness.ts';
import { liveOver, openLifeParts, type OpenLifeParts } from './testing/erasure-harness.ts';

let parts: OpenLifeParts;
let rig: IngestRig;
beforeAll(async () => {
  parts = await openLifeParts();
  ({ rig } = parts);
});
afterAll(async () => parts.close());

const of = (userId: string) => ({ open: { tags: { properties: [], userId } } });
const longMs = 60_000;

it('an erasure takes out deliveries of events once no payload can be made any more, and before the list of the requests goes', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const hers = [await spool.write(writer, of('ann')), await spool.write(writer, of('ann'))];
  await spool.write(writer, of('bob'));
  await spool.drainAll();
  const { erase } = rig.store;
  const steps: unknown[] = [];
  const life = await liveOver(parts, spool, {
    targets: {
      store: {
        ...erase,
        removeRequests: (...given) => erase.removeRequests(...given).finally(() => steps.push('requests')),
        removeFiles: (...given) => erase.removeFiles(...given).finally(() => steps.push('files')),
      },
      deliveries: {
        settle: async (organizationId) => void steps.push(['settle', organizationId]),
        ofRequests: async (organizationId, ids) => void steps.push([organizationId, ids.toSorted()]),
        mentions: async (organizationId, userId) => void steps.push([organizationId, userId]),
      },
    },
  });
  await life.erasures.erase(spool.organizationId, 'ann', longMs);
  await life.end();
  const { organizationId } = spool;
  expect(steps).toEqual(['requests', ['settle', organizationId], [organizationId, hers.toSorted()], [organizationId, 'ann'], 'files']);
});
