import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type ApiError, createClient, type FollowQuery, where } from '../client.ts';
import { eventsOf, type ServerEvent } from './events.ts';
import { linesOf } from './streamed.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** What a service does with each connection in turn; the last one stays for all further. */
type Connection = (response: ServerResponse) => void;

async function serving(...connections: readonly Connection[]): Promise<{ readonly address: string; readonly seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    (connections[seen.length - 1] ?? connections.at(-1))?.(response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const begin = (response: ServerResponse): ServerResponse => response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
const requestAt = (position: number): string =>
  `id: ${position}\nevent: request\ndata: ${JSON.stringify({ request_id: `r${position}` })}\n\n`;
const refuse = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Connection => {
  return (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ data: null, error: `It is ${code}.`, code }));
};

/** Follows until so many requests have come. */
async function follow(address: string, count: number, query: FollowQuery = {}) {
  const states: (string | undefined)[] = [];
  const client = createClient({ apiUrl: address, apiKey: 'sk-svc-us-key', retries: 0 });
  const found: string[] = [];
  for await (const { request, position } of client.requests.follow(query, { onConnection: (lost) => states.push(lost?.code) })) {
    found.push(`${request.request_id} ${position}`);
    if (found.length === count) break;
  }
  return { found, states };
}

describe('following', () => {
  test('goes on behind the last position after the connection was lost, ended, or refused for a while', async () => {
    const { address, seen } = await serving(
      (response) => {
        begin(response).write(`retry: 1000\n: live\nid: 10\n\n${requestAt(11)}${requestAt(12)}id: 13\nevent: request\ndata: {"request`);
        setTimeout(() => response.destroy(), 50);
      },
      (response) => begin(response).end(`id: 12\n\n: alive\nid: 20\n\n`),
      refuse(503, 'service_busy', { 'retry-after': '0' }),
      (response) => begin(response).write(requestAt(21)),
    );
    const { found, states } = await follow(address, 3);
    expect(found).toEqual(['r11 11', 'r12 12', 'r21 21']);
    expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '12', '20', '20']);
    expect(states).toEqual([undefined, 'broken_off', undefined, 'broken_off', 'service_busy', undefined]);
  });

  test('tells of a request about which the filter could not decide, and ends when the service gives the filter up', async () => {
    const { address, seen } = await serving((response) =>
      begin(response).end(
        `${requestAt(1)}id: 2\nevent: passed_by\ndata: {"request_id":"r2","error":"It is left out."}\n\n${requestAt(3)}` +
          'event: end\ndata: {"data":null,"error":"It could not decide.","code":"invalid_filter"}\n\n',
      ),
    );
    const client = createClient({ apiUrl: address, apiKey: 'sk-svc-us-key', retries: 0 });
    const told: string[] = [];
    const following = client.requests.follow({}, { onUndecided: (id, message) => told.push(`${id}: ${message}`) });
    const all = async (): Promise<void> => {
      for await (const { request } of following) told.push(request.request_id);
    };
    await expect(all()).rejects.toMatchObject({
      code: 'invalid_filter',
      message: expect.stringContaining('It could not decide.') as string,
    });
    expect(told).toEqual(['r1', 'r2: It is left out.', 'r3']);
    expect(seen).toHaveLength(1);
  });

  test('sends what it is asked for', async () => {
    const { address, seen } = await serving((response) => begin(response).write(requestAt(8)));
    await follow(address, 1, { filter: where('status', 'gte', 400), includeBodies: true, after: '7' });
    const { searchParams } = new URL(seen[0]?.url ?? '', address);
    expect([Object.fromEntries(searchParams), seen[0]?.headers['last-event-id'], seen[0]?.headers.authorization]).toEqual([
      { filter: '{"request_response_rmt":{"status":{"gte":400}}}', includeBodies: 'true' },
      '7',
      'Bearer sk-svc-us-key',
    ]);
  });

  test.each([
    [
      'a key that was revoked',
      (response: ServerResponse) =>
        begin(response).end('event: end\ndata: {"data":null,"error":"It was revoked.","code":"invalid_key"}\n\n'),
      'invalid_key',
      'It was revoked.',
    ],
    ['a key that is unknown', refuse(401, 'invalid_key'), 'invalid_key', 'It is invalid_key.'],
    ['a filter that is none', refuse(422, 'invalid_filter'), 'invalid_filter', 'It is invalid_filter.'],
    ['a service that is busy at the first try', refuse(503, 'service_busy'), 'service_busy', 'It is service_busy.'],
    [
      'an answer that is no stream',
      (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('hello'),
      'not_gatelog',
      'What answers is no stream of events.',
    ],
  ])('ends with an error for %s', async (_, connection, code, message) => {
    const { address } = await serving(connection);
    const error = (await follow(address, 1).catch((thrown: unknown) => thrown)) as ApiError;
    expect([error.code, error.message]).toEqual([code, message]);
  });

  test('ends with an error where nothing answers, and with its signal', async () => {
    await expect(follow('http://127.0.0.1:9', 1)).rejects.toMatchObject({ code: 'unreachable' });
    const { address } = await serving((response) => begin(response).write('id: 1\n\n'));
    const stop = new AbortController();
    const following = createClient({ apiUrl: address, apiKey: 'sk' }).requests.follow(
      {},
      { signal: stop.signal, onConnection: () => stop.abort(new Error('enough')) },
    );
    await expect(following.next()).rejects.toThrow('enough');
  });
});

async function read(...pieces: readonly string[]): Promise<readonly ServerEvent[]> {
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield Buffer.from(piece, 'latin1');
  };
  const events: ServerEvent[] = [];
  for await (const event of eventsOf(linesOf(bytes()))) events.push(event);
  return events;
}

describe('server-sent events', () => {
  test('are read whatever their cuts and line ends', async () => {
    const whole = Buffer.from(
      'id: 1\r\nevent: request\r\ndata: {"a":"é"}\r\n\r\n: comment\n\nid:2\n\ndata:x\ndata: y\nother: z\nid\n\nevent: cut\ndata: off',
    ).toString('latin1');
    const events = [
      { type: 'request', data: '{"a":"é"}', id: '1' },
      { type: 'message', data: undefined, id: '2' },
      { type: 'message', data: 'x\ny', id: '' },
    ];
    expect(await read(whole)).toEqual(events);
    expect(await read(...whole.split(''))).toEqual(events);
  });
});
