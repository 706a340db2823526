/**
 * `npm run soak -- metrics [queries] [seed]`: compares the store's metrics with those computed from the records for this many queries
 * (1,000 by default), in every state of the store. Progress goes to stderr; the last lines, on stdout, show the compared queries and the
 * seeds that differ.
 */
import { sameMetricsInEveryState } from '../../src/query/metrics/testing/same-metrics.ts';
import { openStoreRig } from '../../src/store/testing/store-harness.ts';
import { soakAnswers } from '../support/soak-answers.ts';

const rig = await openStoreRig();
process.exitCode = await soakAnswers('metrics', 1000, (seed, queriesInState) =>
  sameMetricsInEveryState(rig.connections, seed, queriesInState),
);
await rig.close();
