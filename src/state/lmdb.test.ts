import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CachedResponses } from './cached-responses.ts';
import { openEnvironment } from './lmdb.ts';
import { FixedWindows } from './fixed-windows.ts';

const mapBytes = 1024 * 1024;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-environment-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('without room on the disk is not changed, can be read, and is changed again once there is room', async () => {
  let hasFreeSpace = true;
  const environment = openEnvironment(
    folder,
    mapBytes,
    () => undefined,
    () => hasFreeSpace,
  );
  const windows = new FixedWindows(environment, mapBytes);
  const responses = new CachedResponses(environment, { maxBytes: mapBytes, maxResponseBytes: mapBytes });
  const key = { organizationId: 'one', fingerprint: 'a', buckets: 1 };
  const response = {
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
  responses.keep(key, 0, response, 0);
  expect(claim().states[0]?.left).toBe(1n);

  hasFreeSpace = false;
  const refusal = /^less than \d+ bytes are free on the disk of the shared state$/;
  expect(claim).toThrow(refusal);
  expect(() => responses.keep({ ...key, fingerprint: 'b' }, 0, response, 0)).toThrow(refusal);
  expect(() => responses.forget('one')).toThrow(refusal);
  expect(responses.find(key, 100_000)).toMatchObject({ hit: { requestId: 'r' } });

  hasFreeSpace = true;
  expect(claim().states[0]?.left).toBe(0n);
  expect(responses.forget('one')).toBe(1);
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
