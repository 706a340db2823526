import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Sqlite from 'libsql';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChangeItem } from '../src/contract/requests/changes.ts';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { listSeries } from '../src/spool/segment.ts';
import { openConnections } from '../src/store/engine/open-connections.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, program, removeDataDir, type Service, serviceEnvironment, startService } from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';

const fixtures = new URL('fixtures/data-folders/', import.meta.url);
const names = readdirSync(fixtures)
  .filter((name) => name.endsWith('.tar.br'))
  .map((name) => name.replace('.tar.br', ''))
  .toSorted();

/** What the version that made a folder said of it. */
interface Expected {
  readonly requests: readonly { readonly id: string; readonly item: Partial<RequestItem>; readonly changes: readonly ChangeItem[] }[];
  /** Null: the version knew no tags. */
  readonly tag: string | null;
  readonly limits: readonly unknown[];
  /** Absent or null: the version knew none. */
  readonly retention?: object | null;
  /** What an erasure takes out that had begun: a stored request and an open call; absent or empty: the version knew none. */
  readonly erased?: readonly string[];
  /** Was streaming, and has a change that waits. */
  readonly open: string;
  readonly unread: readonly { readonly id: string; readonly user: string }[];
}

const folders: string[] = [];
const services: Service[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  for (const folder of folders.splice(0)) removeDataDir(folder);
});

function folderOf(name: string): string {
  const dataDir = makeDataDir();
  folders.push(dataDir);
  const input = brotliDecompressSync(readFileSync(new URL(`${name}.tar.br`, fixtures)));
  const tar = spawnSync('tar', ['-x', '-C', dataDir], { input });
  if (tar.status !== 0) throw new Error(String(tar.stderr));
  return dataDir;
}

function expectedOf(name: string): Expected {
  return JSON.parse(readFileSync(new URL(`${name}.json`, fixtures), 'utf8')) as Expected;
}

async function start(dataDir: string): Promise<ApiClient> {
  const service = await startService({ dataDir });
  services.push(service);
  return apiClient(service.api);
}

async function changesOf(api: ApiClient, id: string): Promise<readonly ChangeItem[]> {
  return (await api.call<readonly ChangeItem[]>('GET', `/v1/request/${id}/changes`)).body.data;
}

async function check(api: ApiClient, expected: Expected): Promise<void> {
  for (const { id, item, changes } of expected.requests) {
    const { signed_body_url: _expires, ...rest } = item;
    expect((await api.call('GET', `/v1/request/${id}?includeBody=true`)).body.data).toMatchObject(rest);
    expect(await changesOf(api, id)).toEqual(changes);
  }
  const broken = await api.stored(expected.open);
  expect(broken).toMatchObject({ response_status: 502, properties: { Team: 'open', Pending: 'kept' } });
  expect(await changesOf(api, expected.open)).toMatchObject([{ kind: 'property', name: 'Pending', old: null, new: 'kept' }]);
  for (const { id, user } of expected.unread) {
    expect(await api.stored(id)).toMatchObject({ response_status: 200, request_user_id: user, cost: 0.000009 });
  }
  if (expected.erased?.length === 2) await checkErased(api, expected.erased);
  expect((await api.query('all', { limit: 100 })).length).toBe(expected.requests.length + expected.unread.length + 1);
  const sessions = await api.call('POST', '/v1/session/query', {});
  expect(sessions.body.data).toMatchObject([{ session_id: 'a session', total_requests: 2, session_tag: expected.tag }]);
  expect((await api.call('GET', '/v1/rate-limits')).body.data).toEqual(expected.limits);
  expect((await api.call('GET', '/v1/retention')).body.data).toEqual(expected.retention ?? noRetention);
}

const noRetention = { days: null, deployment_days: null, effective_days: null };

/** The erasure goes on by itself: whoever asks again gets the receipt of the one that had begun. */
async function checkErased(api: ApiClient, ids: readonly string[]): Promise<void> {
  const receipt = await eventually('the receipt', async () => {
    const { status, body } = await api.call('DELETE', '/v1/user/dora');
    return status === 503 ? undefined : body.data;
  });
  expect(receipt).toMatchObject({ requests: 1, spool_records: 1 });
  for (const id of ids) expect((await api.call('GET', `/v1/request/${id}`)).status).toBe(404);
}

describe('a data folder of an earlier version', () => {
  const [oldest, newest] = [names[0], names.at(-1)];
  it.each(names.filter((name) => byLength([oldest, newest], [name]).includes(name)))(
    '%s: every record, change and session is there, what was in the spool too, and goes on from there',
    async (name) => {
      const dataDir = folderOf(name);
      const expected = expectedOf(name);
      const spool = path.join(dataDir, 'spool');
      const old = listSeries(spool);
      expect(old).not.toEqual([]);
      const api = await start(dataDir);
      await check(api, expected);
      await eventually('the spool of old to be gone', () => (listSeries(spool).some((series) => old.includes(series)) ? undefined : true));
      const [first] = expected.requests;
      expect((await api.call('PUT', `/v1/request/${first?.id}/property`, { After: 'the upgrade' })).status).toBe(200);
      await services.pop()?.stop();
      const again = await start(dataDir);
      expect(await again.stored(first?.id ?? '')).toMatchObject({ properties: { ...first?.item.properties, After: 'the upgrade' } });
    },
  );
});

function refusalOf(dataDir: string): string {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, 'serve'], {
    env: serviceEnvironment({ dataDir }),
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(status).toBe(1);
  return stderr + stdout;
}

describe('a data folder of a newer version is refused, and stays as it is', () => {
  const newest = names.at(-1) ?? '';

  it('by the metadata', () => {
    const dataDir = folderOf(newest);
    const database = new Sqlite(path.join(dataDir, 'metadata.db'));
    database.exec("INSERT INTO schema_migrations (name, applied_at) VALUES ('9999-of-the-future', 0)");
    database.close();
    expect(refusalOf(dataDir)).toContain('written by a newer version of Gatelog');
  });

  it('by the store', async () => {
    const dataDir = folderOf(newest);
    const connections = openConnections({ folder: path.join(dataDir, 'clickhouse') });
    await connections.run('update', (client) =>
      client.command({ query: "INSERT INTO schema_migrations (number, name) VALUES (9999, 'of the future')" }),
    );
    await connections.close();
    expect(refusalOf(dataDir)).toContain("The store's schema is at step 9999");
  });

  it("by the spool's checkpoint", () => {
    const dataDir = folderOf(newest);
    writeFileSync(path.join(dataDir, 'spool', 'checkpoint.json'), JSON.stringify({ version: 2, lastBatch: 1, accepted: {} }));
    expect(refusalOf(dataDir)).toContain("the spool's checkpoint is of version 2; this program reads version 1");
  });
});
