/**
 * Prepares a clone to run: checks for a supported Node, installs the locked packages, makes the client's types and builds the present sources.
 * Only Node's own modules are imported here, as nothing else may be installed yet, and only syntax that an old Node can parse.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientTypes } from './client-types.mjs';

/** The repository's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** A failed preparation; its message is for people. */
export class PreparationError extends Error {}

/**
 * @typedef {object} Build
 * @property {string} title what is built, for the progress line
 * @property {readonly (readonly string[])[]} steps arguments of Node, in the order in which they run
 * @property {string} output the folder that they write to
 * @property {readonly string[]} inputs files and folders that the output depends on
 * @property {Build} [part] a build whose output lies in this one's and has other inputs
 */

const configs = ['tsconfig.json', 'package-lock.json'];

/** @param {string} config of TypeScript */
function compiled(config) {
  return [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', config];
}

/** @type {Build} */
const pages = {
  title: 'the pages',
  steps: [[join('node_modules', 'vite', 'bin', 'vite.js'), 'build', 'web', '--logLevel', 'warn'], [join('scripts', 'pages.mjs')]],
  output: join('dist', 'pages'),
  inputs: [
    'web',
    join('src', 'client'),
    join('src', 'model'),
    join('src', 'query'),
    'pages',
    'docs',
    join('scripts', 'pages.mjs'),
    'package-lock.json',
  ],
};

/** @type {Build} */
export const program = {
  title: 'the program',
  // The second writes `gatelog/client`, with its declarations.
  steps: [[join('scripts', 'bundle.mjs')], compiled('tsconfig.client.json')],
  output: 'dist',
  inputs: ['src', join('scripts', 'bundle.mjs'), 'tsconfig.client.json', ...configs],
  part: pages,
};

/** @type {Build} */
export const experiments = {
  title: 'benchmarks and soak tests',
  steps: [compiled('tsconfig.bench.json')],
  output: '.cache/experiments',
  inputs: ['src', 'bench', 'test', 'tsconfig.bench.json', ...configs],
};

/**
 * Runs a script's body after Node, packages and builds are in order. A failed preparation prints its message and exits with 1.
 * @param {readonly Build[]} builds
 * @param {() => unknown} body
 * @returns {Promise<void>}
 */
export async function prepared(builds, body) {
  try {
    requireNode(process.versions.node);
    await install();
    makeClientTypes();
    for (const build of builds) await compile(build);
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
    return;
  }
  await body();
}

/**
 * The same range as `engines` in package.json.
 * @param {string} version such as 20.19.0
 */
export function requireNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const supported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  if (!supported) {
    throw new PreparationError(`Gatelog needs Node 20.19 or a later 20, or 22.12 or later; this is Node ${version}.`);
  }
}

/** Installs the locked packages unless exactly these are installed. */
async function install() {
  if (isInstalled()) return;
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    // npm would empty the folder that the link leads to, which others use.
    console.error('node_modules is a link to packages that are not the locked ones; they are used as they are.');
    return;
  }
  const npm = process.env['npm_execpath'] ?? '';
  const viaNode = /npm-cli\.c?js$/.test(npm);
  // Without include=dev a NODE_ENV of production would leave the compiler out.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const wanted = Object.entries(packagesOf(join(root, 'package-lock.json'))).filter(
    ([path, { optional }]) => path !== '' && optional !== true,
  );
  const share = () => {
    const present = wanted.filter(([path]) => existsSync(join(root, path, 'package.json')));
    return `${present.length} of ${wanted.length}`;
  };
  await timed('installing packages', () => (viaNode ? run(process.execPath, [npm, ...args]) : run('npm', args)), share);
}

/**
 * npm writes down what it installed, as its last step; that note is the stamp. Packages for other platforms are missing from it.
 * @returns {boolean}
 */
function isInstalled() {
  const note = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(note)) return false;
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(note);
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    const found = present[path];
    if (path === '' || (found === undefined && optional === true)) return true;
    return found !== undefined && found.version === version && found.integrity === integrity;
  });
}

/**
 * @param {string} file a lock file
 * @returns {import('./lock.mjs').Lock['packages']}
 */
function packagesOf(file) {
  return /** @type {import('./lock.mjs').Lock} */ (JSON.parse(readFileSync(file, 'utf8'))).packages;
}

/** Folders of `src/client` that hold made files alone. */
const made = ['types', 'endpoints'];
/** `tsconfig.json` asks for this file, so that a compiler that misses the folders says what makes them. */
const mark = /** @type {const} */ (['types/made-by-npm-run-build.d.ts', 'export {};\n']);

/** Writes the client's types as `openapi.json` has them, and leaves files that are right as they are, so that compilers see no change. */
export function makeClientTypes() {
  const client = join(root, 'src', 'client');
  const document = /** @type {import('./client-types.mjs').Document} */ (JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')));
  const files = new Map([...clientTypes(document), mark]);
  for (const folder of made) {
    mkdirSync(join(client, folder), { recursive: true });
    for (const name of readdirSync(join(client, folder))) if (!files.has(`${folder}/${name}`)) rmSync(join(client, folder, name));
  }
  for (const [name, text] of files) {
    const file = join(client, name);
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
}

/**
 * Builds unless the output was made from exactly these inputs.
 * @param {Build} build
 */
async function compile(build) {
  await compileWhole(build);
  if (build.part !== undefined) await compile(build.part);
}

/** @param {Build} build */
async function compileWhole({ title, steps, output, inputs }) {
  const stamp = join(root, output, '.built-from');
  const fingerprint = fingerprintOf(inputs);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return;
  rmSync(join(root, output), { recursive: true, force: true });
  await timed(`building ${title}`, async () => {
    for (const step of steps) await run(process.execPath, step);
  });
  writeFileSync(stamp, fingerprint);
}

/**
 * @param {readonly string[]} inputs
 * @returns {string}
 */
function fingerprintOf(inputs) {
  const hash = createHash('sha256');
  for (const path of inputs.flatMap(filesBelow)) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/**
 * @param {string} path a file or a folder
 * @returns {string[]} the files in it, in a fixed order
 */
function filesBelow(path) {
  if (statSync(join(root, path)).isFile()) return [path];
  const names = readdirSync(join(root, path)).filter((name) => name !== 'node_modules' && !name.endsWith('.test.ts'));
  return names.toSorted().flatMap((name) => filesBelow(join(path, name)));
}

/** Between two signs of life: on a terminal one line changes, in a log each is a line. */
const tickMs = process.stderr.isTTY ? 1000 : 15_000;

/**
 * Says what is done, how long it has taken so far and how far it is.
 * @param {string} title
 * @param {() => Promise<void>} step
 * @param {() => string} [progress]
 */
async function timed(title, step, progress) {
  const startedAt = Date.now();
  const seconds = (/** @type {number} */ digits) => `${((Date.now() - startedAt) / 1000).toFixed(digits)} s`;
  const isTerminal = process.stderr.isTTY;
  const [before, after] = isTerminal ? ['\r\u001b[K', ''] : ['', '\n'];
  process.stderr.write(`${title} …${after}`);
  const ticking = setInterval(() => {
    const share = progress === undefined ? '' : `, ${progress()}`;
    process.stderr.write(`${before}${title} … ${seconds(0)}${share}${after}`);
  }, tickMs);
  try {
    await step();
  } catch (error) {
    if (isTerminal) process.stderr.write('\n');
    throw error;
  } finally {
    clearInterval(ticking);
  }
  process.stderr.write(`${before}${title}: ${seconds(1)}\n`);
}

/**
 * Runs a command to its end; its output is shown only when it fails.
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<void>}
 */
async function run(command, args) {
  const { output, how } = await outcomeOf(command, args);
  if (how === undefined) return;
  if (args.includes('ci') && /E(?:NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|AI_AGAIN)|network/.test(output)) {
    throw new PreparationError(
      'The packages could not be fetched: the package registry does not answer. Look at the network, at its proxy (HTTPS_PROXY) and at "npm config get registry", and start again.',
    );
  }
  const shown = command === process.execPath ? ['node', ...args] : [command, ...args];
  throw new PreparationError(`${output}\n"${shown.join(' ')}" ${how}.`);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<{ output: string, how: string | undefined }>} what it wrote, and how it failed
 */
function outcomeOf(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    /** @type {Buffer[]} */
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    const end = (/** @type {string | undefined} */ how) => resolve({ output: Buffer.concat(chunks).toString(), how });
    child.once('error', ({ message }) => end(`could not be started: ${message}`));
    child.once('close', (status, signal) => end(status === 0 ? undefined : `ended with ${signal ?? `exit code ${String(status)}`}`));
  });
}
