import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { closeServer } from './http-server.ts';
import { canBeSocket, listenOnSocket } from './socket.ts';

it('a socket and the folder around it are for its user alone, and it takes the place of one that was left', async () => {
  const outside = mkdtempSync(path.join(tmpdir(), 'gatelog-socket-'));
  const folder = path.join(outside, 'operator');
  const file = path.join(folder, 'core.sock');
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeFileSync(file, 'left by another process');
  const server = createServer((_request, response) => response.end());
  const listens = listenOnSocket(server, file);
  // Before the socket has its own permissions nobody else comes near it.
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await listens;
  expect(statSync(file).isSocket()).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await closeServer(server, 100);
  rmSync(outside, { recursive: true });
});

it('a path that the system would cut is told before', () => {
  expect(canBeSocket(`/${'a'.repeat(102)}`)).toBe(true);
  expect(canBeSocket(`/${'a'.repeat(103)}`)).toBe(false);
  expect(canBeSocket(`/${'é'.repeat(52)}`)).toBe(false);
});
