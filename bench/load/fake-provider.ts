import { createServer, type Socket } from 'node:net';
import { jsonBody, longJsonResponse, stampedEvent, streamBody } from './canned-responses.ts';
import { HttpMessageReader } from './http-message-reader.ts';

/**
 * A provider that uses little CPU: canned bytes over `node:net`, keep-alive, on a free port of the loopback address. Started by `fork`: it
 * sends `{ port }` when it listens, and ends with its parent. A body with `"stream":true` gets server-sent events: all in one write, or,
 * where the body contains `[pace N ms]`, the first event at once and one more every N milliseconds. `[pace N ms, M stamped events]` sends
 * M events that each carry the time of their sending, with the streams of different calls spread over an interval. `[reply N KB]` gets a
 * completion of that length. All these commands are in the text because gateways change or drop everything else.
 */

const streamPattern = /"stream"\s*:\s*true/;
const pacePattern = /\[pace (\d+) ms(?:, (\d+) stamped events)?\]/;
const lengthPattern = /\[reply (\d+) KB\]/;

const jsonResponse = jsonMessage(jsonBody);
/** By length in KB. */
const longResponses = new Map<number, Buffer>();
const streamHead = head('HTTP/1.1 200 OK', 'content-type: text/event-stream; charset=utf-8', 'transfer-encoding: chunked');
const streamChunks = streamBody.map(chunked);
const lastChunk = Buffer.from('0\r\n\r\n');
const streamResponse = Buffer.concat([streamHead, ...streamChunks, lastChunk]);
const pacedStart = Buffer.concat([streamHead, ...streamChunks.slice(0, 1)]);
const stampedEnd = Buffer.concat([...streamChunks.slice(-2), lastChunk]);
const notFoundResponse = Buffer.concat([head('HTTP/1.1 404 Not Found', 'content-length: 0')]);

function head(...lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join('\r\n')}\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n`);
}

function jsonMessage(body: Buffer): Buffer {
  return Buffer.concat([
    head('HTTP/1.1 200 OK', 'content-type: application/json', `content-length: ${body.length}`, 'openai-processing-ms: 1'),
    body,
  ]);
}

function chunked(event: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from('\r\n')]);
}

function response(socket: Socket, startLine: string, body: string): void {
  if (!startLine.startsWith('POST ') || !startLine.includes('/chat/completions ')) {
    socket.write(notFoundResponse);
  } else if (!streamPattern.test(body)) {
    const length = lengthPattern.exec(body)?.[1];
    socket.write(length === undefined ? jsonResponse : longResponse(Number(length)));
  } else {
    const [, pace, events] = pacePattern.exec(body) ?? [];
    if (pace === undefined) socket.write(streamResponse);
    else if (events === undefined) writePaced(socket, Number(pace));
    else writeStamped(socket, Number(pace), Number(events));
  }
}

function longResponse(kilobytes: number): Buffer {
  const made = longResponses.get(kilobytes) ?? jsonMessage(longJsonResponse(kilobytes));
  longResponses.set(kilobytes, made);
  return made;
}

let stampedStreams = 0;

/** Each stream's first event has its own moment within the interval, like the later ones, so that many streams do not send at once. */
function writeStamped(socket: Socket, intervalMs: number, events: number): void {
  stampedStreams += 1;
  let left = events;
  const next = (): void => {
    if (socket.destroyed) return clearInterval(timer);
    left -= 1;
    const event = chunked(stampedEvent(process.hrtime.bigint() / 1000n));
    if (left > 0) return void socket.write(event);
    clearInterval(timer);
    socket.write(Buffer.concat([event, stampedEnd]));
  };
  let timer: NodeJS.Timeout | undefined;
  socket.write(streamHead);
  setTimeout(
    () => {
      timer = setInterval(next, intervalMs);
      next();
    },
    (stampedStreams * 7) % intervalMs,
  );
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
      onEnd: () => response(socket, startLine, body),
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
