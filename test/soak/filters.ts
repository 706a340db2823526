/**
 * `npm run soak -- filters [queries] [seed]`: compares the store's answers with the interpreter's on so many queries (20,000 unless given), over
 * new records in every round. Progress goes to stderr; the last lines, on stdout, say what was compared and which seeds differ.
 */
import { compareInEveryState } from '../../src/query/filter/testing/same-result.ts';
import { openStoreRig } from '../../src/store/testing/store-harness.ts';
import { soakAnswers } from '../support/soak-answers.ts';

const rig = await openStoreRig();
process.exitCode = await soakAnswers('filters', 20_000, (seed, queriesInState) =>
  compareInEveryState(rig.connections, seed, queriesInState),
);
await rig.close();
