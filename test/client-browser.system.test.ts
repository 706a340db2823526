import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as forward, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();
let service: Service;
let pages: Server;
let origin: string;
let browser: Browser;

/** Serves a page, the built client as it is, and under `/v1/` the API, as a page of the service's own would find it. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname.startsWith('/v1/')) {
    const upstream = new URL(pathname + search, service.api);
    const sent = forward(upstream, { method: request.method, headers: { ...request.headers, host: upstream.host } }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    request.pipe(sent);
    return;
  }
  if (!/^\/dist\/client\/[\w/-]+\.js$/.test(pathname)) {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      '<!doctype html><title>client</title><script type="importmap">{"imports": {"gatelog/client": "/dist/client/client.js"}}</script>',
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/javascript' });
  response.end(readFileSync(path.join('.', pathname)));
}

beforeAll(async () => {
  pages = createServer(answer);
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20', GATELOG_CORS_ORIGINS: origin } });
  for (let call = 0; call < 3; call += 1) {
    const response = await fetch(`${service.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}`, 'svc-session-id': 'from a page' },
      body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: `call ${call}, Grüße 😀` }] }),
    });
    await apiClient(service.api).stored(response.headers.get('svc-id') ?? '');
  }
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  pages?.close();
  removeDataDir(dataDir);
});

/** Runs a script with the client in a page. @returns its result; no error reaches the console of the page but failed calls. */
async function inPage(script: string, given: Readonly<Record<string, unknown>>): Promise<unknown> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  try {
    await page.goto(origin);
    const body = `(async (given) => { const client = await import('gatelog/client'); ${script} })(${JSON.stringify(given)})`;
    const result: unknown = await page.evaluate(body);
    expect(complaints).toEqual([]);
    return result;
  } finally {
    await page.close();
  }
}

describe('in a browser', () => {
  it('reads pages from another origin: cursors and counts arrive', async () => {
    const found = await inPage(
      `const gatelog = client.createClient({ apiUrl: given.api, apiKey: given.key });
       const pages = [];
       for await (const page of gatelog.requests.pages({ filter: client.where('model', 'contains', 'x'), limit: 2 }, { includeCount: true })) {
         pages.push([page.data.length, page.totalCount, page.data[0].request_body.messages[0].content.includes('Grüße 😀')]);
       }
       const { data } = await gatelog.sessions.get('from a page');
       return [pages, data.session.total_requests];`,
      { api: service.api, key: testKey },
    );
    expect(found).toEqual([
      [
        [2, 3, true],
        [1, 3, true],
      ],
      3,
    ]);
  });

  it('calls its own origin without an address, and without a key says what a session cookie needs', async () => {
    const found = await inPage(
      `const { data } = await client.createClient({ apiKey: given.key }).metrics.query({ metrics: ['count'], groupBy: ['session'] });
       const error = await client.createClient().requests.query({ filter: 'all' }).catch((thrown) => thrown);
       return [data, error instanceof client.ApiError, error.code, error.status];`,
      { key: testKey },
    );
    expect(found).toEqual([[{ session: 'from a page', count: 3 }], true, 'missing_key', 401]);
  });

  it('reads an export row by row and changes what it reads', async () => {
    const found = await inPage(
      `const gatelog = client.createClient({ apiKey: given.key });
       const rows = [];
       for await (const row of gatelog.exports.rows({ columns: ['request_id', 'session_id'] })) rows.push(row);
       await gatelog.requests.setProperties(rows[0].request_id, { Seen: 'yes' });
       const { data } = await gatelog.requests.get(rows[0].request_id);
       const download = await fetch(gatelog.exports.address({ columns: ['session_id'], format: 'csv' }), { headers: { authorization: 'Bearer ' + given.key } });
       return [rows.length, rows[0].session_id, data.properties.Seen, (await download.text()).split('\\r\\n')[1]];`,
      { key: testKey },
    );
    expect(found).toEqual([3, 'from a page', 'yes', 'from a page']);
  });

  it('follows live from another origin, and goes on behind a position', async () => {
    const found = await inPage(
      `const gatelog = client.createClient({ apiUrl: given.api, apiKey: given.key });
       const call = async (team) => {
         const response = await fetch(given.gateway + '/v1/chat/completions', {
           method: 'POST',
           headers: { 'content-type': 'application/json', authorization: 'Bearer ' + given.key, 'svc-properties': JSON.stringify({ Team: team }) },
           body: JSON.stringify({ model: 'echo/live', messages: [{ role: 'user', content: 'hi' }] }),
         });
         return response.headers.get('svc-id');
       };
       const filter = client.where('properties.Team', 'equals', 'live');
       const [made, seen, states] = [[], [], []];
       let after;
       const onConnection = async (lost) => {
         states.push(lost?.code ?? 'there');
         made.push(await call('live'));
       };
       for await (const { request, position } of gatelog.requests.follow({ filter }, { onConnection })) {
         seen.push(request.request_id);
         after = position;
         break;
       }
       await call('other');
       made.push(await call('live'), await call('live'));
       for await (const { request } of gatelog.requests.follow({ filter, after })) if (seen.push(request.request_id) === 3) break;
       const stop = new AbortController();
       const rest = gatelog.requests.follow({ filter }, { signal: stop.signal, onConnection: () => stop.abort('left the page') });
       return [made, seen, states, await rest.next().catch((thrown) => thrown)];`,
      { api: service.api, gateway: service.gateway, key: testKey },
    );
    const [made] = found as readonly [readonly string[]];
    expect(made.every((id) => typeof id === 'string')).toBe(true);
    expect(found).toEqual([made, made, ['there'], 'left the page']);
  });

  it('has an EventSource of its own, which sends no key', async () => {
    const found = await inPage(
      `const source = new EventSource(given.api + '/v1/request/stream');
       return new Promise((resolve) => source.addEventListener('error', () => resolve(source.readyState === EventSource.CLOSED)));`,
      { api: service.api },
    );
    expect(found).toBe(true);
  });

  it('ends an aborted call with the reason, and tells of an address where nothing answers', async () => {
    const found = await inPage(
      `const gatelog = client.createClient({ apiKey: given.key });
       const aborted = await gatelog.requests.query({ filter: 'all' }, { signal: AbortSignal.abort('left the page') }).catch((thrown) => thrown);
       const elsewhere = client.createClient({ apiUrl: 'http://127.0.0.1:' + given.closedPort, apiKey: given.key });
       const error = await elsewhere.limits.get().catch((thrown) => thrown);
       return [aborted, error.code, error.isAway];`,
      { key: testKey, closedPort: await closedPort() },
    );
    expect(found).toEqual(['left the page', 'unreachable', true]);
  });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
