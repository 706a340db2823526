import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool, type Dispatcher } from 'undici';

/**
 * A lean pass-through on `node:http` and `undici`, written by hand: it checks no key, records nothing and parses nothing. It uses both in
 * the ordinary way: it reads a body as a stream and answers with bytes, which Gatelog avoids for small bodies. Started by `fork` with the
 * provider's origin as argument: it sends `{ port }` when it listens, and ends with its parent.
 */

const notForwarded = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'expect',
  'upgrade',
  'te',
  'trailer',
]);
const notReturned = new Set(['connection', 'keep-alive', 'transfer-encoding']);
const pool = new Pool(process.argv[2] ?? '', { connections: 256, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

function requestHeaders(rawHeaders: readonly string[]): string[] {
  const forwarded: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!notForwarded.has(name.toLowerCase())) forwarded.push(name, rawHeaders[index + 1] ?? '');
  }
  return forwarded;
}

function responseHeaders(rawHeaders: readonly Buffer[]): { headers: string[]; bodyBytes: number } {
  const headers: string[] = [];
  let bodyBytes = -1;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toString('latin1') ?? '';
    const value = rawHeaders[index + 1]?.toString('latin1') ?? '';
    const lowerCase = name.toLowerCase();
    if (notReturned.has(lowerCase)) continue;
    if (lowerCase === 'content-length') bodyBytes = Number(value);
    headers.push(name, value);
  }
  return { headers, bodyBytes };
}

/**
 * Writes one response to the client as it arrives, with one write for each turn of the event loop: undici calls once per chunk of the
 * provider, and a stream has many small ones. A response of known length ends with its last byte, so a small one is one write.
 */
class Response implements Dispatcher.DispatchHandler {
  private readonly response: ServerResponse;
  private abort: ((cause?: Error) => void) | null = null;
  private resume: (() => void) | null = null;
  private remainingBytes = -1;
  private gathered: Buffer[] = [];
  private hasRoom = true;

  constructor(response: ServerResponse) {
    this.response = response;
    response.sendDate = false;
    response.on('close', () => {
      if (!response.writableEnded) this.abort?.();
    });
  }

  onConnect(abort: (cause?: Error) => void): void {
    this.abort = abort;
    if (this.response.destroyed) abort();
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void, statusText: string): boolean {
    if (status < 200) return true;
    const { headers, bodyBytes } = responseHeaders(rawHeaders);
    this.resume = resume;
    this.remainingBytes = bodyBytes;
    this.response.writeHead(status, statusText, headers);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.remainingBytes === chunk.length && this.gathered.length === 0) {
      this.response.end(chunk);
      return true;
    }
    this.remainingBytes -= chunk.length;
    this.gathered.push(chunk);
    if (this.gathered.length === 1) process.nextTick(() => this.flush());
    return this.hasRoom;
  }

  onComplete(): void {
    if (!this.response.writableEnded) this.response.end(this.takeGathered());
  }

  onError(): void {
    if (this.response.headersSent) this.response.destroy();
    else this.response.writeHead(502).end();
  }

  private flush(): void {
    const bytes = this.takeGathered();
    if (bytes === undefined) return;
    this.hasRoom = this.response.write(bytes);
    if (this.hasRoom) return;
    this.response.once('drain', () => {
      this.hasRoom = true;
      this.resume?.();
    });
  }

  private takeGathered(): Buffer | undefined {
    const parts = this.gathered;
    this.gathered = [];
    return parts.length > 1 ? Buffer.concat(parts) : parts[0];
  }
}

function forward(request: IncomingMessage, response: ServerResponse, body: Buffer | null): void {
  const { url = '/', method = 'GET' } = request;
  pool.dispatch({ path: url, method, headers: requestHeaders(request.rawHeaders), body }, new Response(response));
}

const server = createServer((request, response) => {
  let first: Buffer | null = null;
  let rest: Buffer[] | null = null;
  request.on('data', (chunk: Buffer) => {
    if (first === null) first = chunk;
    else (rest ??= [first]).push(chunk);
  });
  request.on('end', () => forward(request, response, rest === null ? first : Buffer.concat(rest)));
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit(0));
