/**
 * How much the tests do. `npm test` is short: fixed seeds, one kill of each kind, fewer records. `GATELOG_TEST_LENGTH=full` is what
 * `npm run soak -- nightly` runs: random seeds, and all of it. `docs/internals/test-times.md` says what either does.
 */
const isFull = process.env['GATELOG_TEST_LENGTH'] === 'full';

/** What a test does in `npm test`, and what it does in full. */
export function byLength<Amount>(short: Amount, full: Amount): Amount {
  return isFull ? full : short;
}

/** Defines tests that need minutes and whose faults shorter ones show too; `npm test` leaves them out. */
export function inFull(define: () => void): void {
  if (isFull) define();
}

/** Files of nothing but such tests. */
export const filesInFull: readonly string[] = [
  'test/bulk.system.test.ts',
  'test/crash.system.test.ts',
  'test/move-bodies.system.test.ts',
  'test/store-away.system.test.ts',
  'test/webhook-kills.system.test.ts',
];

/** Of `npm test`: what fails once fails in the next run. */
const fixedSeed = 20_261_128;

/** Decides what a test's random numbers are; the same one in all tests of `npm test`. `GATELOG_TEST_SEED` repeats a run. */
export function testSeed(): number {
  const given = process.env['GATELOG_TEST_SEED'];
  if (given !== undefined) return Number(given);
  return byLength(fixedSeed, Date.now() % 2 ** 31);
}
