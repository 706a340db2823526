import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../src/cli/command.ts';
import { systemDependencies } from '../src/cli/base/dependencies.ts';
import { packageVersion } from '../src/cli/base/version.ts';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();
const fullDir = makeDataDir();
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-doctor-'));
let service: Service;
/** One whose disk is said to be full. */
let full: Service;
let closed: string;

beforeAll(async () => {
  service = await startService({ dataDir });
  // A first start needs room for its tables.
  await (await startService({ dataDir: fullDir })).stop();
  full = await startService({ dataDir: fullDir, environment: { GATELOG_STORE_SPARE_BYTES: '1024GiB' } });
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await apiClient(service.api).stored(response.headers.get('svc-id') ?? '');
  closed = await closedAddress();
});
afterAll(async () => {
  await service.stop();
  await full.stop();
  for (const each of [dataDir, fullDir, folder]) removeDataDir(each);
  rmSync(folder, { recursive: true, force: true });
});

async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

interface Given {
  readonly environment: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
  readonly columns?: number;
  readonly file?: string;
}

async function doctor({ environment, words = [], columns, file = path.join(folder, 'none') }: Given) {
  const [printed, hinted]: [string[], string[]] = [[], []];
  const code = await runCommand(['doctor', ...words], {
    ...systemDependencies(environment),
    environmentFile: file,
    isColoured: false,
    columns,
    print: (text) => printed.push(text),
    hint: (text) => hinted.push(text),
  });
  return { code, printed: printed.join('\n'), hinted: hinted.join('\n') };
}

/** What differs from run to run, as wide as before. The list of prices grows older from day to day, and is then one warning more. */
function steady(text: string): string {
  return text
    .replaceAll(/^(?:ok|warn) +(?:prices|disk|memory) .*\n(?: {4,}.*\n)*/gm, '')
    .replace(/^\d+ in order(?:, \d+ warnings?)?/m, 'N in order')
    .replaceAll(/(127\.0\.0\.1:)\d+/g, '$1PORTS')
    .replaceAll(packageVersion(), 'VERSION')
    .replaceAll(/\d+ ms/g, 'N ms')
    .replaceAll(/\d+ s ago/g, 'N s ago')
    .replaceAll(/[\d.]+ [KMG]?i?B(?:ytes)? of/gi, 'N KiB of');
}

const key = testKey;
/** Each with the service that its address is in. */
const cases: readonly (readonly [string, number, () => Given])[] = [
  ['healthy', 0, () => ({ environment: { GATELOG_API_URL: service.api, GATELOG_API_KEY: key }, words: ['--gateway', service.gateway] })],
  ['unreachable', 1, () => ({ environment: { GATELOG_API_URL: closed, GATELOG_API_KEY: key }, words: ['--gateway', closed] })],
  [
    'wrong key',
    1,
    () => ({
      environment: { GATELOG_API_URL: service.api, GATELOG_API_KEY: 'sk-svc-us-nobodynobodynobodynobody' },
      words: ['--gateway', service.gateway],
    }),
  ],
  [
    'wrong listener',
    1,
    () => ({ environment: { GATELOG_API_URL: service.gateway, GATELOG_API_KEY: key }, words: ['--gateway', service.api] }),
  ],
  ['degraded', 1, () => ({ environment: { GATELOG_API_URL: full.api, GATELOG_API_KEY: key }, words: ['--gateway', full.gateway] })],
];

describe('gatelog doctor', () => {
  it.each(cases.flatMap(([name, code, given]) => [80, 120].map((columns) => [name, columns, code, given] as const)))(
    'of what is %s fits %i columns and ends with exit code %i',
    async (name, columns, code, given) => {
      if (name === 'degraded') await eventually('the gateway to know', async () => (await degradedParts()).length > 1 || undefined);
      const found = await doctor({ ...given(), columns });
      expect(found.code).toBe(code);
      expect(found.printed.split('\n').filter((line) => line.length > columns && !/^ +→? ?\S+$/.test(line))).toEqual([]);
      await expect(`${steady(found.printed)}\n${found.hinted}\n`).toMatchFileSnapshot(
        `support/golden/doctor/${name.replace(' ', '-')}-${columns}.txt`,
      );
      expect(found.printed + found.hinted).not.toContain(given().environment['GATELOG_API_KEY']);
    },
  );

  it('finds the service by the ports with which it was started, as other commands do', async () => {
    const ports = { GATELOG_API_PORT: new URL(service.api).port, GATELOG_GATEWAY_PORT: new URL(service.gateway).port };
    const { code, printed } = await doctor({ environment: { ...ports, GATELOG_API_KEY: key } });
    expect([code, printed]).toEqual([0, expect.stringContaining(`${service.api}, by GATELOG_API_PORT`)]);
  });

  it('tells programs the same as JSON', async () => {
    const { code, printed } = await doctor({
      ...(cases[0]?.[2]() ?? { environment: {} }),
      words: ['--json', '--gateway', service.gateway],
    });
    const { ok, checks } = JSON.parse(printed) as { readonly ok: boolean; readonly checks: readonly Record<string, unknown>[] };
    // A machine may have a limit of memory.
    const names = new Set(checks.map(({ check }) => check).filter((check) => check !== 'memory'));
    expect([code, ok, [...names]]).toEqual([
      0,
      true,
      ['settings', 'address', 'connection', 'version', 'clock', 'key', 'query', 'service', 'record', 'spool', 'disk', 'prices', 'gateway'],
    ]);
    const lasting = checks.filter(({ check }) => !['prices', 'disk', 'memory'].includes(String(check)));
    expect(lasting.map(({ state }) => state)).toEqual(lasting.map(() => 'ok'));
  });

  it.each(['r', 'rw', 'w', 'admin'] as const)('says what a key with the permission %s may do', async (permissions) => {
    const { body } = await apiClient(service.api).call<{ readonly apiKey: string }>('POST', '/v1/api-keys', {
      api_key_name: permissions,
      key_permissions: permissions,
    });
    const { apiKey } = body.data;
    const { code, printed } = await doctor({ environment: { GATELOG_API_URL: service.api, GATELOG_API_KEY: apiKey } });
    const line = /^\w+ +key +(.*)$/m.exec(printed)?.[1] ?? '';
    expect([code, line]).toEqual([
      0,
      `${apiKey.slice(0, 14)}… is valid; ${permissions === 'w' ? 'it may send calls and logs, and read nothing.' : `${permissions}: ${sentences[permissions]}`}`,
    ]);
    expect(printed).not.toContain(apiKey);
  });

  it('reads the file .env, and warns of one that others can read', async () => {
    const file = path.join(folder, '.env');
    writeFileSync(file, `GATELOG_API_URL=${service.api}\nGATELOG_API_KEY=${key}\n`, { mode: 0o644 });
    const { code, printed } = await doctor({ environment: {}, file });
    expect([code, printed]).toEqual([
      0,
      expect.stringMatching(/^warn {2}settings +Other users of this machine can read the key in .*\.env\.$/m),
    ]);
    chmodSync(file, 0o600);
    expect((await doctor({ environment: {}, file })).printed).toMatch(
      /^ok {4}settings +GATELOG_API_URL from .*\.env, GATELOG_API_KEY from .*\.env$/m,
    );
  });

  it('sends no key of the environment to an address of the file', async () => {
    const sent: string[] = [];
    const stranger = createHttpServer((request, response) => {
      sent.push(String(request.headers.authorization));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ info: { title: 'Gatelog', version: '0.1.0' }, paths: {} }));
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const file = path.join(folder, 'foreign.env');
    writeFileSync(file, `GATELOG_API_URL=http://127.0.0.1:${(stranger.address() as AddressInfo).port}\n`, { mode: 0o600 });
    await doctor({ environment: { GATELOG_METRICS_KEY: 'the-operators-key' }, file });
    stranger.closeAllConnections();
    stranger.close();
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent)).toEqual(new Set(['undefined']));
  });
});

const sentences = {
  r: 'it reads',
  rw: 'it reads, sends and changes records',
  admin: 'it reads, sends, changes records and settings',
} as const;

async function degradedParts(): Promise<readonly string[]> {
  const response = await fetch(`${full.gateway}/readyz`);
  return ((await response.json()) as { readonly degraded: readonly string[] }).degraded;
}
