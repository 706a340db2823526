import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { closeServer } from './http-server.ts';
import { canBeSocket, listenOnSocket } from './socket.ts';

it('a socket is for its user alone from its first moment on, and takes the place of one that was left', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-socket-'));
  const file = path.join(folder, 'operator.sock');
  writeFileSync(file, 'left by another process');
  const server = createServer((_request, response) => response.end());
  const listens = listenOnSocket(server, file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await listens;
  expect(statSync(file).isSocket()).toBe(true);
  // What is made afterwards has the permissions that it had before.
  writeFileSync(path.join(folder, 'other'), '', { mode: 0o700 });
  expect(statSync(path.join(folder, 'other')).mode & 0o700).toBe(0o700);
  await closeServer(server, 100);
  rmSync(folder, { recursive: true });
});

it('a path that the system would cut is told before', () => {
  expect(canBeSocket(`/${'a'.repeat(106)}`)).toBe(true);
  expect(canBeSocket(`/${'a'.repeat(107)}`)).toBe(false);
  expect(canBeSocket(`/${'é'.repeat(54)}`)).toBe(false);
});
