import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from './support/eventually.ts';
import { invocation } from '../src/cli/base/invocation-text.ts';
import { ownEnvironment } from './support/own-environment.ts';
import { serviceEnvironment, testKey } from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-packed-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const run = (command: string, ...words: readonly string[]): void => void execFileSync(command, words, { cwd: folder, stdio: 'ignore' });

/** As users do. It fetches the packages that this one needs: half a gigabyte. */
function install(archive: string): void {
  run('npm', 'install', '--no-audit', '--no-fund', archive);
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** As npm does, but the packages that the manifest names, and no others, are links to the installed ones. */
function unpack(archive: string): void {
  const [modules, home] = [path.join(folder, 'node_modules'), path.join(folder, 'node_modules/gatelog')];
  for (const part of [home, path.join(modules, '.bin')]) mkdirSync(part, { recursive: true });
  run('tar', 'xzf', archive, '-C', home, '--strip-components=1');
  symlinkSync('../gatelog/dist/cli/gatelog.cjs', path.join(modules, '.bin/gatelog'));
  const { dependencies } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as Manifest;
  for (const name of Object.keys(dependencies)) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(repository, 'node_modules', name), path.join(modules, name));
  }
}

describe('the packed package, installed into an empty folder', () => {
  it('runs as pages name it and answers', async () => {
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: repository, stdio: 'ignore' });
    const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
    run('npm', 'init', '--yes');
    byLength(unpack, install)(path.join(folder, archive));
    const [npx, ...words] = [...invocation.split(' '), '--version'];
    expect(execFileSync(npx, words, { cwd: folder, encoding: 'utf8' }).trim()).toMatch(/^\d+\.\d+\.\d+$/);

    // Not through npx, which would not forward the signal.
    const env = { ...ownEnvironment(), ...serviceEnvironment({ dataDir: path.join(folder, 'data') }) };
    const child = spawn(path.join(folder, 'node_modules', '.bin', 'gatelog'), ['serve'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    const exited = new Promise<number | null>((resolve) => {
      child.once('exit', resolve);
    });
    const gateway = await eventually('the gateway to listen', () => /Gateway +(http:\S+)/.exec(output)?.[1], 120_000);
    const response = await fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}` },
      body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'packed' }] }),
    });
    expect(await response.text()).toContain('packed');
    const api = /API +(http:\S+)/.exec(output)?.[1] ?? '';
    const stored = `${api}/v1/request/${response.headers.get('svc-id') ?? ''}`;
    await eventually(
      'the request to be stored',
      async () => (await fetch(stored, { headers: { authorization: `Bearer ${testKey}` } })).status === 200 || undefined,
    );
    const reference = await (await fetch(`${api}/docs`)).text();
    const parts = [...reference.matchAll(/(?:src|href)="(docs\/assets\/[^"]+)"/g)].map(([, part = '']) => `${api}/${part}`);
    const statuses = await Promise.all(parts.map(async (part) => (await fetch(part)).status));
    expect([...new Set(statuses)], `parts of the reference: ${parts.join(', ')}`).toEqual([200]);
    const reader = path.join(folder, 'read.mjs');
    writeFileSync(
      reader,
      `import { createClient } from 'gatelog/client'; console.log((await createClient().monitoring.health()).status);\n`,
    );
    const readsWith = { env: { ...process.env, GATELOG_API_URL: api }, encoding: 'utf8' } as const;
    expect(execFileSync(process.execPath, [reader], readsWith).trim()).toBe('ok');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });
});
