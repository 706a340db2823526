import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-clone-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a clone whose packages cannot be fetched says so in a sentence', async () => {
  for (const name of ['scripts', 'package.json', 'package-lock.json']) cpSync(name, path.join(folder, name), { recursive: true });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    npm_config_registry: 'http://127.0.0.1:1',
    npm_config_replace_registry_host: 'always',
    npm_config_fetch_retries: '0',
    npm_config_cache: path.join(folder, 'cache'),
  };
  const said = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [path.join(folder, 'scripts', 'build.mjs')],
      { cwd: folder, env, timeout: 120_000 },
      (_error, _output, stderr) => resolve(stderr),
    );
  });
  expect(said).toMatch(
    /^installing packages …\nThe packages could not be fetched: the package registry does not answer\. .*start again\.\n$/,
  );
}, 180_000);
