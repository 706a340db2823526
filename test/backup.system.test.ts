import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { listSeries } from '../src/spool/segment.ts';
import { apiClient } from './support/api.ts';
import { gatelog } from './support/command.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';

const folders: string[] = [];

function freshFolder(): string {
  const folder = makeDataDir();
  folders.push(folder);
  return folder;
}

afterAll(async () => {
  await Promise.all([running, withoutSecrets].map((each) => each?.stop()));
  for (const folder of folders) removeDataDir(folder);
});

/** Each test goes on with a service that the one before has left: the second test leaves the two that it has restored. */
let running: Service;
let withoutSecrets: Service;

function chat(service: Service, words: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}`, ...headers },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: words }] }),
  });
}

async function callEcho(service: Service, words: string): Promise<string> {
  const response = await chat(service, words);
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('svc-id') ?? '';
}

/** Between the calls and changes of one caller. */
const pauseMs = byLength(25, 0);

/** Load that keeps what callers were answered: requests, and the last acknowledged value of each property. */
class Load {
  readonly answered: string[] = [];
  readonly changed = new Map<string, string>();
  isBackedUp = false;
  private readonly service: Service;
  private going = true;
  private readonly running: Promise<void>[] = [];

  constructor(service: Service) {
    this.service = service;
  }

  start(): void {
    for (let caller = 0; caller < 6; caller += 1) this.running.push(this.callOn());
    for (let changer = 0; changer < 3; changer += 1) this.running.push(this.changeOn(changer));
  }

  async end(): Promise<void> {
    this.going = false;
    await Promise.all(this.running);
  }

  private async callOn(): Promise<void> {
    while (this.going) {
      this.answered.push(await callEcho(this.service, `call ${this.answered.length}`));
      await wait(pauseMs);
    }
  }

  /** Changes requests that have just been answered, most of them not stored yet, and older ones, which are stored. */
  private async changeOn(changer: number): Promise<void> {
    const api = apiClient(this.service.api);
    for (let turn = 0; this.going; turn += 1) {
      const place = turn % 2 === 0 ? this.answered.length - 1 - changer : turn * 3 + changer;
      const id = this.answered[place];
      if (id === undefined) {
        await nextTurn();
        continue;
      }
      const value = `${changer}-${turn}`;
      const wasBackedUp = this.isBackedUp;
      const { status } = await api.call('PUT', `/v1/request/${id}/property`, { [`By${changer}`]: value });
      // While the backup holds the ingest, a busy machine may have no time for a change, which is then answered as not made, also after the backup.
      if (status !== 200 && !(status === 503 && (wasBackedUp || this.isBackedUp))) throw new Error(`a change was answered ${status}`);
      if (status === 200) this.changed.set(`${id} By${changer}`, value);
      await wait(pauseMs);
    }
  }
}

/** Every stored request with its properties, one entry per stored row. */
async function allStored(service: Service): Promise<ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>> {
  const api = apiClient(service.api);
  const found = new Map<string, Readonly<Record<string, string>>[]>();
  for (let offset = 0; ; offset += 1000) {
    const page = await api.query({}, { limit: 1000, offset });
    for (const { request_id: id, properties } of page) found.set(id, [...(found.get(id) ?? []), properties]);
    if (page.length < 1000) return found;
  }
}

/** Waits until the spool has no series of a worker that has ended. */
async function drained({ dataDir }: Service): Promise<void> {
  const spool = path.join(dataDir, 'spool');
  await eventually(
    'what came from the backup to be stored',
    () => listSeries(spool).every((name) => existsSync(path.join(spool, name, 'lock'))) || undefined,
    90_000,
  );
}

/** The turn in which a changer set a value. */
function turnOf(value: string | undefined): number {
  return Number(value?.split('-')[1] ?? -1);
}

const rule = { name: 'Spend of Ann', metric: 'cost', threshold: 0.000_001, time_window: 86_400_000, grouping: 'user', enforce: true };
const channel = { type: 'slack', url: 'https://hooks.slack.com/services/T/B/secret' };
/** A call to the echo provider costs nothing by itself. */
const ann = { 'svc-user-id': 'ann', 'svc-model-override': 'gpt-4o' };

interface StoredAlert {
  readonly id: string;
  readonly channels: readonly { readonly readable: boolean }[];
}

/** The rule refuses calls from the start, until it is deleted. */
async function expectRuleHolds(restored: Service, id: string, shownChannel: { readonly readable: boolean }): Promise<void> {
  const api = apiClient(restored.api);
  expect((await api.call<StoredAlert>('GET', `/v1/alerts/${id}`)).body.data).toMatchObject({ ...rule, id, channels: [shownChannel] });
  expect((await api.call('GET', '/v1/rate-limits')).body.data).toMatchObject([{ alert_id: id, alert_name: 'Spend of Ann' }]);
  const refused = await chat(restored, 'hello', ann);
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('the alert rule \\"Spend of Ann\\"')]);
  expect((await chat(restored, 'hello')).status).toBe(200);
  await api.call('DELETE', `/v1/alerts/${id}`);
  await eventually('calls to pass', async () => (await chat(restored, 'hello', ann)).status === 200 || undefined);
}

describe('gatelog backup and restore', () => {
  it('a backup reports that its service was killed; the next backup replaces it, and the next core removes the leftovers', async () => {
    const dataDir = freshFolder();
    running = await startService({ dataDir });
    await apiClient(running.api).stored(await callEcho(running, 'hello'));
    // Leftovers of a killed command and a killed core.
    const folder = freshFolder();
    mkdirSync(path.join(folder, 'b.incomplete'));
    writeFileSync(path.join(folder, 'b.incomplete', 'backup-is-incomplete'), '');
    await running.killAll();
    mkdirSync(path.join(dataDir, '.snapshot', 'store'), { recursive: true });
    expect((await gatelog(path.join(folder, 'restored'), 'restore', path.join(folder, 'b.incomplete'))).stderr).toContain(
      'is no whole backup',
    );
    running = await startService({ dataDir });
    expect(existsSync(path.join(dataDir, '.snapshot'))).toBe(false);
    expect((await gatelog(dataDir, 'backup', path.join(folder, 'b'))).code).toBe(0);
    expect(readdirSync(folder)).toEqual(['b']);
  });

  it('a backup has changes that are still in patch parts, and alert rules; without secrets it lacks the key, signed addresses end and channels cannot be told', async () => {
    const api = apiClient(running.api);
    const id = await callEcho(running, 'hello');
    const address = (await api.stored(id)).signed_body_url ?? '';
    expect((await api.call('PUT', `/v1/request/${id}/property`, { Reviewed: 'yes' })).status).toBe(200);
    const alertId = (await api.call<StoredAlert>('POST', '/v1/alerts', { ...rule, channels: [channel] })).body.data.id;
    const backup = path.join(freshFolder(), 'b');
    const withSecrets = path.join(freshFolder(), 'b');
    expect((await gatelog(running.dataDir, 'backup', backup)).stderr).toContain('--with-secrets takes them along');
    expect((await gatelog(running.dataDir, 'backup', withSecrets, '--with-secrets')).stderr).toContain('It holds the secret key');
    await running.stop();
    expect(readdirSync(path.join(backup, 'store', 'requests')).some((part) => part.startsWith('patch-'))).toBe(true);
    expect([existsSync(path.join(backup, 'secret.key')), existsSync(path.join(withSecrets, 'secret.key'))]).toEqual([false, true]);
    expect(modesBelow(withSecrets)).toEqual(new Set(['folder 700', 'file 600']));

    const dataDir = path.join(freshFolder(), 'restored');
    expect((await gatelog(dataDir, 'restore', backup)).stderr).toContain('signed addresses given out before end');
    expect(readdirSync(path.dirname(dataDir))).toEqual(['restored']);
    withoutSecrets = await startService({ dataDir });
    expect((await apiClient(withoutSecrets.api).stored(id)).properties).toEqual({ Reviewed: 'yes' });
    const { body } = await apiClient(withoutSecrets.api).call<readonly { name: string }[]>('GET', `/v1/request/${id}/changes`);
    expect(body.data).toMatchObject([{ name: 'Reviewed', old: null, new: 'yes' }]);
    const signed = new URL(address);
    expect((await fetch(withoutSecrets.api + signed.pathname + signed.search)).status).toBe(403);
    await expectRuleHolds(withoutSecrets, alertId, { readable: false });

    const secretDir = path.join(freshFolder(), 'restored');
    expect((await gatelog(secretDir, 'restore', withSecrets)).code).toBe(0);
    running = await startService({ dataDir: secretDir });
    expect((await fetch(running.api + signed.pathname + signed.search)).status).toBe(200);
    await expectRuleHolds(running, alertId, { readable: true });
  });

  it('a backup refuses a used folder, one in the data folder and a stopped service; a restore refuses a used or running folder and an incomplete backup', async () => {
    const { dataDir } = withoutSecrets;
    await apiClient(withoutSecrets.api).stored(await callEcho(withoutSecrets, 'hello'));
    const folder = freshFolder();
    const backup = path.join(folder, 'b');
    expect((await gatelog(dataDir, 'backup', path.join(dataDir, 'b'))).stderr).toContain('A backup in the data folder would go with it');
    expect((await gatelog(dataDir, 'backup', dataDir)).stderr).toContain('A backup in the data folder would go with it');
    expect((await gatelog(dataDir, 'backup', backup)).code).toBe(0);
    expect(await gatelog(dataDir, 'backup', backup)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is there and not empty') as unknown,
    });
    expect((await gatelog(dataDir, 'restore', backup)).stderr).toContain(`A Gatelog runs in ${dataDir}`);
    await withoutSecrets.stop();
    expect((await gatelog(dataDir, 'backup', path.join(folder, 'c'))).stderr).toContain(`No Gatelog runs in ${dataDir}`);
    expect((await gatelog(dataDir, 'restore', backup)).stderr).toContain('is not empty');

    const target = path.join(folder, 'restored');
    const manifestFile = path.join(backup, 'manifest.json');
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as {
      storeStep: number;
      metadataSteps: string[];
      files: { path: string }[];
    };
    const refusalOf = async (change: object): Promise<string> => {
      writeFileSync(manifestFile, JSON.stringify({ ...manifest, ...change }));
      const { code, stderr } = await gatelog(target, 'restore', backup);
      expect([code, existsSync(target)]).toEqual([1, false]);
      return stderr;
    };
    expect(await refusalOf({ format: 2 })).toContain('is of format 2');
    expect(await refusalOf({ storeStep: 1000 })).toContain('made by a newer Gatelog');
    expect(await refusalOf({ metadataSteps: ['9999-later'] })).toContain('made by a newer Gatelog');
    expect(await refusalOf({ eventsSteps: ['9999-later'] })).toContain('made by a newer Gatelog');
    expect(await refusalOf({ files: [{ path: '../../escaped', bytes: 0, sha256: '' }] })).toContain('names files outside of the backup');
    const damaged = path.join(backup, 'metadata.db');
    const whole = readFileSync(damaged);
    writeFileSync(damaged, Buffer.concat([whole.subarray(0, 100), Buffer.from('x'), whole.subarray(101)]));
    expect(await refusalOf({})).toContain('metadata.db is not as it was written');
    expect(readdirSync(folder)).toEqual(['b']);
    rmSync(manifestFile);
    expect((await gatelog(target, 'restore', backup)).stderr).toContain('is no whole backup');
  });

  it('under load a backup has every request and change that was answered before it, exactly once', async () => {
    const load = new Load(running);
    load.start();
    await eventually(
      'the load to be under way',
      () => (load.changed.size > 30 && load.answered.length > byLength(150, 400)) || undefined,
      60_000,
    );
    const backup = path.join(freshFolder(), 'monday');
    const answered = [...load.answered];
    const changed = new Map(load.changed);
    load.isBackedUp = true;
    const made = await gatelog(running.dataDir, 'backup', backup);
    load.isBackedUp = false;
    const known = load.changed.size;
    await eventually('changes after the backup', () => load.changed.size > known + 10 || undefined);
    await eventually('calls after the backup', () => load.answered.length > answered.length + 50 || undefined);
    await load.end();
    expect(made).toMatchObject({ code: 0, stdout: `${backup}\n` });
    await eventually('the snapshot to go', () => !existsSync(path.join(running.dataDir, '.snapshot')) || undefined);
    await running.stop();

    const dataDir = path.join(freshFolder(), 'restored');
    expect(await gatelog(dataDir, 'restore', backup)).toMatchObject({ code: 0, stdout: `${dataDir}\n` });
    running = await startService({ dataDir });
    const again = running;
    await drained(again);
    const stored = await allStored(again);
    expect(answered.filter((id) => stored.get(id)?.length !== 1)).toEqual([]);
    expect([...stored.values()].filter(({ length }) => length !== 1)).toEqual([]);
    // The backup may also contain a later change of the same name, which replaces the acknowledged one.
    const lost = [...changed].filter(([key, value]) => {
      const [id = '', name = ''] = key.split(' ');
      return turnOf(stored.get(id)?.[0]?.[name]) < turnOf(value);
    });
    expect(lost).toEqual([]);
    const [id = ''] = answered;
    expect((await apiClient(again.api).call('PUT', `/v1/request/${id}/property`, { After: 'restore' })).status).toBe(200);
    expect((await apiClient(again.api).stored(id)).properties).toMatchObject({ After: 'restore' });
    expect(await apiClient(again.api).stored(await callEcho(again, 'after'))).toMatchObject({ response_status: 200 });
  });
});

/** Kinds and permissions of everything below a folder. */
function modesBelow(folder: string): ReadonlySet<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries.map((entry) => {
      const mode = (statSync(path.join(entry.parentPath, entry.name)).mode & 0o777).toString(8);
      return `${entry.isDirectory() ? 'folder' : 'file'} ${mode}`;
    }),
  );
}
