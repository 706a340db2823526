/**
 * `npm run soak -- filters [queries] [seed]`: compares the store's results with the interpreter's for this many queries (20,000 by
 * default), over new records in every round. Progress goes to stderr; the last lines, on stdout, show the compared queries and the seeds
 * that differ.
 */
import { compareFilters, inEveryState } from '../../src/query/filter/testing/same-result.ts';
import { openStoreRig } from '../../src/store/testing/store-harness.ts';
import { soakAnswers } from '../support/soak-answers.ts';

const rig = await openStoreRig();
process.exitCode = await soakAnswers('filters', 20_000, (seed, runs) => inEveryState(rig.connections, compareFilters, { runs, seed }));
await rig.close();
