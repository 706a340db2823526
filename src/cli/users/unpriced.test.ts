import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveApi } from '../../api/listen.ts';
import { type ApiRig, keyOf, openApiRig } from '../../api/testing/api-harness.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { systemDependencies } from '../base/dependencies.ts';
import { runCommand } from '../command.ts';

let rig: ApiRig;
let api: ReturnType<typeof serveApi>;
let address: string;
const now = Date.UTC(2030, 3, 5, 12);

/** Of each user and session: nothing priced, a part of it, and all of it at no cost. */
const costs = { unpriced: [null, null], partly: [null, 0.25], free: [0, 0] } as const;

beforeAll(async () => {
  rig = await openApiRig();
  api = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  address = await listening(api);
  await rig.insert(
    Object.entries(costs).flatMap(([name, each]) =>
      each.map((cost, index) => ({
        requestId: newId(),
        createdAt: now - index * 1000,
        model: index === 0 ? 'own' : 'other',
        userId: name,
        sessionId: name,
        status: 200,
        cost: cost === null ? null : (moneyOfUsd(cost) ?? null),
      })),
    ),
  );
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
});

async function gatelog(...words: string[]): Promise<string> {
  const written: string[] = [];
  const code = await runCommand(words, {
    ...systemDependencies({ GATELOG_API_URL: address, GATELOG_API_KEY: keyOf('r') }),
    now: () => now,
    columns: 120,
    write: async (bytes) => void written.push(Buffer.from(bytes).toString()),
  });
  expect(code).toBe(0);
  return written.join('');
}

/** The cost in the row of each name. */
function costsIn(table: string): Readonly<Record<string, string | undefined>> {
  const row = (name: string): string | undefined => table.split('\n').find((line) => line.split(/\s+/).includes(name));
  return Object.fromEntries(Object.keys(costs).map((name) => [name, /not priced|\$[\d.]+/.exec(row(name) ?? '')?.[0]]));
}

test.each([
  ['sessions list', ['sessions', 'list']],
  ['users', ['users']],
  ['users, by a condition on their totals', ['users', '--where', 'user_cost<1']],
])('%s: what has no price is no $0', async (_name, words) => {
  expect(costsIn(await gatelog(...words))).toEqual({ unpriced: 'not priced', partly: '$0.25', free: '$0' });
});

test('only the requests that match count', async () => {
  const onlyOwn = { unpriced: 'not priced', partly: 'not priced', free: '$0' };
  expect(costsIn(await gatelog('sessions', 'list', '--where', 'model=own'))).toEqual(onlyOwn);
  expect(costsIn(await gatelog('users', '--where', 'model=own'))).toEqual(onlyOwn);
});

test('one user whose requests have no price', async () => {
  expect(await gatelog('users', 'unpriced')).toMatch(/Cost\s+not priced/);
  expect(await gatelog('users', 'free')).toMatch(/Cost\s+\$0/);
});
