import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Front, startFront } from '../src/store/testing/store-location.ts';
import { apiClient } from './support/api.ts';
import { gatelog } from './support/command.ts';
import { eventually } from './support/eventually.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const parent = makeDataDir();
const dataDir = path.join(parent, 'data');
let front: Front | undefined;
let service: Service | undefined;

afterEach(async () => {
  await service?.stop();
  await front?.close();
  removeDataDir(parent);
});

const embedded = { GATELOG_CLICKHOUSE_URL: '' };

async function start(environment: Readonly<Record<string, string>>): Promise<Service> {
  service = await startService({ dataDir, environment: { GATELOG_BOOTSTRAP_API_KEY: testKey, ...environment } });
  return service;
}

async function call(session: string): Promise<string> {
  const answer = await fetch(`${service?.gateway ?? ''}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', 'svc-session-id': session },
    body: JSON.stringify({ model: 'echo/move', messages: [{ role: 'user', content: `said in ${session}` }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  return answer.headers.get('svc-id') ?? '';
}

async function recorded(ids: readonly string[]): Promise<readonly unknown[]> {
  const api = apiClient(service?.api ?? '');
  return eventually('all calls on record', async () => {
    // The core may be starting again.
    const found = await api.query('all').catch(() => []);
    const own = found
      .filter(({ request_id: id }) => ids.includes(id))
      .toSorted((one, other) => (one.request_id < other.request_id ? -1 : 1));
    return own.length === ids.length ? own.map(({ signed_body_url: _signed, ...item }) => item) : undefined;
  });
}

async function setTeam(id: string, value: string): Promise<number> {
  const answer = await fetch(`${service?.api ?? ''}/v1/request/${id}/property`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'Team', value }),
  });
  await answer.text();
  return answer.status;
}

it('the records move to servers and back while calls go on; a start with the former place is refused', async () => {
  mkdirSync(path.join(parent, 'servers'), { recursive: true });
  front = await startFront(path.join(parent, 'servers'));
  const [url = ''] = front.urls;
  await start(embedded);
  const ids = [await call('one'), await call('one'), await call('two')];
  await recorded(ids);
  expect(await setTeam(ids[0] ?? '', 'search')).toBe(200);

  const copied = await gatelog(dataDir, 'store', 'copy', '--to', url);
  expect([copied.code, copied.stderr]).toEqual([0, expect.stringMatching(/^3 requests of 1 day, .* are equal in both, as they were at/)]);
  ids.push(await call('after the copy'));
  await recorded(ids);
  for (const pid of childrenNamed(service?.pid ?? 0, 'core')) process.kill(pid, 'SIGKILL');
  await recorded(ids);
  const moved = await gatelog(dataDir, 'store', 'copy', '--to', '-', '--switch', { input: `${url}\n` });
  expect([moved.code, moved.stderr]).toEqual([
    0,
    expect.stringMatching(/^4 requests of 1 day, .*\n.*start Gatelog with this address as GATELOG_CLICKHOUSE_URL/),
  ]);
  const before = await recorded(ids);
  const meanwhile = await call('in the spool');
  expect(await setTeam(ids[0] ?? '', 'lost')).toBe(503);
  expect(await (await fetch(`${service?.api ?? ''}/readyz`)).json()).toMatchObject({ degraded: ['store_moved'] });
  expect((await gatelog(dataDir, 'backup', path.join(parent, 'backup'))).stderr).toContain(
    'The records have moved to ClickHouse at 127.0.0.1',
  );
  await service?.stop();

  const refused = await start(embedded).then(
    () => 'started',
    (error: unknown) => String(error),
  );
  expect(refused).toContain('The records are in ClickHouse at 127.0.0.1');
  await start({ GATELOG_CLICKHOUSE_URL: url });
  expect(await recorded(ids)).toEqual(before);
  ids.push(meanwhile, await call('on the server'));
  expect(await setTeam(ids[1] ?? '', 'checkout')).toBe(200);
  const onServer = await recorded(ids);

  const back = await gatelog(dataDir, 'store', 'copy', '--to', 'embedded', '--switch');
  expect([back.code, back.stderr]).toEqual([
    0,
    expect.stringMatching(/^6 requests of 1 day, .*\n.*start Gatelog without GATELOG_CLICKHOUSE_URL/),
  ]);
  await service?.stop();
  await start(embedded);
  expect(await recorded(ids)).toEqual(onServer);
});

it('servers that have other records, an address that is none and the place of the records are refused', async () => {
  mkdirSync(path.join(parent, 'servers'), { recursive: true });
  front = await startFront(path.join(parent, 'servers'));
  const [url = ''] = front.urls;
  await start({ GATELOG_CLICKHOUSE_URL: url });
  await recorded([await call('theirs')]);
  await service?.stop();
  service = await startService({ dataDir: path.join(parent, 'other'), environment: { GATELOG_BOOTSTRAP_API_KEY: testKey, ...embedded } });
  const copy = async (to: string) => gatelog(path.join(parent, 'other'), 'store', 'copy', '--to', to);
  expect((await copy(url)).stderr).toContain('The other store has records that did not come from this one.');
  expect((await copy('http://gatelog:secret@127.0.0.1:1/none')).stderr).toMatch(/ClickHouse at 127\.0\.0\.1:1 cannot be used/);
  expect((await gatelog(path.join(parent, 'other'), 'store', 'copy', '--stop')).stderr).toContain('No copy runs.');
  expect((await gatelog(path.join(parent, 'other'), 'store', 'copy')).code).toBe(2);
  expect((await gatelog(path.join(parent, 'other'), 'store', 'copy', '--to', '-', { input: '' })).stderr).toContain(
    'Standard input is empty.',
  );
  expect((await copy('somewhere')).stderr).toContain('The address is not an address');
  expect((await copy('embedded')).stderr).toContain('The records are there already.');
});
