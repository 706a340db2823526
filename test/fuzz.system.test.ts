import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { addExisting, endpointsWithBody, type Existing, existing, fuzz } from './support/hostile.ts';
import { makeDataDir, program, removeDataDir, type Service, serviceEnvironment, startService, testKey } from './support/process-tree.ts';
import { byLength, testSeed } from './support/test-length.ts';

const dataDir = makeDataDir();
const foreignText = 'only-theirs-4711';
let service: Service;
let mine: { readonly id: string; readonly there: Existing; readonly organizationId: string };

beforeAll(async () => {
  service = await startService({ dataDir });
  const command = (...words: string[]): string =>
    execFileSync(process.execPath, [program, ...words], { env: serviceEnvironment({ dataDir }), encoding: 'utf8' });
  command('orgs', 'create', 'theirs');
  const theirKey = /sk-svc-us-\w+/.exec(command('keys', 'create', '--org', 'theirs'))?.[0] ?? '';
  await send(theirKey, foreignText);
  const id = await send(testKey, 'mine');
  const { organization_id: organizationId } = await apiClient(service.api).stored(id);
  mine = { id, there: await addExisting(service.api, testKey, id), organizationId };
});

afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

async function send(key: string, text: string): Promise<string> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Svc-Property-Team': text, 'Svc-Session-Id': 'shared', 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: text }] }),
  });
  await response.text();
  return response.headers.get('svc-id') ?? '';
}

const seed = testSeed();

/** A small part of the bodies of `npm run soak -- fuzz`. A query of sessions takes ten times as long as another one. */
const bodiesFor = (path: string): number => (path.startsWith('/v1/session/') ? byLength(15, 100) : byLength(20, 150));

/** The hostile bodies are near to filters, pages and changes; of these endpoints nearly all of them are valid, or none. */
const otherShapes = /^\/v1\/(?:request\/property|property\/|metrics\/|import|export|otlp\/|trace\/log)/;

it.each(endpointsWithBody())(
  `hostile bodies to $method $path are answered below 500 and show nothing of others (seed ${seed})`,
  async ({ method, path }) => {
    const url = service.api + existing(path, mine.there);
    const target = { method, url, key: testKey, organizationId: mine.organizationId, foreignText };
    const { statuses, faults } = await fuzz(target, bodiesFor(path), seed);
    expect(faults).toEqual([]);
    // Some bodies must be valid, or the tests would only reach the validation.
    const isOfKnownShape = !otherShapes.test(path);
    expect(statuses.get(422) ?? 0).toBeGreaterThan(isOfKnownShape ? bodiesFor(path) / 15 : -1);
    expect(statuses.get(200) ?? 0).toBeGreaterThan(isOfKnownShape && /query|property|tag|webhooks|views|boards/.test(path) ? 0 : -1);
    expect(statuses.get(404) ?? 0).toBe(0);
  },
);

it('afterwards the service is up and the record is whole', async () => {
  expect((await fetch(`${service.api}/readyz`)).status).toBe(200);
  expect((await apiClient(service.api).query('all')).map(({ request_id: id }) => id)).toEqual([mine.id]);
});
