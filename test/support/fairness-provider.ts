/**
 * A provider for `fairness-gateway.ts`, started by `fork` with its niceness. It sends `{ port }` when it listens and ends with its parent.
 * It answers every call at once, and one with the header {@link holdHeader} by a stream that stays open until the parent sends `release`.
 * To any other message it responds with the longest stall of its event loop since the last one, in milliseconds.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { holdHeader } from './fairness-call.ts';
import { LoopStalls } from './loop-stalls.ts';
import { setOwnPriority } from './own-priority.ts';

setOwnPriority(Number(process.argv[2]));
const held = new Set<ServerResponse>();
const stalls = new LoopStalls();
const server = createServer((incoming, response) => {
  if (incoming.headers[holdHeader] === undefined) {
    incoming.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'));
    return;
  }
  held.add(response);
  response.on('close', () => held.delete(response));
  incoming.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 2048 }, () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (message) => {
  if (message !== 'release') process.send?.({ stalledMs: stalls.maxMs() });
  else for (const response of held) response.destroy();
});
process.on('disconnect', () => process.exit(0));
