import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

const rule = { name: 'Errors', metric: 'count', threshold: 1, time_window: 60_000 };
const webhook = { destination: 'https://hooks.example.com/gatelog', name: 'ops' };

interface Setting {
  /** The path of the setting, made where it has to be. */
  readonly path: () => Promise<string>;
  readonly bodies: readonly unknown[];
}

async function made(path: string, body: unknown): Promise<string> {
  const response = await rig.call('POST', path, { key: keyOf('admin'), body });
  return `${path}/${((await response.json()) as { readonly data: { readonly id: string } }).data.id}`;
}

async function emptied(path: string): Promise<string> {
  await put(path, []);
  return path;
}

const settings: Readonly<Record<string, Setting>> = {
  limits: { path: () => emptied('/v1/rate-limits'), bodies: [[{ policy: '5;w=60' }], [{ policy: '6;w=60' }]] },
  'redaction rules': {
    path: () => emptied('/v1/redaction-rules'),
    bodies: [[{ kind: 'email' }], [{ kind: 'regex', pattern: 'EMP-[0-9]{6}', replacement: '[employee]' }]],
  },
  prices: {
    path: () => emptied('/v1/prices'),
    bodies: [[{ model: 'a', input: 1, output: 2 }], [{ model: 'b', input: 1, output: 2.5, provider: 'openai' }]],
  },
  'an alert rule': {
    path: () => made('/v1/alerts', rule),
    bodies: [
      { ...rule, threshold: 2 },
      { ...rule, threshold: 3 },
    ],
  },
  'a webhook': {
    path: () => made('/v1/webhooks', webhook),
    bodies: [
      { ...webhook, name: 'one' },
      { ...webhook, name: 'two' },
    ],
  },
};

async function put(path: string, body: unknown, version?: string): Promise<Response> {
  return rig.call('PUT', path, { key: keyOf('admin'), body, ...(version === undefined ? {} : { headers: { 'if-match': version } }) });
}

async function versionOf(path: string): Promise<string> {
  return (await rig.call('GET', path, { key: keyOf('admin') })).headers.get('etag') ?? '';
}

describe.each(Object.entries(settings))('the version of %s', (_name, { path, bodies: [first, second] }) => {
  test('stays while nothing changes, and every change gives another one, which its answer says', async () => {
    const at = await path();
    const before = await versionOf(at);
    expect(before).toMatch(/^"[\w-]{22}"$/);
    expect(await versionOf(at)).toBe(before);
    const changed = await put(at, first);
    expect([changed.status, changed.headers.get('etag') === before]).toEqual([200, false]);
    expect(await versionOf(at)).toBe(changed.headers.get('etag'));
    await rig.call('DELETE', at, { key: keyOf('admin') });
  });

  test('lets a change overwrite no other one', async () => {
    const at = await path();
    const read = await versionOf(at);
    expect((await put(at, first, read)).status).toBe(200);
    const late = await put(at, second, read);
    expect([late.status, await late.json()]).toMatchObject([409, { code: 'changed_meanwhile', details: { header: 'if-match' } }]);
    expect((await put(at, second, `"other", W/${await versionOf(at)}`)).status).toBe(200);
    expect((await put(at, first)).status).toBe(200);
    await rig.call('DELETE', at, { key: keyOf('admin') });
  });

  test('lets one of two changes at once through', async () => {
    const at = await path();
    const read = await versionOf(at);
    const statuses = (await Promise.all([put(at, first, read), put(at, second, read)])).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409]);
    await rig.call('DELETE', at, { key: keyOf('admin') });
  });
});

test.each(['an alert rule', 'a webhook'])(
  'of %s, which hides some of itself from who may not change it, they are told none',
  async (name) => {
    const at = (await settings[name]?.path()) ?? '';
    const read = await rig.call('GET', at, { key: keyOf('r') });
    expect([read.status, read.headers.get('etag')]).toEqual([200, null]);
    await rig.call('DELETE', at, { key: keyOf('admin') });
  },
);

test('limits of rules are no part of the version of the limits', async () => {
  const before = await versionOf('/v1/rate-limits');
  const at = await made('/v1/alerts', { ...rule, name: 'Spend', metric: 'cost', enforce: true, time_window: 3_600_000 });
  expect(await versionOf('/v1/rate-limits')).toBe(before);
  await rig.call('DELETE', at, { key: keyOf('admin') });
});
