/**
 * `npm run soak -- sessions [queries] [seed]`: compares sessions, their totals, names and spread with the reference in memory on so many queries
 * (5,000 unless given), over new records in every round. Progress goes to stderr; the last lines, on stdout, say what was compared and which
 * seeds differ.
 */
import { compareSessionsInEveryState } from '../../src/query/testing/same-sessions.ts';
import { openStoreRig } from '../../src/store/testing/store-harness.ts';
import { soakAnswers } from '../support/soak-answers.ts';

const rig = await openStoreRig();
process.exitCode = await soakAnswers('sessions', 5000, (seed, queriesInState) =>
  compareSessionsInEveryState(rig.connections, seed, queriesInState),
);
await rig.close();
