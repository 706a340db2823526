import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CachedReplies } from './cached-replies.ts';
import { openEnvironment } from './lmdb.ts';
import { Windows } from './fixed-windows.ts';

const mapBytes = 1024 * 1024;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-environment-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('without room on the disk is not changed, can be read, and is changed again once there is room', async () => {
  let hasRoom = true;
  const environment = openEnvironment(
    folder,
    mapBytes,
    () => undefined,
    () => hasRoom,
  );
  const windows = new Windows(environment, mapBytes);
  const replies = new CachedReplies(environment, { mostBytes: mapBytes, mostReplyBytes: mapBytes });
  const key = { organizationId: 'one', fingerprint: 'a', places: 1 };
  const reply = {
    requestId: 'r',
    userId: '',
    status: 200,
    headers: [],
    body: Buffer.from('x'),
    createdAt: 0,
    expiresAt: 1e9,
    latencyMs: 1,
  };
  const claim = () => windows.claim([{ name: ['n'], quota: { amount: 2n, windowMs: 1e6 }, amount: 1n }], 0, ['one', 'r']);
  replies.keep(key, 0, reply, 0);
  expect(claim().standings[0]?.left).toBe(1n);

  hasRoom = false;
  const refusal = /^less than \d+ bytes are free on the disk of the shared state$/;
  expect(claim).toThrow(refusal);
  expect(() => replies.keep({ ...key, fingerprint: 'b' }, 0, reply, 0)).toThrow(refusal);
  expect(() => replies.forget('one')).toThrow(refusal);
  expect(replies.find(key, 100_000)).toMatchObject({ hit: { requestId: 'r' } });

  hasRoom = true;
  expect(claim().standings[0]?.left).toBe(0n);
  expect(replies.forget('one')).toBe(1);
  await environment.close();
});

it('without room on the disk is not opened', () => {
  expect(() =>
    openEnvironment(
      folder,
      mapBytes,
      () => undefined,
      () => false,
    ),
  ).toThrow('bytes are free on the disk of the shared state');
});
