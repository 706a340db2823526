import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeServer } from './server.ts';
import { listenOnSocket, socketPath } from './unix-socket.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-socket-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Asks the server behind a socket. @returns the status, or the code of the system's error. */
function ask(file: string): Promise<number | string> {
  const short = socketPath(file);
  return new Promise((resolve) => {
    const asked = request({ socketPath: short.path, path: '/', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    asked.end();
  }).finally(short.close) as Promise<number | string>;
}

interface Served {
  readonly isSocket: boolean;
  readonly mode: number;
  readonly status: number | string;
  /** What is in the folder afterwards. */
  readonly left: readonly string[];
}

const served: Served = { isSocket: true, mode: 0o600, status: 200, left: [] };

async function serve(file: string): Promise<Served> {
  const server = createServer((_request, response) => response.end());
  const remove = await listenOnSocket(server, file);
  const found = statSync(file);
  const status = await ask(file);
  await closeServer(server, 100);
  remove();
  return { isSocket: found.isSocket(), mode: found.mode & 0o777, status, left: readdirSync(path.dirname(file)) };
}

describe('a socket is for its user alone and can be reached', () => {
  test('in a folder that others may look into', async () => {
    const open = path.join(folder, 'open');
    mkdirSync(open, { mode: 0o755 });
    expect(await serve(path.join(open, 'operator.sock'))).toEqual(served);
  });

  test.each([85, 86, 87, 103, 107, 108, 250])('in a folder whose path has %d bytes', async (bytes) => {
    const long = path.join(folder, 'é'.repeat(Math.floor((bytes - folder.length - 1) / 2)).padEnd(bytes % 2, 'a'));
    mkdirSync(long, { recursive: true });
    expect(await serve(path.join(long, 'operator.sock'))).toEqual(served);
  });
});

test('a socket takes the place of what a killed process has left, half-made or whole', async () => {
  const file = path.join(folder, 'operator.sock');
  const program = `require('node:http').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  expect(spawnSync(process.execPath, ['-e', program, file]).signal).toBe('SIGKILL');
  expect(await ask(file)).toBe('ECONNREFUSED');
  mkdirSync(path.join(folder, '.socket-abcdef'));
  writeFileSync(path.join(folder, '.socket-abcdef', 's'), '');
  expect(await serve(file)).toEqual(served);
});
