import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { hashKey } from '../../auth/api-key.ts';
import { openClient, type RawClient, until } from '../../gateway/testing/raw-http.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import type { Principal } from '../../model/principal.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { serveApi } from '../listen.ts';
import type { ApiPorts } from '../endpoint/ports.ts';
import { type ApiRig, keyOf, openApiRig, queryPath } from '../testing/api-harness.ts';
import { ResponseMemory } from './response-memory.ts';

const mebi = 1024 * 1024;
const otherKey = 'sk-svc-us-other';
const other: Principal = { organizationId: newId(), keyId: 'other', keyHash: hashKey(otherKey), permissions: 'rw' };

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

/** The API with memory for a body of each of two organisations, and little patience. */
async function scene(given: Partial<ApiPorts> = {}): Promise<{ readonly port: number; readonly memory: ResponseMemory }> {
  const memory = new ResponseMemory({ maxBytes: 64 * mebi, maxWaitMs: 100 });
  const ours = (hash: string): Principal | undefined =>
    hash === hashKey(keyOf('rw')) ? { ...other, organizationId: rig.organizationId, keyHash: hash } : undefined;
  const ports = {
    bodyMaxBytes: 8 * mebi,
    answerMemory: memory,
    verifyKey: (hash: string) => (hash === other.keyHash ? other : ours(hash)),
    ...given,
  };
  const api = rig.withPorts(ports satisfies Partial<ApiPorts>);
  const server = serveApi(api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 60_000 });
  opened.push({ close: () => closeServer(server, 0) });
  return { port: Number(new URL(await listening(server)).port), memory };
}

/** Sends the head of a request and a part of its body. */
async function begin(port: number, path: string, headers: Readonly<Record<string, string>>, part: string | Buffer): Promise<RawClient> {
  const client = await openClient(port);
  opened.unshift({ close: () => client.socket.destroy() });
  const lines = Object.entries({ host: 'a', authorization: `Bearer ${keyOf('rw')}`, 'content-type': 'application/json', ...headers });
  client.send(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  client.send(part);
  return client;
}

const large = JSON.stringify({ filter: {}, unknown: 'x'.repeat(5 * mebi) });
const declared = { 'content-length': String(large.length) };

test.each([
  ['a query', queryPath],
  ['a log', '/v1/trace/custom/log'],
  ['spans', '/v1/otlp/v1/traces'],
  ['a setting', '/v1/views'],
])('%s that comes slowly counts as a body of its organisation until it is answered, and is in the way of nobody else', async (_, path) => {
  const { port, memory } = await scene();
  const slow = await begin(port, path, declared, large.slice(0, -1));
  await until(() => memory.bodies.used > 15 * mebi);
  const refused = await begin(port, queryPath, declared, large);
  await until(() => refused.text().includes('service_busy'));
  const small = await begin(port, queryPath, { 'content-length': '13' }, '{"filter":{}}');
  const others = await begin(port, queryPath, { ...declared, authorization: `Bearer ${otherKey}` }, large);
  await until(() => small.text().includes('200 OK') && others.text().includes('200 OK'));
  slow.send(large.slice(-1));
  await until(() => slow.size() > 0 && memory.bodies.used === 0);
  const again = await begin(port, queryPath, declared, large);
  await until(() => again.text().includes('200 OK'));
  expect(refused.text()).toMatch(/^HTTP\/1\.1 503 /);
});

test('a body in chunks counts as the largest that there may be, and one that its sender leaves no longer counts', async () => {
  const { port, memory } = await scene();
  const slow = await begin(port, queryPath, { 'transfer-encoding': 'chunked' }, '1\r\n{\r\n');
  await until(() => memory.bodies.used === memory.maxBodiesOfOwner);
  slow.socket.destroy();
  await until(() => memory.bodies.used === 0);
  expect(slow.text()).toBe('');
});

test('a body that is too large is refused at once, whatever else there is', async () => {
  const { port, memory } = await scene();
  await begin(port, queryPath, declared, large.slice(0, -1));
  await until(() => memory.bodies.used > 0);
  const refused = await begin(port, queryPath, { 'content-length': String(9 * mebi) }, '{');
  await until(() => refused.text().includes('body_too_large'));
  expect(refused.text()).toMatch(/^HTTP\/1\.1 413 /);
});

const importHeaders = { 'content-type': 'application/x-ndjson', 'transfer-encoding': 'chunked' };

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

test.each([
  ['as it is', (text: Buffer) => text, {}],
  ['compressed', (text: Buffer) => gzipSync(text), { 'content-encoding': 'gzip' }],
])(
  'of the imports of an organisation, one at a time has a line longer than a group (%s), and another one has its own',
  async (_, coded, coding) => {
    const { port, memory } = await scene();
    const [line, headers] = [chunk(coded(Buffer.alloc(20 * mebi, 'x'))), { ...importHeaders, ...coding }];
    const first = await begin(port, '/v1/import', headers, line);
    await until(() => memory.longLines.used === 1);
    const second = await begin(port, '/v1/import', headers, line);
    await until(() => second.text().includes('service_busy'));
    const others = await begin(port, '/v1/import', { ...headers, authorization: `Bearer ${otherKey}` }, line);
    await until(() => memory.longLines.used === 2);
    first.socket.destroy();
    others.socket.destroy();
    await until(() => memory.longLines.used === 0 && memory.bodies.used === 0);
    expect(second.text()).toMatch(/^HTTP\/1\.1 503 /);
  },
);

test('a longer line of an import is received once the store has taken the one before', async () => {
  const asked: (() => void)[] = [];
  const whenLongLineFits = (): Promise<void> => new Promise((resolve) => asked.push(resolve));
  const { port } = await scene({ imports: { ...rig.ports.imports, whenLongLineFits } });
  const text = Buffer.alloc(20 * mebi, 'x');
  const sending = await begin(port, '/v1/import', importHeaders, Buffer.concat([chunk(text), chunk(text), Buffer.from('0\r\n\r\n')]));
  await until(() => asked.length === 1);
  // The rest stays with its sender.
  await until(() => sending.socket.writableLength > 10 * mebi);
  expect(sending.size()).toBe(0);
  asked[0]?.();
  await until(() => sending.text().includes('200 OK'));
  expect(asked).toHaveLength(1);
});
