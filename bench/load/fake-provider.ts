import { createServer, type Socket } from 'node:net';
import { jsonReply, streamReply } from './canned-reply.ts';
import { HttpMessageReader } from './http-message-reader.ts';

/**
 * A provider that costs as little CPU as it can: canned bytes over `node:net`, keep-alive, on a free port of the loopback address.
 * Started by `fork`: sends `{ port }` when it listens and ends with its parent.
 *
 * A body with `"stream":true` is answered as server-sent events: all in one write, or, where the body contains `[pace N ms]`, the first
 * event at once and one more every N milliseconds. The pace is in the text because gateways change or drop everything else.
 */

const streamPattern = /"stream"\s*:\s*true/;
const pacePattern = /\[pace (\d+) ms\]/;

const jsonResponse = Buffer.concat([
  head('HTTP/1.1 200 OK', 'content-type: application/json', `content-length: ${jsonReply.length}`, 'openai-processing-ms: 1'),
  jsonReply,
]);
const streamHead = head('HTTP/1.1 200 OK', 'content-type: text/event-stream; charset=utf-8', 'transfer-encoding: chunked');
const streamChunks = streamReply.map((event) =>
  Buffer.concat([Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from('\r\n')]),
);
const lastChunk = Buffer.from('0\r\n\r\n');
const streamResponse = Buffer.concat([streamHead, ...streamChunks, lastChunk]);
const pacedStart = Buffer.concat([streamHead, ...streamChunks.slice(0, 1)]);
const notFoundResponse = Buffer.concat([head('HTTP/1.1 404 Not Found', 'content-length: 0')]);

function head(...lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join('\r\n')}\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n`);
}

function reply(socket: Socket, startLine: string, body: string): void {
  if (!startLine.startsWith('POST ') || !startLine.includes('/chat/completions ')) {
    socket.write(notFoundResponse);
  } else if (!streamPattern.test(body)) {
    socket.write(jsonResponse);
  } else {
    const pace = pacePattern.exec(body)?.[1];
    if (pace === undefined) socket.write(streamResponse);
    else writePaced(socket, Number(pace));
  }
}

function writePaced(socket: Socket, intervalMs: number): void {
  let next = 1;
  const timer = setInterval(() => {
    const chunk = streamChunks[next];
    if (chunk === undefined || socket.destroyed) return clearInterval(timer);
    next += 1;
    socket.write(next === streamChunks.length ? Buffer.concat([chunk, lastChunk]) : chunk);
  }, intervalMs);
  socket.write(pacedStart);
}

function serve(socket: Socket): void {
  let startLine = '';
  let body = '';
  const reader = new HttpMessageReader(
    {
      onHead: (text) => {
        startLine = text.slice(0, text.indexOf('\r\n'));
        body = '';
      },
      onBody: (bytes) => {
        body += bytes.toString('latin1');
      },
      onEnd: () => reply(socket, startLine, body),
    },
    'empty',
  );
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    try {
      reader.push(bytes);
    } catch {
      socket.destroy();
    }
  });
}

const server = createServer(serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit(0));
