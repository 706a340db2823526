import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceHealthAnswerSchema } from '../../contract/health.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

test('200 for any key that reads, with what /readyz says and the figures', async () => {
  for (const permissions of ['r', 'rw', 'admin'] as const) {
    const response = await rig.call('GET', '/v1/health', { key: keyOf(permissions) });
    const { data } = await checked(response, 200, serviceHealthAnswerSchema);
    expect(data).toMatchObject({ status: 'ok', failing: [], degraded: [], spool: { bytes: 0 }, disk: { free_bytes: 2048 } });
  }
});

test('200 also while parts fail', async () => {
  const api = rig.withPorts({ health: () => Promise.resolve({ failing: ['store'], degraded: ['metadata'] }) });
  const { data } = await checked(await rig.call('GET', '/v1/health', { api }), 200, serviceHealthAnswerSchema);
  expect(data).toMatchObject({ status: 'unavailable', failing: ['store'], degraded: ['metadata'] });
});

test('403 for a key that only sends, 401 without one', async () => {
  expect((await rig.call('GET', '/v1/health', { key: keyOf('w') })).status).toBe(403);
  expect((await rig.call('GET', '/v1/health', { key: null })).status).toBe(401);
});
