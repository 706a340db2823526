/**
 * Makes the data folder that some version of the program leaves behind when it is killed, for the test of upgrades:
 *
 *   git worktree add /some/where <commit>, npm ci and npm run build there
 *   node scripts/make-data-folder.mjs /some/where <name>
 *
 * writes `test/fixtures/data-folders/<name>.tar.br` and `<name>.json`, which says what a later version has to find in it. There are stored requests
 * with what was changed of them, a session, a retention, a call that was open with a change that waits for its record, calls that the ingest has not read,
 * and an erasure that waits for another open call.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import Sqlite from 'libsql';
import { root } from './prepare.mjs';

const key = 'sk-svc-us-testtesttesttesttesttest';
const fixtures = join(root, 'test/fixtures/data-folders');
const longestWaitMs = 30_000;
/** No later version removes records this young. Differs from the default. */
const retentionDays = 36_000;

/** @typedef {{ gateway: string, api: string, pid: number }} Service */
/** @typedef {{ headers?: Record<string, string>, body?: object }} Call */

/**
 * @template Found
 * @param {() => Promise<Found | undefined> | Found | undefined} look
 * @returns {Promise<Found>}
 */
async function eventually(look) {
  for (const end = Date.now() + longestWaitMs; ;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error('it did not come');
    await wait(50);
  }
}

/** A provider that answers a chat, or begins a stream and never ends it. */
async function startProvider() {
  const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
  const message = { role: 'assistant', content: 'An answer.' };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url?.includes('stream') === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n');
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          model: 'gpt-4o-mini',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage,
        }),
      );
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { server, url: `http://127.0.0.1:${port}/v1` };
}

/** @param {string} checkout @param {string} dataDir @param {string} providerUrl @returns {Promise<Service>} */
async function start(checkout, dataDir, providerUrl) {
  const environment = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    GATELOG_DATA_DIR: dataDir,
    GATELOG_GATEWAY_PORT: '0',
    GATELOG_API_PORT: '0',
    GATELOG_GATEWAY_WORKERS: '1',
    GATELOG_BOOTSTRAP_API_KEY: key,
    GATELOG_PROVIDER_OPENAI_URL: providerUrl,
  };
  const child = spawn(process.execPath, [join(checkout, 'dist/cli/main.js'), 'serve'], { env: environment });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (/** @type {Buffer} */ chunk) => {
      output += chunk.toString();
    });
  }
  return eventually(() => {
    if (child.exitCode !== null) throw new Error(output);
    const [, gateway] = /Gateway +(http:\S+)/.exec(output) ?? [];
    const [, api] = /API +(http:\S+)/.exec(output) ?? [];
    return gateway === undefined || api === undefined ? undefined : { gateway, api, pid: child.pid ?? 0 };
  });
}

/** @param {number} pid @returns {number[]} */
function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

/** @param {number} pid */
function coreOf(pid) {
  const core = childrenOf(pid).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0').includes('core'));
  if (core === undefined) throw new Error('there is no core');
  return core;
}

/** @param {Service} service @param {Call} call @returns {Promise<Response>} */
function send({ gateway }, { headers = {}, body = {} }) {
  const messages = [{ role: 'user', content: 'Say three words.' }];
  return fetch(`${gateway}/v1/chat/completions${'stream' in body ? '?stream' : ''}`, {
    method: 'POST',
    headers: { 'Svc-Auth': `Bearer ${key}`, Authorization: 'Bearer sk-provider', 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'echo/words', messages, ...body }),
  });
}

/** @param {Service} service @param {Call} call @returns {Promise<string>} its identifier */
async function chat(service, call) {
  const response = await send(service, call);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`a call was answered ${response.status}`);
  return response.headers.get('svc-id') ?? '';
}

/** @param {Service} service @param {string} method @param {string} path @param {unknown} [body] */
async function ask({ api }, method, path, body) {
  const response = await fetch(api + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, data: /** @type {{ data: unknown }} */ (await response.json()).data };
}

/** @param {Service} service @param {string} id */
async function untilStored(service, id) {
  await eventually(async () => ((await ask(service, 'GET', `/v1/request/${id}`)).status === 200 ? true : undefined));
}

/** @param {Service} service @param {Call} call @returns {Promise<string>} the identifier of a call that streams and does not end */
async function begin(service, { headers = {}, body }) {
  const open = await send(service, { headers, body: { ...body, stream: true } });
  await open.body?.getReader().read();
  return open.headers.get('svc-id') ?? '';
}

/** @param {Service} service */
async function fillStore(service) {
  const session = { 'Svc-Session-Id': 'a session', 'Svc-Session-Name': 'named', 'Svc-User-Id': 'ann' };
  const ids = [
    await chat(service, { headers: { 'Svc-Properties': '{"Team":"search"}', ...session, 'Svc-Session-Path': '/plan' } }),
    await chat(service, { headers: { ...session, 'Svc-Session-Path': '/plan/step' }, body: { model: 'gpt-4o-mini' } }),
    await chat(service, { body: { user: 'bob' } }),
  ];
  for (const id of ids) await untilStored(service, id);
  await ask(service, 'PUT', `/v1/request/${ids[0]}/property`, { Team: 'changed', Added: 'later' });
  // What a version does not have yet is 404 there, and then it is not looked for.
  await ask(service, 'POST', `/v1/request/${ids[1]}/score`, { scores: { accuracy: 0.75 } });
  await ask(service, 'POST', `/v1/request/${ids[1]}/feedback`, { rating: true });
  await ask(service, 'PUT', '/v1/session/a%20session/property', { Of: 'all' });
  await ask(service, 'POST', '/v1/session/a%20session/tag', { tag: 'tagged' });
  await ask(service, 'PUT', '/v1/rate-limits', [{ policy: '100000;w=60' }]);
  await ask(service, 'PUT', '/v1/property/Environment');
  await ask(service, 'PUT', '/v1/retention', { days: retentionDays });
  return ids;
}

/** Orders an erasure that waits for an open call. @param {Service} service @param {string} dataDir @returns the records that it takes out, none where the version cannot erase */
async function beginErasure(service, dataDir) {
  if ((await ask(service, 'DELETE', '/v1/user/nobody')).status !== 200) return [];
  const stored = await chat(service, { body: { user: 'dora' } });
  await untilStored(service, stored);
  const open = await begin(service, { body: { model: 'gpt-4o-mini', user: 'dora' } });
  // It has no answer before it is over, and this service is killed before that.
  ask(service, 'DELETE', '/v1/user/dora').catch(() => undefined);
  const database = new Sqlite(join(dataDir, 'metadata.db'), { readonly: true });
  await eventually(() => database.prepare("SELECT number FROM erasures WHERE stage = 'awaited'").get());
  database.close();
  return [stored, open];
}

/** @param {Service} service @param {readonly string[]} ids */
async function whatIsStored(service, ids) {
  const requests = [];
  for (const id of ids) {
    const { data: item } = await ask(service, 'GET', `/v1/request/${id}?includeBody=true`);
    const changes = await ask(service, 'GET', `/v1/request/${id}/changes`);
    requests.push({ id, item, changes: changes.status === 200 ? changes.data : [] });
  }
  const tag = await ask(service, 'GET', '/v1/session/a%20session/tag');
  const limits = await ask(service, 'GET', '/v1/rate-limits');
  const retention = await ask(service, 'GET', '/v1/retention');
  return {
    requests,
    tag: tag.status === 200 ? tag.data : null,
    limits: limits.status === 200 ? limits.data : [],
    retention: retention.status === 200 ? retention.data : null,
  };
}

/** @param {Service} service */
async function fillSpool(service) {
  const openId = await begin(service, { body: { model: 'gpt-4o-mini' }, headers: { 'Svc-Properties': '{"Team":"open"}' } });
  const changed = await ask(service, 'PUT', `/v1/request/${openId}/property`, { Pending: 'kept' });
  if (changed.status !== 200) throw new Error(`a change was answered ${changed.status}`);
  process.kill(coreOf(service.pid), 'SIGSTOP');
  const unread = [
    { id: await chat(service, { headers: { 'Svc-Properties': '{"Team":"unread"}' } }), user: '' },
    { id: await chat(service, { body: { user: 'cid', padding: 'x'.repeat(70_000) } }), user: 'cid' },
  ];
  return { open: openId, unread };
}

/** @param {number} pid */
function killTree(pid) {
  const tree = [pid, ...childrenOf(pid)];
  for (const member of tree) process.kill(member, 'SIGSTOP');
  for (const member of tree) process.kill(member, 'SIGKILL');
}

async function make() {
  const [checkout, name] = process.argv.slice(2);
  if (checkout === undefined || name === undefined) throw new Error('Usage: node scripts/make-data-folder.mjs CHECKOUT NAME');
  const folder = mkdtempSync(join(tmpdir(), 'gatelog-made-'));
  const dataDir = join(folder, 'data');
  const provider = await startProvider();
  const service = await start(checkout, dataDir, provider.url);
  const ids = await fillStore(service);
  const stored = await whatIsStored(service, ids);
  const erased = await beginErasure(service, dataDir);
  const spool = await fillSpool(service);
  killTree(service.pid);
  provider.server.close();
  provider.server.closeAllConnections();
  await wait(500);
  const tar = spawnSync('tar', ['-c', '--owner=0', '--group=0', '-C', dataDir, ...readdirSync(dataDir)], { maxBuffer: 1024 ** 3 });
  if (tar.status !== 0) throw new Error(String(tar.stderr));
  mkdirSync(fixtures, { recursive: true });
  const options = { params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: tar.stdout.length } };
  writeFileSync(join(fixtures, `${name}.tar.br`), brotliCompressSync(tar.stdout, options));
  writeFileSync(join(fixtures, `${name}.json`), `${JSON.stringify({ ...stored, erased, ...spool }, undefined, 2)}\n`);
  rmSync(folder, { recursive: true });
}

await make();
