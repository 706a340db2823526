import { describe, expect, it } from 'vitest';
import { makeGate } from '../ingest/testing/ingest-harness.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { Observation } from '../model/observation.ts';
import type { Expiry } from '../store/delete/retention.ts';
import { expiriesOf, Retention } from './retention.ts';

const [one, two] = ['one', 'two'] as [OrganizationId, OrganizationId];
const day = 86_400_000;
const now = 1000 * day;

describe('what has expired', () => {
  it.each<[string, number | undefined, [number, OrganizationId[]][], Expiry[]]>([
    ['nothing without a limit', undefined, [], []],
    ["what is older than the deployment's days, of all", 30, [], [{ organizations: undefined, before: 970 * day }]],
    [
      "what is older than an organisation's own days, of it alone",
      undefined,
      [[7, [one, two]]],
      [{ organizations: [one, two], before: 993 * day }],
    ],
    [
      'by the shorter of both',
      30,
      [
        [7, [one]],
        [30, [two]],
        [90, [two]],
      ],
      [
        { organizations: undefined, before: 970 * day },
        { organizations: [one], before: 993 * day },
      ],
    ],
  ])('%s', (_, deployment, own, expiries) => {
    expect(expiriesOf(now, deployment, new Map(own))).toEqual(expiries);
  });
});

describe('the retention', () => {
  it('runs at the start, and a run that fails is made up for by the next', async () => {
    const observations: Observation[] = [];
    const removed: Expiry[] = [];
    const claims: Expiry[] = [];
    const deliveries: Expiry[] = [];
    const outcome = makeGate();
    let runs = 0;
    const retention = new Retention({
      deploymentDays: 1,
      daysByOrganization: async () => new Map(),
      removeExpired: async (expiry) => {
        runs += 1;
        if (runs === 1) throw new Error('the store is away');
        removed.push(expiry);
        if (runs === 3) outcome.open();
        return 3;
      },
      removeClaims: async (expiry) => {
        claims.push(expiry);
      },
      removeDeliveries: async (expiry) => {
        deliveries.push(expiry);
      },
      forgetReceipts: async () => {
        if (runs === 0) throw new Error('the metadata is locked');
      },
      intervalMs: 1,
      trustedNow: async () => now,
      observe: (observation) => observations.push(observation),
    });
    retention.start();
    await outcome.passed;
    await retention.stop();
    expect(removed[0]).toEqual({ organizations: undefined, before: now - day });
    // Not in the run that failed.
    expect([claims, deliveries]).toEqual([removed, removed]);
    expect(observations.slice(0, 3)).toEqual([
      { kind: 'job_failed', job: 'removal of receipts that nobody has fetched', reason: 'the metadata is locked' },
      { kind: 'retention_failed', reason: 'the store is away', retryInMs: 1 },
      { kind: 'expired_removed', requests: 3 },
    ]);
  });
});
