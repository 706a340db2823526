/**
 * `npm test`: prepares the clone, runs every test (or what the arguments select, as vitest takes them), says which took longest and ends with one line
 * that counts: `N passed, N failed, N skipped`.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from './command.mjs';
import { prepared, program, root } from './prepare.mjs';

const report = join(root, '.cache', `test-report-${process.pid}.json`);

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */
/** @typedef {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} Report */

/** @type {Count} */
let count = { passed: 0, failed: 0, skipped: 0 };

await prepared([program], async () => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const reporters = ['--reporter=default', '--reporter=test/support/slowest.ts', '--reporter=json', `--outputFile.json=${report}`];
  const exitCode = await runTool('vitest', ['run', ...reporters, ...wordsForVitest(process.argv.slice(2))]);
  count = readCount();
  const nothingRan = count.passed + count.failed === 0;
  if (nothingRan) console.error('No test was run.');
  else if (exitCode !== 0 && count.failed === 0) console.error('Something failed outside of the tests; vitest says above what.');
  process.exitCode = exitCode !== 0 ? exitCode : count.failed > 0 || nothingRan ? 1 : 0;
});

console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);

/**
 * `--store server` puts the store of every test behind the HTTP interface of a server.
 * @param {string[]} words
 */
function wordsForVitest(words) {
  const at = words.indexOf('--store');
  if (at < 0) return words;
  const [, store] = words.splice(at, 2);
  if (store !== 'server' && store !== 'embedded') throw new Error('--store is embedded or server');
  process.env['GATELOG_TEST_STORE'] = store;
  return words;
}

/**
 * Counts what vitest reported. A file that could not be loaded has no tests in the report; it counts as one that failed.
 * @returns {Count}
 */
function readCount() {
  try {
    const { testResults } = /** @type {Report} */ (JSON.parse(readFileSync(report, 'utf8')));
    const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
    const broken = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    );
    const passed = statuses.filter((status) => status === 'passed').length;
    const failed = statuses.filter((status) => status === 'failed').length;
    return { passed, failed: failed + broken.length, skipped: statuses.length - passed - failed };
  } catch (error) {
    console.error(`Vitest left no report: ${String(error)}`);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(report, { force: true });
  }
}
