/**
 * Benchmarks and soak tests are TypeScript programs, one per file of a folder. Node 20 does not run TypeScript, so they are compiled, with
 * the sources they import, into `.cache/experiments`, in the same layout as in the repository: `bench/x.ts` becomes `bench/x.js` there.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from './command.mjs';
import { experiments, prepared, program, root } from './prepare.mjs';

/**
 * Runs the program that the first argument names, with the arguments after it, in the repository's folder; lists the names when none is given.
 * @param {string} command how people call it
 * @param {string} folder where the programs lie
 * @param {{ commentIsHelp?: boolean }} [options] `commentIsHelp`: the programs have no help of their own, and their head comment replaces it
 * @returns {Promise<void>}
 */
export async function runExperiment(command, folder, { commentIsHelp = false } = {}) {
  const [name, ...args] = process.argv.slice(2);
  const names = namesIn(folder);
  if (name === undefined || !names.includes(name)) {
    const asked = name === '--help' || name === '-h';
    if (name !== undefined && !asked) console.error(`There is no ${folder}/${name}.ts.`);
    console.log(`Usage: ${command} -- <name> [arguments]\nNames: ${names.length === 0 ? 'none yet' : names.join(', ')}`);
    process.exitCode = asked ? 0 : 1;
    return;
  }
  if (commentIsHelp && args.includes('--help')) {
    console.log(headComment(join(root, folder, `${name}.ts`)));
    return;
  }
  await prepared([program, experiments], async () => {
    process.exitCode = await runNode([join(experiments.output, folder, `${name}.js`), ...args]);
  });
}

/**
 * @param {string} file
 * @returns {string} the text of the comment at the file's head
 */
function headComment(file) {
  const comment = /^\/\*\*(.*?)\*\//s.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  return comment.replaceAll(/^ ?\* ?/gm, '').trim();
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function namesIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return files.map((file) => file.slice(0, -'.ts'.length)).toSorted();
}
