import { afterAll, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { childrenNamed, killStarted, makeDataDir, removeDataDir, startService, testKey } from './support/process-tree.ts';
import { deliveriesOf, type DeliveryView, statusOf } from './support/webhook-scene.ts';

const dataDir = makeDataDir();
afterAll(() => {
  killStarted();
  removeDataDir(dataDir);
});

const onBody = (operator: string, value: string) => ({ request_response_rmt: { request_body: { [operator]: value } } });

/** Nearly matches at every place of a text of one letter. */
const nearly = onBody('like', `%${'a'.repeat(16_000)}_b%`);
/** Looks at a text of a megabyte more often than a filter may. */
const conditions = Array.from({ length: 900 }, (_, number) => onBody('contains', `needle ${number}`));

/** All of some conditions, as a tree that is not deep. */
function balanced(leaves: readonly object[]): object {
  const [only = {}, ...others] = leaves;
  if (others.length === 0) return only;
  const half = Math.ceil(leaves.length / 2);
  return { left: balanced(leaves.slice(0, half)), operator: 'or', right: balanced(leaves.slice(half)) };
}

it('filters that have much to do on a large call hold up neither the API nor another webhook, and are done with it', async () => {
  const environment = { GATELOG_TARGET_ALLOWLIST: 'localhost' };
  const service = await startService({ dataDir, environment });
  const { call } = apiClient(service.api);
  const create = async (filter: unknown): Promise<string> => {
    const { status, body } = await call<{ readonly id: string }>('POST', '/v1/webhooks', {
      destination: 'http://localhost:1/',
      config: { filter },
    });
    expect([status, body.error]).toEqual([200, null]);
    return body.data.id;
  };
  const [dear, tooMuch, plain] = [await create(nearly), await create(balanced(conditions)), await create(onBody('like', '%aaa%'))];
  const [core] = childrenNamed(service.pid, 'core');
  const sent = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: 'a'.repeat(1_000_000) }] }),
  });
  expect(sent.status).toBe(200);
  await sent.arrayBuffer();
  const of = (id: string): Promise<readonly DeliveryView[]> => deliveriesOf(service, id);
  // Each look is an answer of the same core.
  const [told] = await eventually(
    'the plain webhook to get the call',
    async () => ((await of(plain)).length > 0 ? of(plain) : undefined),
    60_000,
  );
  expect(told).toMatchObject({ type: 'request.completed' });
  const [undecided] = await eventually(
    'the call to be passed by',
    async () => ((await of(tooMuch)).length > 0 ? of(tooMuch) : undefined),
    120_000,
  );
  expect(undecided).toMatchObject({ state: 'failed', failure: 'filter' });
  await eventually(
    'no webhook to be behind',
    async () => ((await behind(dear)) === 0 && (await behind(tooMuch)) === 0 ? true : undefined),
    60_000,
  );
  expect(await of(dear)).toEqual([]);
  expect(childrenNamed(service.pid, 'core')).toEqual([core]);
  for (const id of [dear, tooMuch, plain]) expect((await call('DELETE', `/v1/webhooks/${id}`)).status).toBe(200);
  await service.stop();

  async function behind(id: string): Promise<number> {
    return (await statusOf(service, id)).behind_seconds;
  }
});
