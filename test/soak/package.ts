/**
 * `npm run soak -- package`: packs the package and installs it from the registry as a user would, with the newest Node 20, 22 and 24 that
 * the registry has: `npm install --global` under an empty prefix, and `npx --package`. Of each the service is started in an empty folder,
 * called, asked for the call and stopped. It prints how long the install took (npm takes from its cache what it has), what it needs on the
 * disk and the time from the command to the addresses, and the same of this clone. The exit code is 1 when a step fails, packages of
 * another platform were installed, or `npm publish --dry-run` or `attw` (do programs find the types?) have something to say. Last, an
 * installed package runs `test/one-address.system.test.ts` behind the nginx of the PATH (Debian: nginx-light), with TLS.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { textTable } from '../../src/config/text-table.ts';
import { makeCertificate } from '../support/nginx.ts';
import { folderBytes, foreignPackages, type Use, useOnce, userEnvironment } from '../support/installed-package.ts';

const nodes = ['20', '22', '24'];
/** Not one of the project's packages: `test/client-package.system.test.ts` compiles against the declarations. */
const attw = '@arethetypeswrong/cli@0.18.5';
/** npm says so to whoever is not, and of a dry run that is nothing. */
const notLoggedIn = 'This command requires you to be logged in';

const repository = path.resolve('.');
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-package-'));
const npmProgram = process.env['npm_execpath'] ?? '';
const ownBinaries = path.dirname(process.execPath);
const rows: (readonly string[])[] = [['NODE', 'INSTALLED BY', 'SECONDS', 'MB ON THE DISK', 'READY AFTER S']];

process.once('SIGINT', () => process.exit(130));
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const archive = packed();
checkPublishing();
for (const major of nodes) {
  const binaries = nodeOf(major);
  await installGlobally(binaries);
  await runByNpx(binaries);
}
await useClone();
useBehindNginx();
console.log(textTable(rows));

function packed(): string {
  const { stdout } = npm(repository, ['pack', '--json', '--silent', '--pack-destination', folder]);
  const [made] = JSON.parse(stdout.slice(stdout.indexOf('['))) as readonly Packed[];
  if (made === undefined) throw new Error('npm pack made nothing');
  console.log(`${made.filename}: ${inMegabytes(made.size)} MB, unpacked ${inMegabytes(made.unpackedSize)} MB`);
  return path.join(folder, made.filename);
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
}

function checkPublishing(): void {
  const said = npm(repository, ['publish', archive, '--dry-run'])
    .stderr.split('\n')
    .filter((line) => /npm (?:warn|error)/i.test(line) && !line.includes(notLoggedIn));
  for (const line of said) report(`npm publish --dry-run: ${line}`);
  const types = npm(folder, ['exec', '--yes', '--package', attw, '--', 'attw', archive, '--profile', 'esm-only', '-f', 'ascii']);
  console.log(`attw: ${types.status === 0 ? 'no problems' : types.stdout}`);
}

/** @returns the folder of a Node of this major version, installed by npm. */
function nodeOf(major: string): string {
  const home = emptyFolder(`node-${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  npm(home, ['install', '--prefix', home, '--no-audit', '--no-save', '--force', `${name}@${major}`]);
  return path.join(home, 'node_modules', name, 'bin');
}

async function installGlobally(binaries: string): Promise<void> {
  const prefix = emptyFolder(`prefix-${rows.length}`);
  const [, ms] = timed(() => npm(folder, ['install', '--global', '--prefix', prefix, '--no-audit', archive], binaries));
  const command = [path.join(prefix, 'bin', 'gatelog'), 'serve'] as const;
  await use('npm install --global', { command, binaries, installed: prefix, ms });
  rmSync(prefix, { recursive: true, force: true });
}

async function runByNpx(binaries: string): Promise<void> {
  const cache = emptyFolder(`cache-${rows.length}`);
  // npx keeps what it installs in the cache; fetched packages come from the usual one.
  const words = ['exec', '--yes', '--prefer-offline', '--package', archive, '--', 'gatelog'];
  const [, ms] = timed(() => npm(cache, [...words, '--version'], binaries));
  const command = [path.join(binaries, 'node'), npmProgram, ...words, 'serve'] as const;
  await use('npx --package', { command, binaries, installed: undefined, ms });
}

async function useClone(): Promise<void> {
  const command = [process.execPath, path.join(repository, 'dist', 'cli', 'gatelog.cjs'), 'serve'] as const;
  await use('clone, built', { command, binaries: ownBinaries, installed: repository, ms: undefined });
}

function useBehindNginx(): void {
  const prefix = emptyFolder('behind-nginx');
  npm(folder, ['install', '--global', '--prefix', prefix, '--no-audit', archive]);
  const certificates = emptyFolder('certificates');
  const env = {
    ...userEnvironment(ownBinaries),
    NODE_EXTRA_CA_CERTS: makeCertificate(certificates).certificate,
    GATELOG_TEST_CERTIFICATES: certificates,
    GATELOG_TEST_PROGRAM: path.join(prefix, 'lib', 'node_modules', 'gatelog', 'dist', 'cli', 'gatelog.cjs'),
  };
  const words = ['node_modules/vitest/vitest.mjs', 'run', 'test/one-address.system.test.ts'];
  const { status } = spawnSync(process.execPath, words, { cwd: repository, env, stdio: 'inherit' });
  if (status !== 0) report('behind nginx: tests of one address failed');
}

interface Installed {
  readonly command: readonly [string, ...string[]];
  readonly binaries: string;
  /** Its folder; undefined: npm's own cache. */
  readonly installed: string | undefined;
  /** Of the installation. */
  readonly ms: number | undefined;
}

async function use(how: string, { command, binaries, installed, ms }: Installed): Promise<void> {
  const node = run(folder, [path.join(binaries, 'node'), '--version']).stdout.trim();
  const foreign = installed === undefined || installed === repository ? [] : foreignPackages(installed);
  const done: Use = await useOnce({ command, cwd: emptyFolder(`work-${rows.length}`), binaries });
  for (const fault of [...done.faults, ...foreign.map((name) => `${name} is of another platform`)]) report(`${node}, ${how}: ${fault}`);
  const megabytes = installed === undefined ? '' : inMegabytes(folderBytes(installed));
  rows.push([node, how, ms === undefined ? '' : inSeconds(ms), megabytes, inSeconds(done.readyMs)]);
  console.error(`${node}, ${how}: used`);
}

/** npm of this Node, run by the Node in a folder. @throws when it fails. */
function npm(cwd: string, words: readonly string[], binaries = ownBinaries): SpawnSyncReturns<string> {
  return run(cwd, [path.join(binaries, 'node'), npmProgram, ...words], binaries);
}

function run(cwd: string, [program = '', ...words]: readonly string[], binaries = ownBinaries): SpawnSyncReturns<string> {
  const ran = spawnSync(program, words, { cwd, env: userEnvironment(binaries), encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (ran.status !== 0) {
    throw new Error(`${words.join(' ')} ended with ${String(ran.status)}:\n${ran.stdout}\n${ran.stderr}`, { cause: ran.error });
  }
  return ran;
}

function timed<T>(work: () => T): readonly [T, ms: number] {
  const startedAt = performance.now();
  return [work(), performance.now() - startedAt];
}

function emptyFolder(name: string): string {
  const made = path.join(folder, name);
  mkdirSync(made, { recursive: true });
  return made;
}

function inMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function report(fault: string): void {
  console.log(`FAULT: ${fault}`);
  process.exitCode = 1;
}
