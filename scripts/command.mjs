/** Running the tools of the repository with their output in the terminal. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './prepare.mjs';

/** Signals are passed on to the tool, whose exit code then counts. */
const passedOn = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Runs a command of an installed package to its end.
 * @param {string} name the command, which has its package's name unless that is given
 * @param {readonly string[]} args
 * @param {string} [packageName]
 * @returns {Promise<number>} its exit code; 128 when a signal ended it
 */
export async function runTool(name, args, packageName = name) {
  return runNode([entryOf(name, packageName), ...args]);
}

/**
 * As {@link runTool}, but its output is not shown.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {string} [packageName]
 * @returns {Promise<{ exitCode: number, output: string }>}
 */
export async function outputOfTool(name, args, packageName = name) {
  let output = '';
  const exitCode = await runNode([entryOf(name, packageName), ...args], (text) => (output += text));
  return { exitCode, output };
}

/**
 * @param {string} name a command
 * @param {string} packageName
 * @returns {string} the file that Node runs
 */
function entryOf(name, packageName) {
  const manifest = join(root, 'node_modules', packageName, 'package.json');
  const { bin } = /** @type {{ bin: string | Record<string, string> }} */ (JSON.parse(readFileSync(manifest, 'utf8')));
  const entry = typeof bin === 'string' ? bin : bin[name];
  if (entry === undefined) throw new Error(`${packageName} has no command ${name}`);
  return join(dirname(manifest), entry);
}

/**
 * Runs Node in the repository's folder.
 * @param {readonly string[]} args
 * @param {(text: string) => void} [take] takes its output instead of the terminal
 * @returns {Promise<number>} its exit code; 128 when a signal ended it
 */
export async function runNode(args, take) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: take === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'] });
  if (take !== undefined) for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', take);
  /** @param {NodeJS.Signals} signal */
  const passOn = (signal) => child.kill(signal);
  for (const signal of passedOn) process.on(signal, passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 128));
    });
  } finally {
    for (const signal of passedOn) process.off(signal, passOn);
  }
}
