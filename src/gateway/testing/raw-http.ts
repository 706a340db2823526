import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';

/** A key of ours that the rig's gateway accepts. */
export const ourKey = 'sk-svc-us-0123456789abcdefghij';

export async function listen(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Closes a server with every connection to it. */
export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
}

const soonMs = 2;
const longestPauseMs = 10;

/**
 * Waits for a condition; the test's own time limit ends a wait that is in vain. A condition that reads much, and many waits at once, must
 * not keep busy what they wait for.
 */
export async function until(condition: () => boolean): Promise<void> {
  for (let pauseMs = soonMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.1)) {
    const askedAt = performance.now();
    if (condition()) return;
    await soon(Math.max(pauseMs, (performance.now() - askedAt) * 2));
  }
}

/** Lets everything that is ready happen, timers of a few milliseconds included. */
export async function soon(ms = soonMs): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** A connection of which the test sees every byte. */
export interface RawClient {
  readonly socket: Socket;
  /** Text goes out as Latin-1: a byte a character. */
  readonly send: (data: string | Uint8Array) => void;
  /** All that came so far. */
  readonly received: () => Buffer;
  readonly text: () => string;
  /** How many bytes came. */
  readonly size: () => number;
  readonly isClosed: () => boolean;
  /** Waits until a text has come. */
  readonly until: (text: string) => Promise<void>;
  readonly closed: () => Promise<void>;
}

export async function openClient(port: number): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  let closed = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('end', () => {
    closed = true;
    socket.end();
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
  });
  const received = (): Buffer => Buffer.concat(chunks);
  const text = (): string => received().toString('latin1');
  return {
    socket,
    send: (data) => socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data),
    received,
    text,
    size: () => socket.bytesRead,
    isClosed: () => closed,
    until: (wanted) => until(() => text().includes(wanted)),
    closed: () => until(() => closed),
  };
}

/** A request as text: its head lines (a key of ours unless one is given) and body. */
export function requestText(line: string, headers: readonly string[] = [], body = ''): string {
  const auth = headers.some((header) => /^(authorization|svc-auth|helicone-auth|x-api-key|x-goog-api-key):/i.test(header))
    ? []
    : [`Svc-Auth: Bearer ${ourKey}`, 'Authorization: Bearer provider-key'];
  const length =
    body === '' || headers.some((header) => /^(content-length|transfer-encoding):/i.test(header)) ? [] : [`Content-Length: ${body.length}`];
  return `${[`${line} HTTP/1.1`, 'Host: gateway', ...auth, ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}

/** A whole reply, taken apart. */
export interface RawResponse {
  readonly status: number;
  readonly head: string;
  /** Value of the first header of this name. */
  readonly header: (name: string) => string | undefined;
  readonly lines: readonly string[];
  /** The body as sent, chunked coding undone. */
  readonly body: Buffer;
  /** False while something of the reply is missing. */
  readonly isComplete: boolean;
}

/** Takes the first reply apart. `bodyless`: it answers HEAD. */
export function parseResponse(bytes: Buffer, bodyless = false): RawResponse | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.subarray(0, end).toString('latin1');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const header = (name: string): string | undefined =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const status = Number(statusLine.split(' ')[1]);
  const rest = bytes.subarray(end + 4);
  const base = { status, head, header, lines };
  if (bodyless || status === 204 || status === 304) return { ...base, body: Buffer.alloc(0), isComplete: true };
  const length = header('content-length');
  if (length !== undefined) return { ...base, body: rest.subarray(0, Number(length)), isComplete: rest.length >= Number(length) };
  return header('transfer-encoding') === 'chunked' ? { ...base, ...unchunked(rest) } : { ...base, body: rest, isComplete: false };
}

function unchunked(bytes: Buffer): { body: Buffer; isComplete: boolean } {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) return { body: Buffer.concat(parts), isComplete: false };
    if (size === 0) return { body: Buffer.concat(parts), isComplete: bytes.length >= lineEnd + 4 };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

/** Sends one request over a fresh connection and waits for its whole reply. */
export async function call(port: number, request: string | Uint8Array): Promise<RawResponse> {
  const client = await openClient(port);
  client.send(request);
  const bodyless = Buffer.from(request).subarray(0, 5).toString() === 'HEAD ';
  let response: RawResponse | undefined;
  await until(() => {
    response = parseResponse(client.received(), bodyless);
    return response?.isComplete === true || client.isClosed();
  });
  client.socket.destroy();
  if (response === undefined) throw new Error(`no reply came: ${client.text()}`);
  return response;
}

/** A provider that speaks HTTP. */
export interface Provider {
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
  readonly close: () => Promise<void>;
}

export async function startProvider(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Provider> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  return {
    port: await listen(server),
    requests,
    close: () => closeServer(server),
  };
}

/** A provider of which the test writes every byte. */
export interface RawProvider {
  readonly port: number;
  /** Connections so far. */
  readonly sockets: readonly Socket[];
  /** What came on a connection. */
  readonly received: (index?: number) => string;
  readonly close: () => void;
}

export async function startRawProvider(onRequest: (socket: Socket) => void): Promise<RawProvider> {
  const sockets: Socket[] = [];
  const chunks: Buffer[][] = [];
  const server = createTcpServer((socket) => {
    const mine: Buffer[] = [];
    let begun = false;
    sockets.push(socket);
    chunks.push(mine);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      mine.push(chunk);
      if (begun || !Buffer.concat(mine).includes('\r\n\r\n')) return;
      begun = true;
      onRequest(socket);
    });
  });
  return {
    port: await listen(server),
    sockets,
    received: (index = 0) => Buffer.concat(chunks[index] ?? []).toString('latin1'),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
