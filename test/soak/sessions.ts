/**
 * `npm run soak -- sessions [queries] [seed]`: compares sessions, their totals, names and spread with the reference in memory for this
 * many queries (5,000 by default), over new records in every round. Progress goes to stderr; the last lines, on stdout, show the compared
 * queries and the seeds that differ.
 */
import { inEveryState } from '../../src/query/filter/testing/same-result.ts';
import { compareSessions } from '../../src/query/testing/same-sessions.ts';
import { openStoreRig } from '../../src/store/testing/store-harness.ts';
import { soakAnswers } from '../support/soak-answers.ts';

const rig = await openStoreRig();
process.exitCode = await soakAnswers('sessions', 5000, (seed, runs) => inEveryState(rig.connections, compareSessions, { runs, seed }));
await rig.close();
