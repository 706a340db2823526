import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DeadLetters } from '../src/ingest/dead-letters/store.ts';
import { TrackedExchange } from '../src/ingest/series/exchange.ts';
import { frameKinds } from '../src/model/record/exchange.ts';
import type { OrganizationId, RequestId } from '../src/model/ids.ts';
import { frameHeaderBytes, segmentHeaderBytes } from '../src/spool/frame.ts';
import { writeAtomicSeries } from '../src/spool/import-series.ts';
import { apiClient } from './support/api.ts';
import { gatelog } from './support/command.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';

const folders: string[] = [];

function freshFolder(): string {
  const folder = makeDataDir();
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) removeDataDir(folder);
});

const chatRequest = JSON.stringify({ model: 'echo-1', messages: [{ role: 'user', content: 'a secret of a customer' }] });

/** Creates a dead letter from an exchange that this version can store. @returns the identifier of its request. */
function plantLetter(dataDir: string, organizationId: string, responseHead: string): RequestId {
  const openedAt = Date.now();
  const requestId = `${openedAt.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7000-8000-000000000001` as RequestId;
  const end = { outcome: 'complete', elapsedMs: 9, overheadMs: 0.5, requestBytes: chatRequest.length, responseBytes: 2 };
  const open = {
    version: 1,
    requestId,
    organizationId,
    keyHash: 'a'.repeat(64),
    openedAt,
    method: 'POST',
    path: '/v1/chat/completions',
    provider: 'echo',
    targetUrl: '',
    headers: {},
    tags: { properties: [{ name: 'Team', value: 'red' }] },
  };
  const parts: readonly (readonly [number, string])[] = [
    [frameKinds.open, JSON.stringify(open)],
    [frameKinds.requestPart, chatRequest],
    [frameKinds.responseHead, responseHead],
    [frameKinds.responsePart, '{}'],
    [frameKinds.end, JSON.stringify(end)],
  ];
  const spool = mkdtempSync(path.join(dataDir, 'planted-'));
  const frames = parts.map(([kind, text]) => ({ kind, stamp: 1, stream: 1, payload: Buffer.from(text) }));
  writeAtomicSeries(spool, 'series', frames);
  const exchange = new TrackedExchange({
    series: 'series',
    stream: 1,
    organizationId: organizationId as OrganizationId,
    requestId,
    openedAt,
    sessionId: '',
    userId: '',
    spanName: '',
  });
  let offset = segmentHeaderBytes;
  for (const { payload, ...label } of frames) {
    exchange.frames.push({ ...label, segment: 1, offset, length: payload.length });
    offset += frameHeaderBytes + payload.length;
  }
  const letters = new DeadLetters(path.join(dataDir, 'dead-letters'), Date.now);
  letters.keep({ exchange, seriesFolder: path.join(spool, 'series'), reason: 'a fault of an earlier version', changes: [] });
  return requestId;
}

async function defaultOrganization(dataDir: string): Promise<string> {
  return /^(\S+) .* default$/m.exec((await gatelog(dataDir, 'orgs', 'list')).stdout)?.[1] ?? '';
}

describe("the operator's socket", () => {
  it('is for the user of the service alone, outlives kill -9, and goes with a stop', async () => {
    const dataDir = freshFolder();
    const socket = path.join(dataDir, 'operator.sock');
    const first = await startService({ dataDir });
    expect(statSync(socket).isSocket()).toBe(true);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect((await gatelog(dataDir, 'dead-letters', 'list')).code).toBe(0);
    await first.killAll();
    const nobody = `No Gatelog runs in ${dataDir}. Start it with "gatelog serve", or set GATELOG_DATA_DIR to the folder that it shows as Data.\n`;
    expect(await gatelog(dataDir, 'dead-letters', 'list')).toEqual({ code: 5, stdout: '', stderr: nobody });
    const second = await startService({ dataDir });
    expect((await gatelog(dataDir, 'dead-letters', 'list')).code).toBe(0);
    await second.stop();
    expect(statSync(socket, { throwIfNoEntry: false })).toBeUndefined();
    expect(await gatelog(dataDir, 'dead-letters', 'list')).toEqual({ code: 5, stdout: '', stderr: nobody });
  });
});

async function withLetter({ dataDir }: Service, responseHead: string): Promise<{ readonly requestId: RequestId; readonly id: string }> {
  const requestId = plantLetter(dataDir, await defaultOrganization(dataDir), responseHead);
  const { stdout } = await gatelog(dataDir, 'dead-letters', 'list');
  expect(stdout).toMatch(/^ID +REQUESTED +KEPT +ORGANISATION +REQUEST +BYTES +REASON$/m);
  expect(stdout).toContain(requestId);
  expect(stdout).toContain('a fault of an earlier version');
  return { requestId, id: /^([0-9a-f]{12}-[0-9a-f]{16}) /m.exec(stdout)?.[1] ?? '' };
}

describe('gatelog dead-letters, with a data folder whose path is too long for a socket', () => {
  const parent = makeDataDir();
  const letterDataDir = path.join(parent, 'a'.repeat(120), 'data');
  let service: Service;
  beforeAll(async () => {
    mkdirSync(letterDataDir, { recursive: true });
    service = await startService({ dataDir: letterDataDir });
  });
  afterAll(async () => {
    await service?.stop();
    removeDataDir(parent);
  });

  it("reaches the operator's socket, which is reached by no key: the API does not know its addresses", async () => {
    expect((await gatelog(letterDataDir, 'dead-letters', 'list')).stderr).toContain('There are no dead letters');
    expect((await apiClient(service.api).call('GET', '/dead-letters')).status).toBe(404);
    expect((await fetch(`${service.gateway}/dead-letters`)).status).not.toBe(200);
  });

  it('lists, shows without and with bodies, and replays what this version can store', async () => {
    const { requestId, id } = await withLetter(service, '{"status":200,"headers":{},"elapsedMs":5}');
    const { dataDir } = service;
    const shown = (await gatelog(dataDir, 'dead-letters', 'show', id)).stdout;
    expect(shown).toContain('"path": "/v1/chat/completions"');
    expect(shown).toMatch(/^request +at 1 ms +\d+ bytes$/m);
    expect(shown).not.toContain('a secret of a customer');
    expect((await gatelog(dataDir, 'dead-letters', 'show', id, '--bodies')).stdout).toContain('a secret of a customer');
    expect(JSON.parse((await gatelog(dataDir, 'dead-letters', 'list', '--json')).stdout)).toMatchObject({ total: 1, next: null });

    expect(await gatelog(dataDir, 'dead-letters', 'replay', '--all')).toEqual({
      code: 0,
      stdout: '',
      stderr: '1 stored, 0 failed again and stay.\n',
    });
    expect(await apiClient(service.api).stored(requestId)).toMatchObject({ properties: { Team: 'red' }, response_status: 200 });
    expect((await gatelog(dataDir, 'dead-letters', 'list')).stderr).toContain('There are no dead letters');
  });

  it('reports a letter that failed again, keeps it with its reason, and exits with 1', async () => {
    const { id } = await withLetter(service, '{"status"');
    const { dataDir } = service;
    const { code, stdout, stderr } = await gatelog(dataDir, 'dead-letters', 'replay', id);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('0 stored, 1 failed again') as unknown });
    expect(stdout).toContain('JSON');
    await eventually('the new reason', async () => (await gatelog(dataDir, 'dead-letters', 'list')).stdout.includes('JSON') || undefined);
    expect((await gatelog(dataDir, 'dead-letters', 'show', 'none')).stderr).toContain('There is no such dead letter');
    expect((await gatelog(dataDir, 'dead-letters', 'list', '--limit', '0')).stderr).toContain(
      '`limit` takes a whole number from 1 to 1000',
    );
    expect((await gatelog(dataDir, 'dead-letters', 'replay')).stderr).toContain('--all');
  });
});
