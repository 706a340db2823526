import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A copy of what prepares a clone, without its packages. */
function cloned(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-clone-'));
  folders.push(folder);
  for (const name of ['scripts', 'package.json', 'package-lock.json']) cpSync(name, path.join(folder, name), { recursive: true });
  return folder;
}

/** Builds a clone that reaches no registry. @returns what it says. */
function built(folder: string): Promise<string> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    npm_config_registry: 'http://127.0.0.1:1',
    npm_config_replace_registry_host: 'always',
    npm_config_fetch_retries: '0',
    npm_config_cache: path.join(folder, 'cache'),
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(folder, 'scripts', 'build.mjs')],
      { cwd: folder, env, timeout: 120_000 },
      (_error, _output, stderr) => resolve(stderr),
    );
  });
}

it('a clone whose packages cannot be fetched says so in a sentence', async () => {
  expect(await built(cloned())).toMatch(
    /^installing packages …\n(?:installing packages … \d+ s, .*\n)*The packages could not be fetched: the package registry does not answer\. .*start again\.\n$/,
  );
});

it('packages of another clone, to which node_modules is a link, are left as they are', async () => {
  const folder = cloned();
  const elsewhere = path.join(cloned(), 'packages');
  mkdirSync(elsewhere);
  writeFileSync(path.join(elsewhere, 'kept'), '');
  symlinkSync(elsewhere, path.join(folder, 'node_modules'));
  expect(await built(folder)).toMatch(/^node_modules is a link to packages that are not the locked ones; they are used as they are\.\n/);
  expect(existsSync(path.join(elsewhere, 'kept'))).toBe(true);
});
