/**
 * `npm run check [-- name …]`: everything a change must pass apart from the slow tests. All checks run, also after one has failed, so that
 * one run shows all there is to mend.
 */
import { runTool } from './command.mjs';
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

/**
 * @param {readonly string[]} names
 * @returns {Promise<string[]>} the checks that failed
 */
async function runChecks(names) {
  const failed = [];
  for (const name of names) {
    const check = checks[name];
    if (check === undefined) continue;
    const startedAt = Date.now();
    console.log(`\n── ${name}`);
    const exitCode = await runTool(check.tool, check.args, check.package);
    console.log(`── ${name}: ${exitCode === 0 ? 'in order' : 'not in order'}, ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    if (exitCode !== 0) failed.push(name);
  }
  return failed;
}
