/**
 * `npm run release -- VERSION [--dry-run] [--skip checks,tests]`: everything of a release but the publishing. It stops at the first step that
 * fails, and leaves in `.cache/release/VERSION` what is published: the package, its checksum, its list of components (CycloneDX) and the
 * source maps, which the package does not have. `--dry-run` lists the steps and does none. With `--skip` it says what was not done, and does
 * not say how to publish.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './prepare.mjs';

/** What keeps a version from being released; its message is for people. */
class ReleaseError extends Error {}

/**
 * @typedef {object} Release
 * @property {string} version
 * @property {string} folder of what is published
 * @property {string} archive the package in it
 */

/** @typedef {{ name: string, what: string, run: (release: Release) => void }} Step */

/** @type {readonly Step[]} */
const steps = [
  { name: 'tree', what: 'git status: no file is changed or new', run: requireCleanTree },
  { name: 'version', what: 'package.json and package-lock.json have the version, and no tag has it', run: requireVersion },
  { name: 'changelog', what: 'CHANGELOG.md has the version with its day and what it brings', run: requireChangelog },
  { name: 'checks', what: 'npm run check -- format lint types types-web knip, and the audit', run: runChecks },
  { name: 'tests', what: 'npm test', run: () => run('npm', ['test', '--silent']) },
  { name: 'package', what: 'npm pack, which builds', run: pack },
  { name: 'publish', what: 'npm publish --dry-run warns of nothing', run: tryPublishing },
  { name: 'maps', what: 'an archive of the source maps', run: packMaps },
  { name: 'components', what: 'npm sbom', run: listComponents },
  { name: 'checksums', what: 'SHA-256 of each file', run: writeChecksums },
];

/** npm warns of that; a dry run needs nobody to be. */
const notLoggedIn = 'This command requires you to be logged in';

/** Steps that take long and that one may leave out to try the others. */
const skippable = ['checks', 'tests'];

try {
  release();
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function release() {
  const { version, isDryRun, skipped } = askedFor();
  const folder = join(root, '.cache', 'release', version);
  const asked = { version, folder, archive: join(folder, `gatelog-${version}.tgz`) };
  for (const { name, what, run: work } of steps) {
    const isSkipped = skipped.includes(name);
    console.log(`── ${name}${isSkipped ? ' (skipped)' : ''}: ${what}`);
    if (!isDryRun && !isSkipped) work(asked);
  }
  if (isDryRun) return;
  console.log(skipped.length > 0 ? `Not to be published: ${skipped.join(', ')} did not run.` : nextCommands(asked));
}

/** @returns {{ version: string, isDryRun: boolean, skipped: readonly string[] }} */
function askedFor() {
  const options = /** @type {const} */ ({ 'dry-run': { type: 'boolean' }, skip: { type: 'string' } });
  const { values, positionals } = parsedOr(() => parseArgs({ options, allowPositionals: true }));
  const [version, ...others] = positionals;
  if (version === undefined || others.length > 0 || !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
    throw new ReleaseError('Give the version, as package.json has it: npm run release -- 0.1.0');
  }
  const skipped = values.skip?.split(',') ?? [];
  const unknown = skipped.filter((name) => !skippable.includes(name));
  if (unknown.length > 0) throw new ReleaseError(`--skip takes ${skippable.join(' and ')}, not ${unknown.join(', ')}.`);
  return { version, isDryRun: values['dry-run'] === true, skipped };
}

/**
 * @template T
 * @param {() => T} parse
 * @returns {T}
 */
function parsedOr(parse) {
  try {
    return parse();
  } catch (error) {
    throw new ReleaseError(error instanceof Error ? error.message : String(error));
  }
}

function requireCleanTree() {
  const changed = output('git', ['status', '--porcelain']).trim();
  if (changed !== '') throw new ReleaseError(`These files are changed or new; commit or remove them:\n${changed}`);
}

/** @param {Release} release */
function requireVersion({ version }) {
  for (const name of ['package.json', 'package-lock.json']) {
    const found = /** @type {{ version: string }} */ (readJson(name)).version;
    if (found !== version) {
      throw new ReleaseError(`${name} has the version ${found}. Write ${version} with: npm version ${version} --no-git-tag-version`);
    }
  }
  if (output('git', ['tag', '--list', `v${version}`]).trim() !== '') {
    throw new ReleaseError(`There is a tag v${version}: this version is released. Give the next one.`);
  }
}

/** @param {Release} release */
function requireChangelog({ version }) {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) throw new ReleaseError(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD".`);
  const [heading = '', ...lines] = section.split('\n');
  if (!/^\[[^\]]+\] - \d{4}-\d{2}-\d{2}$/.test(heading)) {
    throw new ReleaseError(`CHANGELOG.md says "## ${heading}"; write the day of the release: "## [${version}] - YYYY-MM-DD".`);
  }
  if (!lines.some((line) => line.startsWith('- '))) throw new ReleaseError(`The section ${version} of CHANGELOG.md lists nothing.`);
}

function runChecks() {
  run('npm', ['run', '--silent', 'check', '--', 'format', 'lint', 'types', 'types-web', 'knip']);
  run('node', ['scripts/audit.mjs']);
}

/** @param {Release} release */
function pack({ folder, archive }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run('npm', ['pack', '--silent', '--pack-destination', folder]);
  if (!existsSync(archive)) throw new ReleaseError(`npm pack did not make ${archive}.`);
}

/** @param {Release} release */
function tryPublishing({ archive }) {
  const { stderr } = outcome('npm', ['publish', archive, '--dry-run']);
  const warned = stderr.split('\n').filter((line) => /^npm (?:warn|error)/i.test(line) && !line.includes(notLoggedIn));
  if (warned.length > 0) throw new ReleaseError(warned.join('\n'));
}

/** @param {Release} release */
function packMaps({ folder, version }) {
  const archive = join(folder, `gatelog-${version}-maps.tgz`);
  run('tar', ['--exclude=*.js', '--exclude=*.txt', '-czf', archive, '-C', join(root, 'dist'), 'joined']);
}

/**
 * TRICKY: `npm sbom --omit dev` (11.19) leaves out what a package of development needs too, such as zod. So it is asked about a project that
 * has no packages of development.
 * @param {Release} release
 */
function listComponents({ folder, version }) {
  const project = join(folder, 'project');
  mkdirSync(project);
  const { devDependencies: _, ...manifest } = /** @type {{ devDependencies: object }} */ (readJson('package.json'));
  const lock = /** @type {import('./lock.mjs').Lock} */ (readJson('package-lock.json'));
  const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(project, 'package-lock.json'),
    JSON.stringify({ ...lock, packages: { '': manifest, ...Object.fromEntries(packages) } }),
  );
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  writeFileSync(join(folder, `gatelog-${version}.cdx.json`), outcome('npm', words, project).stdout);
  rmSync(project, { recursive: true });
}

/** @param {Release} release */
function writeChecksums({ folder, version }) {
  const names = [`gatelog-${version}.tgz`, `gatelog-${version}-maps.tgz`, `gatelog-${version}.cdx.json`];
  const lines = names.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  );
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
  process.stdout.write(lines.join(''));
}

/** @param {Release} release */
function nextCommands({ version, folder, archive }) {
  const manifest = /** @type {{ repository?: unknown }} */ (readJson('package.json'));
  const missing =
    'npm pkg set repository.type=git repository.url=git+https://…   # package.json names none, and npm wants it for the provenance';
  return [
    `In ${folder} lies what is published. What is left:`,
    ...(manifest.repository === undefined ? [`  ${missing}, then commit and begin again`] : []),
    `  git tag --sign v${version} --message "Gatelog ${version}"`,
    `  git push origin v${version}`,
    `  npm publish ${archive}   # by a workflow with an identity, for the provenance`,
    `  Keep SHA256SUMS, the list of components and the maps with the release.`,
  ].join('\n');
}

/**
 * Runs a command with its output in the terminal. @throws when it fails.
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new ReleaseError(`"${[command, ...args].join(' ')}" failed with ${String(status)}.`);
}

/** @param {string} name of a file */
function readJson(name) {
  return /** @type {unknown} */ (JSON.parse(readFileSync(join(root, name), 'utf8')));
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function outcome(command, args, cwd = root) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new ReleaseError(`${stderr}\n"${[command, ...args].join(' ')}" failed with ${String(status)}.`);
  return { stdout, stderr };
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function output(command, args) {
  return outcome(command, args).stdout;
}
