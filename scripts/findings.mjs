/** `npm run findings [-- name …]`: runs `findings/<name>.sh`, all without names, one after the other; a line for each. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

/** An installation of some hundred megabytes included. */
const longestMs = 600_000;

const folder = join(root, 'findings');
const all = readdirSync(folder)
  .filter((file) => file.endsWith('.sh'))
  .map((file) => file.slice(0, -'.sh'.length))
  .toSorted();
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.includes(name));

if (unknown.length > 0) {
  console.error(`There is no finding ${unknown.join(', ')}; there are ${all.join(', ')}.`);
  process.exitCode = 1;
} else {
  for (const name of asked.length > 0 ? asked : all) run(name);
}

/** @param {string} name */
function run(name) {
  const { status, stdout, stderr } = spawnSync('bash', [join(folder, `${name}.sh`)], { encoding: 'utf8', timeout: longestMs });
  if (status === 0) {
    console.log(`ok      ${name}`);
    if (asked.length > 0) console.log(stdout.trimEnd());
    return;
  }
  process.exitCode = 1;
  const said = [...stdout.split('\n').toReversed(), ...stderr.split('\n')].find((line) => line.trim() !== '');
  console.log(`FAILED  ${name}: ${said ?? `it ended with ${status ?? 'a signal'}`}`);
}
