import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\0')
  .filter((name) => name !== '' && existsSync(name));
const made: string[] = [];

/** A repository of its own with files of this one as they are, and a day for the version in its changelog. @returns its folder. */
function repositoryOf(names: readonly string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-release-'));
  made.push(folder);
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    cpSync(name, path.join(folder, name));
  }
  change(folder, 'CHANGELOG.md', (text) => text.replace(`[${version}] - unreleased`, `[${version}] - 2026-12-01`));
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'A release');
  return folder;
}

function git(folder: string, ...words: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], { cwd: folder, stdio: 'ignore' });
}

function change(folder: string, name: string, edit: (text: string) => string): void {
  const file = path.join(folder, name);
  writeFileSync(file, edit(readFileSync(file, 'utf8')));
}

function release(folder: string, ...words: readonly string[]): { readonly code: number | null; readonly printed: string } {
  // A registry that does not answer is asked once.
  const env = { ...process.env, npm_config_fetch_retries: '0', npm_config_fetch_timeout: '20000' };
  const ran = spawnSync(process.execPath, ['scripts/release.mjs', ...words], { cwd: folder, env, encoding: 'utf8' });
  return { code: ran.status, printed: ran.stdout + ran.stderr };
}

/** What the first steps read. */
const few = listed.filter((name) => /^(?:scripts\/|package(?:-lock)?\.json$|CHANGELOG\.md$|\.gitignore$)/.test(name));
let folder: string;

beforeEach(() => {
  folder = repositoryOf(few);
});
afterAll(() => made.forEach((each) => rmSync(each, { recursive: true, force: true })));

it('a dry run lists all steps in their order and does none', () => {
  const { code, printed } = release(folder, version, '--dry-run');
  expect(code).toBe(0);
  const names = [...printed.matchAll(/^── (\w+): \S/gm)].map(([, name]) => name);
  expect(names).toEqual(['tree', 'version', 'changelog', 'checks', 'tests', 'package', 'publish', 'maps', 'components', 'checksums']);
  expect(readdirSync(folder)).not.toContain('.cache');
});

it.each([
  ['no version', [], 'Give the version'],
  ['a version that is none', ['next'], 'Give the version'],
  ['an option that there is not', [version, '--fast'], '--fast'],
  ['another step left out', [version, '--skip', 'tree'], '--skip takes checks and tests, not tree.'],
])('%s is refused', (_, words, sentence) => {
  const { code, printed } = release(folder, ...words);
  expect([code, printed]).toEqual([1, expect.stringContaining(sentence)]);
  expect(printed).not.toContain('    at ');
});

it('a file that is not committed stops it before anything is done', () => {
  writeFileSync(path.join(folder, 'notes.txt'), 'mine\n');
  const { code, printed } = release(folder, version);
  expect([code, printed]).toEqual([1, expect.stringContaining('?? notes.txt')]);
});

it('another version than that of the package, and one that is tagged, stop it', () => {
  expect(release(folder, '9.9.9').printed).toContain(`package.json has the version ${version}. Write 9.9.9 with: npm version 9.9.9`);
  git(folder, 'tag', `v${version}`);
  expect(release(folder, version).printed).toContain(`There is a tag v${version}`);
});

it.each([
  ['no day', (text: string) => text.replace('2026-12-01', 'unreleased'), `says "## [${version}] - unreleased"`],
  ['no section', (text: string) => text.replace(`## [${version}]`, '## [0.0.1]'), `has no section "## [${version}] - YYYY-MM-DD"`],
  ['nothing in it', () => `# Changelog\n\n## [${version}] - 2026-12-01\n`, 'lists nothing'],
])('a changelog with %s for the version stops it', (_, edit, sentence) => {
  change(folder, 'CHANGELOG.md', edit);
  git(folder, 'commit', '--quiet', '--all', '--message', 'A changelog');
  const { code, printed } = release(folder, version);
  expect([code, printed]).toEqual([1, expect.stringContaining(sentence)]);
});

it('makes package, maps, list of components and checksums, and without all steps does not say how to publish', () => {
  const whole = repositoryOf(listed);
  symlinkSync(path.resolve('node_modules'), path.join(whole, 'node_modules'));
  // Built from the same files, so that packing has nothing to build.
  cpSync('dist', path.join(whole, 'dist'), { recursive: true });
  const { code, printed } = release(whole, version, '--skip', 'checks,tests');
  const released = path.join(whole, '.cache', 'release', version);
  expect(printed).toContain('Not to be published: checks, tests did not run.');
  expect(printed).not.toContain('npm publish /');
  expect(code).toBe(0);
  const files = [`gatelog-${version}-maps.tgz`, `gatelog-${version}.cdx.json`, `gatelog-${version}.tgz`];
  expect(readdirSync(released).toSorted()).toEqual(['SHA256SUMS', ...files]);
  expect(execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: released, encoding: 'utf8' }).match(/: OK$/gm)).toHaveLength(
    files.length,
  );

  const { components } = JSON.parse(readFileSync(path.join(released, `gatelog-${version}.cdx.json`), 'utf8')) as {
    readonly components: readonly { readonly name: string }[];
  };
  const names = components.map(({ name }) => name);
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly dependencies: object };
  expect(Object.keys(dependencies).filter((name) => !names.includes(name))).toEqual([]);
  expect(names).not.toContain('vitest');

  const maps = execFileSync('tar', ['tzf', `gatelog-${version}-maps.tgz`], { cwd: released, encoding: 'utf8' })
    .trim()
    .split('\n');
  expect(maps.filter((name) => name.endsWith('.js.map')).length).toBeGreaterThan(50);
  expect(maps.filter((name) => !name.endsWith('/') && !name.endsWith('.map'))).toEqual([]);
});
