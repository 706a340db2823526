import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collect } from '../byte-provider.ts';

/** A request as a client sent it, but for its address. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** As text where it is one, else in base64. */
  readonly body: { readonly text: string } | { readonly base64: string };
}

export interface Recorder {
  readonly origin: string;
  readonly sent: SentRequest[];
  readonly close: () => Promise<void>;
}

/** Of one connection, not of the request. */
const ofConnection: ReadonlySet<string> = new Set(['host', 'content-length', 'transfer-encoding']);

/** Passes requests on to the gateway, and keeps what clients sent. */
export async function startRecorder(gateway: string): Promise<Recorder> {
  const sent: SentRequest[] = [];
  const pass = async (request: IncomingMessage): Promise<IncomingMessage> => {
    const body = await collect(request);
    const kept = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: ownHeaders(request.rawHeaders),
      body: bodyOf(body),
    };
    sent.push(kept);
    return replay(gateway, kept);
  };
  const server = createServer((request, response) => {
    void pass(request).then((answer) => relay(answer, response));
  });
  server.on('upgrade', (request, socket) => {
    void pass(request).then((answer) => socket.end(`HTTP/1.1 ${answer.statusCode} Refused\r\nConnection: close\r\n\r\n`));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function relay(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
  answer.pipe(response);
}

function bodyOf(bytes: Buffer): SentRequest['body'] {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}

function ownHeaders(raw: readonly string[]): readonly string[] {
  return raw.filter((_, index) => !ofConnection.has((raw[index - (index % 2)] ?? '').toLowerCase()));
}

/** Sends a request to the gateway. @returns the head of its response, whose body is to be read. */
export async function replay(gateway: string, { method, path, headers, body: kept }: SentRequest): Promise<IncomingMessage> {
  const body = 'text' in kept ? Buffer.from(kept.text) : Buffer.from(kept.base64, 'base64');
  const host = ['Host', new URL(gateway).host];
  const length = body.length === 0 ? [] : ['Content-Length', String(body.length)];
  return new Promise((resolve, reject) => {
    const request = send(gateway + path, { method, headers: [...host, ...headers, ...length] });
    request.once('response', resolve);
    request.once('error', reject);
    request.end(body);
  });
}
