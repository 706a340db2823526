import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemDependencies } from '../base/dependencies.ts';
import { connectionOf } from './connection.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-connection-'));
afterAll(() => rmSync(folder, { recursive: true }));
const key = 'sk-svc-us-0123456789abcdef';
const fileKey = `GATELOG_API_KEY=${key}\n`;
let files = 0;

async function gatewayWith(environment: Readonly<Record<string, string>>, file = ''): Promise<string> {
  files += 1;
  const environmentFile = path.join(folder, `env-${files}`);
  writeFileSync(environmentFile, file, { mode: 0o600 });
  const dependencies = { ...systemDependencies(environment), environmentFile };
  return (await connectionOf(dependencies, { user: 'ann', model: 'gpt-5' })).gateway;
}

test.each([
  ['nothing', {}, 'http://127.0.0.1:8787'],
  ['its port', { GATELOG_GATEWAY_PORT: '4001' }, 'http://127.0.0.1:4001'],
  ['the one port', { GATELOG_PORT: '8080' }, 'http://127.0.0.1:8080/gateway'],
  ['the one port and a path', { GATELOG_PORT: '8080', GATELOG_BASE_PATH: '/llm' }, 'http://127.0.0.1:8080/llm/gateway'],
  ['an address', { GATELOG_PUBLIC_GATEWAY_URL: 'https://gateway.example.com' }, 'https://gateway.example.com'],
  [
    'one address',
    { GATELOG_PORT: '8080', GATELOG_BASE_PATH: '/llm', GATELOG_PUBLIC_URL: 'https://tools.example.com/llm' },
    'https://tools.example.com/llm/gateway',
  ],
])('the gateway of a service whose environment names %s', async (_what, environment, gateway) => {
  expect(await gatewayWith({ ...environment, GATELOG_API_KEY: key })).toBe(gateway);
});

test('a setting that is wrong is said, and needs no mending where the address is given', async () => {
  const wrong = { ...systemDependencies({ GATELOG_API_KEY: key, GATELOG_GATEWAY_PORT: 'x' }), environmentFile: path.join(folder, 'none') };
  await expect(connectionOf(wrong, { user: 'ann', model: 'gpt-5' })).rejects.toThrow('GATELOG_GATEWAY_PORT is "x"');
  const { gateway } = await connectionOf(wrong, { gateway: 'https://gateway.example.com', user: 'ann', model: 'gpt-5' });
  expect(gateway).toBe('https://gateway.example.com');
});

test('a port in the file holds for a key in the file, and for none of the environment', async () => {
  const file = 'GATELOG_GATEWAY_PORT=4001\n';
  expect(await gatewayWith({}, fileKey + file)).toBe('http://127.0.0.1:4001');
  expect(await gatewayWith({ GATELOG_API_KEY: key }, file)).toBe('http://127.0.0.1:8787');
});
