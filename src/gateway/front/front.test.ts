import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as startRequest,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientAddressHeader } from '../../platform/http/client-address.ts';
import { IncomingRequest } from '../http/incoming-request.ts';
import { type FrontOptions, makeFront } from './front.ts';
import { frontResponses } from './sandboxed.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function answerOfGateway(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, ['content-type', 'text/html']).end(`gateway ${request.url ?? ''}`);
}

type Core = (...exchange: Parameters<RequestListener>) => unknown;

/** The one listener before a core. The gateway in it answers with the address that it sees. @returns its port. */
async function front(core: Core | undefined, options: Partial<FrontOptions> = {}): Promise<number> {
  const corePort = core === undefined ? undefined : await listening(createServer((...exchange) => void core(...exchange)));
  const takesOfApi = makeFront({
    basePath: '',
    gatewayPath: '/gateway',
    coreAddress: () => (corePort === undefined ? undefined : `http://127.0.0.1:${corePort}`),
    clientAddressLine: ({ socket }) => `mark ${socket.remoteAddress ?? ''}`,
    ...options,
  });
  const classes = { IncomingMessage: IncomingRequest, ServerResponse: frontResponses(ServerResponse) };
  const handle = (request: IncomingRequest, response: ServerResponse): void => {
    if (!takesOfApi(request, response)) answerOfGateway(request, response);
  };
  const server = createServer<typeof IncomingRequest>(classes, handle);
  server.on('checkContinue', handle);
  return listening(server);
}

const echo: RequestListener = (request, response) => response.end(`core ${request.method ?? ''} ${request.url ?? ''}`);

async function ask(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
  return `${response.status} ${response.headers.get('location') ?? (await response.text())}`;
}

/** Sends bytes, and reads until the connection ends. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('the path', () => {
  it.each([
    ['/gateway/v1/chat/completions?a=1', 'gateway /v1/chat/completions?a=1'],
    ['/gateway', 'gateway /'],
    ['/gateway?a=1', 'gateway /?a=1'],
    ['/gateways', 'core GET /gateways'],
    ['/', 'core GET /'],
    ['/v1/request/query-clickhouse?x=%2F', 'core GET /v1/request/query-clickhouse?x=%2F'],
  ])('%s leads to %s', async (path, answer) => {
    expect(await ask(await front(echo), path)).toBe(`200 ${answer}`);
  });

  it.each([
    ['/llm/gateway/v1/models', '200 gateway /v1/models'],
    ['/llm/gateway', '200 gateway /'],
    ['/llm/requests?q=1', '200 core GET /requests?q=1'],
    ['/llm', '200 core GET /'],
    ['/readyz', '200 core GET /readyz'],
    ['/', '307 /llm/'],
    ['/gateway/v1/models', expect.stringMatching(/^404 .*everything here lies below \/llm/)],
    ['/llms', expect.stringMatching(/^404 /)],
  ])('with a base path, %s leads to %s', async (path, answer) => {
    expect(await ask(await front(echo, { basePath: '/llm' }), path)).toEqual(answer);
  });

  it('may be in absolute form', async () => {
    const port = await front(echo);
    const answers = ['/gateway/v1/models', '/v1/keys'].map((path) =>
      raw(port, `GET http://gatelog.example.com${path} HTTP/1.1\r\nHost: gatelog.example.com\r\nConnection: close\r\n\r\n`),
    );
    expect(await Promise.all(answers)).toEqual([
      expect.stringContaining('gateway /v1/models'),
      expect.stringContaining('core GET /v1/keys'),
    ]);
  });
});

it('what the gateway answers is run by no browser in the name of the dashboard, and what the API answers stays as it is', async () => {
  const port = await front((_request, response) => response.writeHead(200, { 'Content-Security-Policy': "default-src 'self'" }).end());
  const of = async (path: string): Promise<readonly (string | null)[]> => {
    const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
    return [headers.get('content-security-policy'), headers.get('x-content-type-options')];
  };
  expect(await of('/gateway/page')).toEqual(['sandbox', 'nosniff']);
  expect(await of('/')).toEqual(["default-src 'self'", null]);
});

it('the core is told who calls, and what a client says of that is not passed on; nor is what is about one connection', async () => {
  const seen: string[][] = [];
  const port = await front((request, response) => {
    seen.push(request.rawHeaders);
    response.writeHead(201, 'Made', [
      'X-A',
      '1',
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'Date',
      'then',
      'Keep-Alive',
      'timeout=9',
      'X-Hop',
      '1',
      'Connection',
      'x-hop',
    ]);
    response.end();
  });
  const answer = await raw(
    port,
    [
      'POST /v1/x HTTP/1.1',
      'Host: h.example',
      `${clientAddressHeader.toUpperCase()}: mark 203.0.113.9`,
      'X-Own: 1',
      'Cookie: c=1',
      'Upgrade: websocket',
      'TE: trailers',
      'X-One: 1',
      'Connection: close, X-One',
      '',
      '',
    ].join('\r\n'),
  );
  expect(seen).toEqual([
    [
      'Host',
      'h.example',
      'X-Own',
      '1',
      'Cookie',
      'c=1',
      'Content-Length',
      '0',
      clientAddressHeader,
      'mark 127.0.0.1',
      'Connection',
      'keep-alive',
    ],
  ]);
  expect(answer.split('\r\n').slice(0, 5)).toEqual(['HTTP/1.1 201 Made', 'X-A: 1', 'Set-Cookie: a=1', 'Set-Cookie: b=2', 'Date: then']);
  expect(answer).not.toMatch(/x-hop|timeout=9/i);
});

it('a body of 100 MB passes whole, and no faster than the core reads it', async () => {
  const size = 100 * 1024 * 1024;
  let arrived: IncomingMessage | undefined;
  const port = await front((request, response) => {
    arrived = request;
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.pause();
    request.on('end', () => response.end(String(bytes)));
  });
  const outgoing = startRequest({ host: '127.0.0.1', port, method: 'POST', path: '/v1/import', headers: { 'content-length': size } });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  const chunk = Buffer.alloc(1024 * 1024);
  let sent = 0;
  const send = (): void => {
    while (sent < size) {
      sent += chunk.length;
      if (!outgoing.write(chunk)) return void outgoing.once('drain', send);
    }
    outgoing.end();
  };
  send();
  await vi.waitUntil(() => arrived !== undefined, 20_000);
  await settled(() => sent);
  expect(sent).toBeLessThan(size / 2);
  arrived?.resume();
  const [response] = await answered;
  expect(await text(response)).toBe(String(size));
});

it('a response goes no faster than its client reads it', async () => {
  const size = 100 * 1024 * 1024;
  let written = 0;
  const chunk = Buffer.alloc(1024 * 1024);
  const port = await front((_request, response) => {
    const send = (): void => {
      while (written < size) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', send);
      }
      response.end();
    };
    send();
  });
  const [response] = (await once(startRequest({ host: '127.0.0.1', port, path: '/v1/export' }).end(), 'response')) as [IncomingMessage];
  response.pause();
  await settled(() => written);
  expect(written).toBeLessThan(size / 2);
  let read = 0;
  response.on('data', (piece: Buffer) => (read += piece.length)).resume();
  await once(response, 'end');
  expect(read).toBe(size);
});

/** Waits until a count has stood still for several looks. */
async function settled(count: () => number): Promise<void> {
  let [before, looks] = [-1, 0];
  await vi.waitUntil(
    () => {
      looks = count() === before ? looks + 1 : 0;
      before = count();
      return looks >= 6;
    },
    { timeout: 20_000, interval: 50 },
  );
}

it('the head of a live stream arrives before its first event, and each event when it is sent', async () => {
  let stream: ServerResponse | undefined;
  const port = await front((_request, response) => {
    stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
  });
  const response = await fetch(`http://127.0.0.1:${port}/v1/request/stream`);
  const reader = response.body?.getReader();
  stream?.write('data: 1\n\n');
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
  stream?.end('data: 2\n\n');
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 2\n\n');
});

describe('who breaks off is seen by the other side', () => {
  it('a client that leaves a stream', async () => {
    let left: Promise<unknown> | undefined;
    const port = await front((_request, response) => {
      left = new Promise((resolve) => response.once('close', () => resolve('left')));
      response.write('begun');
    });
    const request = startRequest({ host: '127.0.0.1', port, path: '/v1/request/stream' }).end();
    await once(request, 'response');
    request.destroy();
    expect(await left).toBe('left');
  });

  it('a client that leaves before there is an answer', async () => {
    let left: Promise<unknown> | undefined;
    const port = await front((_request, response) => {
      left = new Promise((resolve) => response.once('close', () => resolve('left')));
    });
    const request = startRequest({ host: '127.0.0.1', port, path: '/v1/metrics/query' })
      .on('error', () => undefined)
      .end();
    await vi.waitUntil(() => left !== undefined);
    request.destroy();
    expect(await left).toBe('left');
  });

  it('a client that leaves its upload', async () => {
    let left: Promise<unknown> | undefined;
    const port = await front((request) => {
      left = new Promise((resolve) => request.once('close', () => resolve('left')));
      request.on('error', () => undefined).resume();
    });
    const request = startRequest({ host: '127.0.0.1', port, method: 'POST', path: '/v1/import', headers: { 'content-length': 100 } });
    request.on('error', () => undefined).write('begun');
    await vi.waitUntil(() => left !== undefined);
    request.destroy();
    expect(await left).toBe('left');
  });

  it('a core that dies in mid-response', async () => {
    const port = await front((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('begun', () => response.destroy());
    });
    const response = await fetch(`http://127.0.0.1:${port}/v1/export`);
    await expect(response.text()).rejects.toThrow('terminated');
  });
});

it('an early answer to a large body reaches its client', async () => {
  const port = await front((_request, response) => {
    response.writeHead(413).end('too large');
  });
  const request = startRequest({ host: '127.0.0.1', port, method: 'POST', path: '/v1/x', headers: { 'content-length': 20_000_000 } });
  request.on('error', () => undefined).on('socket', (socket) => socket.on('error', () => undefined));
  request.end(Buffer.alloc(20_000_000));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect([response.statusCode, await text(response)]).toEqual([413, 'too large']);
});

it('a client that waits for 100 Continue gets it', async () => {
  const port = await front(async (request, response) => response.end(await text(request)));
  const request = startRequest({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/v1/x',
    headers: { expect: '100-continue', 'content-length': 4 },
  });
  request.flushHeaders();
  await once(request, 'continue');
  request.end('body');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(await text(response)).toBe('body');
});

it('a connection is kept for the next request, of either side', async () => {
  const port = await front(echo);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports: (number | undefined)[] = [];
  for (const path of ['/v1/a', '/gateway/b', '/v1/c']) {
    const [response] = (await once(startRequest({ host: '127.0.0.1', port, path, agent }).end(), 'response')) as [IncomingMessage];
    ports.push(response.socket.localPort);
    await text(response);
  }
  agent.destroy();
  expect(new Set(ports).size).toBe(1);
});

it.each([
  ['has not started', undefined],
  ['is away', 'http://127.0.0.1:1'],
])('while the core %s, the API says so and the gateway answers', async (_what, address) => {
  const port = await front(undefined, { coreAddress: () => address });
  expect(await ask(port, '/v1/keys')).toMatch(/^503 .*"code":"api_unavailable"/);
  const upload = await fetch(`http://127.0.0.1:${port}/v1/x`, { method: 'POST', body: Buffer.alloc(5_000_000) });
  expect(upload.status).toBe(503);
  expect(await ask(port, '/gateway/x')).toBe('200 gateway /x');
});
