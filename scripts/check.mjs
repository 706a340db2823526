/**
 * `npm run check [-- name …]`: everything a change must pass apart from the slow tests. All checks run, also after one has failed, so that
 * one run shows all there is to fix. The first ones run beside each other, and each shows its output when it is done; tests come last.
 */
import { outputOfTool, runTool } from './command.mjs';
import { prepared } from './prepare.mjs';

/** @typedef {{ tool: string, args: readonly string[], package?: string }} Check */

/** @type {Readonly<Record<string, Check>>} */
const checks = {
  format: { tool: 'oxfmt', args: ['--check'] },
  lint: { tool: 'oxlint', args: ['--deny-warnings'] },
  types: { tool: 'tsc', args: ['--noEmit'], package: 'typescript' },
  'types-web': { tool: 'tsc', args: ['--noEmit', '-p', 'web'], package: 'typescript' },
  knip: { tool: 'knip', args: ['--treat-config-hints-as-errors'] },
  unit: { tool: 'vitest', args: ['run', '--project', 'unit', '--project', 'engine'] },
};

await prepared([], async () => {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks);
  const unknown = names.filter((name) => !(name in checks));
  if (unknown.length > 0) {
    console.error(`There is no check ${unknown.join(', ')}; there are ${Object.keys(checks).join(', ')}.`);
    process.exitCode = 1;
    return;
  }
  const failed = await runChecks(names);
  console.log(failed.length === 0 ? `${names.join(', ')}: all in order` : `not in order: ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
});

/** @param {string} name */
function isOfTests(name) {
  return checks[name]?.tool === 'vitest';
}

/**
 * @param {readonly string[]} names
 * @returns {Promise<string[]>} the checks that failed
 */
async function runChecks(names) {
  /** @type {string[]} */
  const failed = [];
  /**
   * @param {string} name
   * @param {(check: Check) => Promise<number>} run
   */
  const runCheck = async (name, run) => {
    const check = checks[name];
    if (check === undefined) return;
    const startedAt = Date.now();
    const exitCode = await run(check);
    console.log(`── ${name}: ${exitCode === 0 ? 'in order' : 'not in order'}, ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    if (exitCode !== 0) failed.push(name);
  };
  const quiet = names.filter((name) => !isOfTests(name)).map((name) => runCheck(name, showWhenDone));
  await Promise.all(quiet);
  for (const name of names.filter(isOfTests)) await runCheck(name, ({ tool, args, package: owner }) => runTool(tool, args, owner));
  return failed;
}

/**
 * @param {Check} check
 * @returns {Promise<number>} its exit code
 */
async function showWhenDone({ tool, args, package: owner }) {
  const { exitCode, output } = await outputOfTool(tool, args, owner);
  process.stdout.write(output);
  return exitCode;
}
