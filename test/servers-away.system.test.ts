import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Front, startFront } from '../src/store/testing/store-location.ts';
import { apiClient } from './support/api.ts';
import { type CuttableProxy, startCuttableProxy } from './support/cuttable-proxy.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { stablePort } from './support/stable-port.ts';

const dataDir = makeDataDir();
let front: Front | undefined;
let proxy: CuttableProxy | undefined;
let service: Service | undefined;

afterEach(async () => {
  await service?.stop();
  await proxy?.close();
  await front?.close();
  removeDataDir(dataDir);
});

async function call(gateway: string): Promise<string | undefined> {
  const answer = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo/away', messages: [{ role: 'user', content: 'is anybody there?' }] }),
  });
  await answer.text();
  return answer.status === 200 ? (answer.headers.get('svc-id') ?? undefined) : undefined;
}

it('while ClickHouse servers are away at a start, calls go on, and are on record once one is there', async () => {
  const [gatewayPort, serverPort] = [await stablePort(), await stablePort()];
  let looks = 0;
  const away = createServer((socket) => {
    looks += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => away.listen(serverPort, '127.0.0.1', resolve));
  const starting = startService({
    dataDir: path.join(dataDir, 'data'),
    environment: {
      GATELOG_BOOTSTRAP_API_KEY: testKey,
      GATELOG_GATEWAY_PORT: String(gatewayPort),
      GATELOG_LOG_LEVEL: 'warn',
      GATELOG_CLICKHOUSE_URL: `http://user:hunter2@127.0.0.1:${serverPort}/default`,
    },
  });
  const id = await eventually('a call that is answered', () => call(`http://127.0.0.1:${gatewayPort}`).catch(() => undefined));
  await eventually('the core to look for the servers', () => Promise.resolve(looks > 1 || undefined));
  await new Promise((resolve) => away.close(resolve));
  mkdirSync(path.join(dataDir, 'servers'));
  front = await startFront(path.join(dataDir, 'servers'));
  proxy = await startCuttableProxy(front.urls[0] ?? '', serverPort);
  service = await starting;
  expect(service.output()).toMatch(/ClickHouse at 127\.0\.0\.1:\d+ \(GATELOG_CLICKHOUSE_URL\) cannot be used: .*store_awaited/);
  expect(service.output()).not.toContain('hunter2');
  const api = apiClient(service.api);
  await eventually('the call on record', async () =>
    (await api.query('all')).some(({ request_id: found }) => found === id) ? true : undefined,
  );
});

it('what a server says itself ends the start, with a sentence that has no credentials', async () => {
  mkdirSync(path.join(dataDir, 'servers'), { recursive: true });
  front = await startFront(path.join(dataDir, 'servers'));
  await front.setFaults([{ kind: 'exception', code: 516, type: 'AUTHENTICATION_FAILED', says: 'user: Authentication failed' }]);
  const address = (front.urls[0] ?? '').replace('http://', 'http://user:hunter2@');
  const starting = startService({ dataDir: path.join(dataDir, 'data'), environment: { GATELOG_CLICKHOUSE_URL: address } });
  const said = await starting.then(
    () => 'it has started',
    (error: unknown) => String(error instanceof Error ? `${error.message} ${String(error.cause)}` : error),
  );
  expect(said).toMatch(/ClickHouse at 127\.0\.0\.1:\d+ \(GATELOG_CLICKHOUSE_URL\) cannot be used: .*Authentication failed/);
  expect(said).not.toContain('hunter2');
});
