import { randomBytes } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'libsql';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeReceivers, type Receiver, startReceiver } from '../src/events/channels/testing/receiver.ts';
import { apiClient } from './support/api.ts';
import { gatelog } from './support/command.ts';
import { SeededRandom } from './support/seeded-random.ts';
import { eventually } from './support/eventually.ts';
import { filesHolding } from './support/held-text.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import {
  type CreatedWebhook,
  createWebhook,
  deliveriesOf,
  plantAnswered,
  plantEvents,
  settled,
  statusOf,
} from './support/webhook-scene.ts';
import { byLength, testSeed } from './support/test-length.ts';

const folders: string[] = [];
const services: Service[] = [];

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
});
afterAll(() => {
  closeReceivers();
  for (const folder of folders) removeDataDir(folder);
});

function freshFolder(): string {
  const folder = makeDataDir();
  folders.push(folder);
  return folder;
}

async function start(dataDir: string): Promise<Service> {
  const service = await startService({ dataDir, environment: { GATELOG_TARGET_ALLOWLIST: 'localhost' } });
  services.push(service);
  return service;
}

/** A stopped service with webhooks, which tests copy: most of this file's time would be starts. */
const prepared = makeDataDir();
const known: CreatedWebhook[] = [];

beforeAll(async () => {
  const service = await startService({ dataDir: prepared });
  for (const number of [1, 2, 3]) known.push(await createWebhook(service, `https://hooks.example.com/${number}`));
  await service.stop();
});
afterAll(() => removeDataDir(prepared));

/** @returns a data folder with a webhook for each destination, and these webhooks. */
function folderWith(...destinations: readonly string[]): { readonly dataDir: string; readonly webhooks: readonly CreatedWebhook[] } {
  const dataDir = freshFolder();
  cpSync(prepared, dataDir, { recursive: true });
  const metadata = new Sqlite(path.join(dataDir, 'metadata.db'));
  try {
    for (const [place, { id }] of known.entries()) {
      const destination = destinations[place];
      if (destination === undefined) metadata.prepare('DELETE FROM webhooks WHERE id = ?').run(id);
      else metadata.prepare('UPDATE webhooks SET destination = ? WHERE id = ?').run(destination, id);
    }
  } finally {
    metadata.close();
  }
  return { dataDir, webhooks: known.slice(0, destinations.length) };
}

const none: CreatedWebhook = { id: '', secret: '' };

const idsOf = ({ posts }: Receiver): readonly string[] => posts.map(({ headers }) => String(headers['webhook-id']));

const answerIn = (ms: number, status: number): Parameters<typeof startReceiver>[0] => {
  return (response) => void setTimeout(() => response.writeHead(status).end(), ms);
};

/** `npm run soak -- webhooks` kills more often, and from the call to its event. */
const kills = byLength(2, 4);

it(`${kills} kills of the core and of the whole tree lose no event, and each keeps its identifier`, async () => {
  const seed = testSeed();
  process.stdout.write(`webhooks, seed ${seed}\n`);
  const random = new SeededRandom(seed);
  const receiver = await startReceiver(answerIn(10, 200));
  const {
    dataDir,
    webhooks: [webhook = none],
  } = folderWith(`${receiver.origin}/`);
  const planted = await plantEvents(dataDir, webhook.id, 60 * kills);
  let service = await start(dataDir);
  for (let kill = 1; kill <= kills; kill += 1) {
    const before = receiver.posts.length;
    const more = 1 + random.below(40);
    await eventually('further events', () => (receiver.posts.length >= before + more ? true : undefined));
    if (kill === kills) {
      await service.killAll();
      service = await start(dataDir);
    } else {
      const [core = 0] = childrenNamed(service.pid, 'core');
      process.kill(core, 'SIGKILL');
      await eventually('another core', () => (childrenNamed(service.pid, 'core').some((pid) => pid !== core) ? true : undefined));
    }
  }
  await eventually('all to have arrived', () => (new Set(idsOf(receiver)).size >= planted.length ? true : undefined), 120_000);
  await settled(service, webhook.id);
  expect([...new Set(idsOf(receiver))].toSorted()).toEqual(planted.toSorted());
  expect((await deliveriesOf(service, webhook.id)).filter(({ state }) => state !== 'delivered')).toEqual([]);
  for (const { body, headers } of receiver.posts) new Webhook(webhook.secret).verify(body, headers as Record<string, string>);
});

it('a destination that hangs and one that is dead delay no other', async () => {
  const hanging = await startReceiver(() => undefined);
  const fast = await startReceiver(200);
  const {
    dataDir,
    webhooks: [hung = none, dead = none, alive = none],
  } = folderWith(`${hanging.origin}/`, 'http://localhost:1/', `${fast.origin}/`);
  for (const { id } of [hung, dead]) await plantEvents(dataDir, id, 500);
  const planted = await plantEvents(dataDir, alive.id, 500);
  const service = await start(dataDir);
  await settled(service, alive.id);
  expect(idsOf(fast).toSorted()).toEqual(planted.toSorted());
  // None of them was answered, and there are no more than one destination may have at once.
  expect(hanging.posts.length).toBeLessThanOrEqual(8);
  expect(await statusOf(service, hung.id)).toMatchObject({ state: 'enabled', pending: 500 });
  expect((await statusOf(service, dead.id)).pending).toBe(500);
});

it('a backup has what is pending; a service restored from it delivers that under the same identifier', async () => {
  let status = 500;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  const {
    dataDir,
    webhooks: [webhook = none],
  } = folderWith(`${receiver.origin}/`);
  const [planted = ''] = await plantEvents(dataDir, webhook.id, 1);
  const second = await start(dataDir);
  await eventually('a failed attempt', async () => ((await statusOf(second, webhook.id)).failed_in_a_row > 0 ? true : undefined));
  const backups = freshFolder();
  expect((await gatelog(dataDir, 'backup', '--with-secrets', path.join(backups, 'b'))).code).toBe(0);
  expect((await gatelog(dataDir, 'backup', path.join(backups, 'without'))).stderr).toContain('1 keys of providers and secrets of webhooks');
  await second.stop();
  status = 200;
  const before = receiver.posts.length;
  const restored = path.join(freshFolder(), 'restored');
  expect((await gatelog(restored, 'restore', path.join(backups, 'b'))).code).toBe(0);
  const service = await start(restored);
  await settled(service, webhook.id);
  expect(idsOf(receiver).slice(before)).toEqual([planted]);
  expect((await deliveriesOf(service, webhook.id)).map(({ id, state }) => [id, state])).toEqual([[planted, 'delivered']]);
});

describe('one after the other, on one data folder', () => {
  let dataDir: string;
  let service: Service;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver(204, 'https');
  });
  afterAll(async () => service?.stop());

  it('a destination that answers 410 is disabled, and the other webhook is told', async () => {
    const [gone, other] = [await startReceiver(410), await startReceiver(200)];
    const {
      dataDir: folder,
      webhooks: [refusing = none, told = none],
    } = folderWith(`${gone.origin}/`, `${other.origin}/`);
    dataDir = folder;
    const [planted] = await plantEvents(dataDir, refusing.id, 1);
    const certificate = path.join(freshFolder(), 'ca.pem');
    writeFileSync(certificate, receiver.ca ?? '');
    service = await startService({ dataDir, environment: { GATELOG_TARGET_ALLOWLIST: 'localhost', NODE_EXTRA_CA_CERTS: certificate } });
    await eventually('the other webhook to be told', () => other.posts[0]);
    const [post] = other.posts;
    expect(new Webhook(told.secret).verify(post?.body ?? '', post?.headers as Record<string, string>)).toMatchObject({
      type: 'webhook.disabled',
      data: { webhook_id: refusing.id, destination: `${gone.origin}/…`, delivery_id: planted, event: 'webhook.exhausted' },
    });
    const disabled = async () => {
      const status = await statusOf(service, refusing.id);
      return status.state === 'disabled' ? status : undefined;
    };
    expect(await eventually('the webhook to be disabled', disabled)).toMatchObject({ disabled_reason: 'gone', pending: 0 });
  });

  it('a receiver over HTTPS gets signed events when its certificate is trusted', async () => {
    const { id, secret } = await createWebhook(service, `${receiver.origin}/hook?a=b`);
    const { body } = await apiClient(service.api).call<{ readonly success: boolean }>('POST', `/v1/webhooks/${id}/test`);
    expect(body.data).toMatchObject({ success: true, message: 'The destination answered 204.' });
    const [post] = receiver.posts;
    expect(post?.path).toBe('/hook?a=b');
    expect(new Webhook(secret).verify(post?.body ?? '', post?.headers as Record<string, string>)).toMatchObject({ type: 'webhook.test' });
  });

  it('an erasure leaves no delivery of the user and no byte of what receivers answered', async () => {
    const webhook = await createWebhook(service, 'https://hooks.example.com/1');
    const call = await fetch(`${service.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json', 'Svc-User-Id': 'ann' },
      body: JSON.stringify({ model: 'echo/words', messages: [{ role: 'user', content: 'hello' }] }),
    });
    await call.arrayBuffer();
    const requestId = call.headers.get('svc-id') ?? '';
    await apiClient(service.api).stored(requestId);
    await service.stop();
    const echoed = randomBytes(48).toString('base64url');
    await plantAnswered(dataDir, webhook.id, requestId, echoed);
    expect([...filesHolding(dataDir, echoed).keys()]).not.toEqual([]);
    service = await startService({ dataDir });
    const answered = async () => {
      const { status, body } = await apiClient(service.api).call<{ readonly requests: number }>('DELETE', '/v1/user/ann');
      return status === 200 ? body.data : undefined;
    };
    expect(await eventually('the receipt', answered)).toMatchObject({ requests: 1 });
    expect([...filesHolding(dataDir, echoed).keys()]).toEqual([]);
    expect((await deliveriesOf(service, webhook.id)).filter(({ state }) => state === 'delivered')).toEqual([]);
  });
});
