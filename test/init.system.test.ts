import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onTerminal, type PseudoTerminal } from './support/pseudo-terminal.ts';
import { stablePort } from './support/stable-port.ts';

const command = path.resolve('dist/cli/gatelog.cjs');
const environment = { GATELOG_GATEWAY_WORKERS: '1', GATELOG_LOG_LEVEL: 'warn' };
const secret = 'sk-of-a-provider-0123456789';
let folder: string;
let terminal: PseudoTerminal | undefined;
let other: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-init-'));
});
afterEach(async () => {
  terminal?.kill();
  await terminal?.ended;
  terminal = undefined;
  other?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function start(...words: readonly string[]): PseudoTerminal {
  terminal = onTerminal([process.execPath, command, 'init', ...words], { cwd: folder, environment });
  return terminal;
}

function withoutTerminal(words: readonly string[], further: Readonly<Record<string, string>> = {}): { code: number | null; said: string } {
  const env = { PATH: process.env['PATH'] ?? '', ...environment, ...further };
  const ran = spawnSync(process.execPath, [command, 'init', ...words], { cwd: folder, env, encoding: 'utf8', input: '' });
  return { code: ran.status, said: ran.stdout + ran.stderr };
}

/** A port at which another program listens until the test ends. */
async function takenPort(): Promise<number> {
  const port = await stablePort();
  other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  return port;
}

const file = (): string => path.join(folder, '.env');
const variables = (): Readonly<Record<string, string | undefined>> => parseEnv(readFileSync(file(), 'utf8'));

describe('on a terminal', () => {
  it('asks, writes .env, starts, sends the first call, and says where it is seen', async () => {
    const [gatewayPort, apiPort] = [await stablePort(), await stablePort()];
    const taken = await takenPort();
    const shell = start();
    await shell.shows('Port of the gateway');
    shell.type('many\r');
    await shell.shows('A port is a whole number');
    shell.type(`\u0015${taken}\r`);
    await shell.shows('is in use by another program. Give another one');
    await shell.shows('Port of the gateway');
    shell.type(`${gatewayPort}\r`);
    await shell.shows('Port of the API');
    shell.type(`${apiPort}\r`);
    await shell.shows('Folder for all data');
    shell.type('\r');
    await shell.shows('Keys of providers');
    shell.type(' \r');
    await shell.shows('Key for openai');
    shell.type(`${secret}\r`);
    await shell.shows('Model of the first call');
    shell.type('\r');
    await shell.shows('is running. Ctrl-C stops it.');
    await shell.shows('The first call, to echo/demo, was answered: "Hello, Gatelog!"');
    await shell.shows('range=all&request=');

    const { GATELOG_API_KEY: key = '', ...others } = variables();
    expect(others).toEqual({
      GATELOG_GATEWAY_PORT: String(gatewayPort),
      GATELOG_API_PORT: String(apiPort),
      GATELOG_DATA_DIR: './data',
      GATELOG_API_URL: `http://127.0.0.1:${apiPort}`,
      GATELOG_BOOTSTRAP_API_KEY: key,
      GATELOG_PROVIDER_OPENAI_KEY: secret,
    });
    expect(key).toMatch(/^sk-svc-us-\w{32}$/);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(shell.shown()).not.toContain(secret);
    expect(shell.shown()).not.toContain(key);
    const [, base = '', id = ''] = /(http:\S+)\/requests\?\S*request=([\w-]+)/.exec(shell.shown()) ?? [];
    expect(base).toBe(`http://127.0.0.1:${apiPort}`);
    await expect
      .poll(async () => (await fetch(`${base}/v1/request/${id}`, { headers: { authorization: `Bearer ${key}` } })).status)
      .toBe(200);
    shell.type('\u0003');
    await shell.shows('Stopped.');
    expect(await shell.ended).toBe(0);
  });

  it('writes nothing for who leaves, or does not want a .env changed', async () => {
    const left = start();
    await left.shows('Port of the gateway');
    left.type('\u0003');
    await left.shows('nothing was written');
    expect([await left.ended, existsSync(file())]).toEqual([1, false]);

    writeFileSync(file(), 'GATELOG_REGION=us\n', { mode: 0o644 });
    const kept = start('--no-start', '--first-call', 'echo/demo', '--data-dir', './d', '--gateway-port', String(await stablePort()));
    await kept.shows('Port of the API');
    kept.type(`${await stablePort()}\r`);
    await kept.shows('Keys of providers');
    kept.type('\r');
    await kept.shows('There is a .env.');
    kept.type('n');
    await kept.shows('.env is as it was.');
    expect([await kept.ended, readFileSync(file(), 'utf8')]).toEqual([1, 'GATELOG_REGION=us\n']);
  });
});

describe('without a terminal', () => {
  it('names the options that are missing', () => {
    expect(withoutTerminal([])).toEqual({
      code: 2,
      said: expect.stringContaining(
        'nobody can be asked. Give --gateway-port, --api-port, --data-dir, or take the defaults with --yes.',
      ) as string,
    });
    expect(existsSync(file())).toBe(false);
  });

  it('takes options for every question, and keys from variables that they name', async () => {
    const [gatewayPort, apiPort] = [String(await stablePort()), String(await stablePort())];
    const words = [
      '--gateway-port',
      gatewayPort,
      '--api-port',
      apiPort,
      '--data-dir',
      'my data',
      '--provider-key',
      'anthropic=A_KEY',
      '--no-start',
    ];
    const { code, said } = withoutTerminal(words, { A_KEY: secret });
    expect([code, said]).toEqual([0, expect.stringContaining('Start it in this folder with: gatelog serve')]);
    expect(said).not.toContain(secret);
    expect(variables()).toMatchObject({ GATELOG_DATA_DIR: 'my data', GATELOG_PROVIDER_ANTHROPIC_KEY: secret, GATELOG_API_PORT: apiPort });
  });

  it('changes a .env only with --yes, and then its own lines alone; a key that stands there stays', async () => {
    const key = 'sk-svc-us-0123456789abcdefghij';
    writeFileSync(file(), `# mine\nOTHER=1\nGATELOG_BOOTSTRAP_API_KEY=${key}\nGATELOG_DATA_DIR=/old\n`);
    const before = readFileSync(file(), 'utf8');
    const ports = ['--gateway-port', String(await stablePort()), '--api-port', String(await stablePort())];
    const refused = withoutTerminal([...ports, '--data-dir', './data', '--no-start']);
    expect(refused).toEqual({ code: 1, said: expect.stringContaining('There is a .env.') as string });
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(withoutTerminal([...ports, '--yes', '--no-start']).code).toBe(0);
    expect(readFileSync(file(), 'utf8')).toMatch(/^# mine\nOTHER=1\n/);
    expect(variables()).toMatchObject({ OTHER: '1', GATELOG_BOOTSTRAP_API_KEY: key, GATELOG_API_KEY: key, GATELOG_DATA_DIR: './data' });
  });

  it.each([
    ['one port for both', ['--yes', '--gateway-port', '4001', '--api-port', '4001'], 2, 'need two ports'],
    ['a provider that there is not', ['--yes', '--provider-key', 'acme=A'], 2, '--provider-key takes a provider'],
    ['a variable without a key', ['--yes', '--provider-key', 'openai=NO_KEY'], 2, 'NO_KEY is not set.'],
  ])('%s is refused, and nothing is written', (_, words, code, sentence) => {
    expect(withoutTerminal(words)).toEqual({ code, said: expect.stringContaining(sentence) as string });
    expect(existsSync(file())).toBe(false);
  });
});
